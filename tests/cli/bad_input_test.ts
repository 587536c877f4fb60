/** The real program given what it can't use. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ScriptedAnswer, startScriptedServer } from "../scripted_server.ts";
import { says } from "./agent_world.ts";
import { readEvents } from "./fits.ts";
import { withProgram } from "./program.ts";

const OK = { ...says("hello"), repeat: true };

Deno.test("bad input ends with one clear sentence and its exit code", async (t) => {
  const refused = { status: 401, body: '{"error":{"message":"Incorrect API key"}}', repeat: true };
  const page = {
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<html><title>Log in</title></html>",
    repeat: true,
  };
  const rows: {
    readonly title: string;
    readonly argv: readonly string[];
    readonly env?: { readonly [name: string]: string };
    readonly answer?: ScriptedAnswer;
    readonly exit: number;
    readonly says: string;
    readonly outcome: string;
  }[] = [
    {
      title: "no key",
      argv: ["Go"],
      env: { CST_PROVIDER: "deepseek" },
      exit: 3,
      says:
        'No key for "deepseek": set DEEPSEEK_API_KEY in the environment, or choose another server ' +
        '(--provider NAME; to try it without a key: "cst-agent --help")',
      outcome: "config_error",
    },
    {
      title: "neither key nor prompt",
      argv: [],
      env: { CST_PROVIDER: "deepseek" },
      exit: 2,
      says: 'There is no task: cst-agent run "what to do"',
      outcome: "usage_error",
    },
    {
      title: "a path that the server doesn't serve so",
      argv: ["Go"],
      answer: { status: 405, body: "Method Not Allowed", repeat: true },
      exit: 4,
      says: "answered 405: Method Not Allowed (is the base URL right?)",
      outcome: "provider_error",
    },
    {
      title: "unknown provider",
      argv: ["--provider=depseek", "Go"],
      exit: 3,
      says:
        'Unknown provider "depseek": there are deepseek, minimax, openai, openrouter, ollama, custom, sim and replay:DIR',
      outcome: "config_error",
    },
    {
      title: "unknown protocol",
      argv: ["--protocol=json", "Go"],
      exit: 2,
      says: 'Unknown protocol "json": there are native-eos, native-inc, ctl, ctl-heredoc, xml',
      outcome: "usage_error",
    },
    {
      title: "unreachable server",
      argv: ["--base-url=http://127.0.0.1:9/v1", "--retries=0", "Go"],
      exit: 4,
      says:
        "Cannot reach http://127.0.0.1:9/v1/chat/completions: connection refused (is the server running?)",
      outcome: "provider_error",
    },
    {
      title: "a base URL that is none",
      argv: ["--base-url=localhost", "Go"],
      exit: 3,
      says: 'Not a base URL: "localhost" (it starts with http:// or https://)',
      outcome: "config_error",
    },
    {
      title: "401",
      argv: ["Go"],
      answer: refused,
      exit: 4,
      says: "/v1/chat/completions answered 401: Incorrect API key",
      outcome: "provider_error",
    },
    {
      title: "a body that isn't SSE",
      argv: ["Go"],
      answer: page,
      exit: 4,
      says:
        'The server answered with "text/html" instead of an event stream: "<html><title>Log in</title></html>" ' +
        "(is the base URL right?)",
      outcome: "provider_error",
    },
    {
      title: "a working directory that doesn't exist",
      argv: ["--cwd=nowhere", "Go"],
      exit: 3,
      says: 'Cannot work in "nowhere": there is no such folder',
      outcome: "config_error",
    },
    {
      title: "a working directory that is a file",
      argv: ["--cwd=bad.json", "Go"],
      exit: 3,
      says: 'Cannot work in "bad.json": it is not a folder',
      outcome: "config_error",
    },
    {
      title: "a configuration that isn't JSON",
      argv: ["--cwd=broken", "Go"],
      exit: 3,
      says: "cst-agent.json\": it isn't JSON",
      outcome: "config_error",
    },
    {
      title: "a configuration with an unknown key",
      argv: ["--cwd=unknown", "Go"],
      exit: 3,
      says: 'Unknown key "protocl" in "',
      outcome: "config_error",
    },
    {
      title: "a project that turns the sandbox off",
      argv: ["--cwd=greedy", "Go"],
      exit: 3,
      says: 'Cannot take "sandbox" from "',
      outcome: "config_error",
    },
    {
      title: "unknown option",
      argv: ["--protocl=ctl", "Go"],
      exit: 2,
      says: 'Unknown option "--protocl": did you mean "--protocol"?',
      outcome: "usage_error",
    },
    {
      title: "an option without its value",
      argv: ["Go", "--model"],
      exit: 2,
      says: 'Option "--model" needs a value: --model NAME',
      outcome: "usage_error",
    },
    {
      title: "no prompt",
      argv: [],
      exit: 2,
      says: 'There is no task: cst-agent run "what to do"',
      outcome: "usage_error",
    },
    {
      title: "an empty prompt",
      argv: [" "],
      exit: 2,
      says: "The task is empty",
      outcome: "usage_error",
    },
    {
      title: "a number that is none",
      argv: ["--max-steps=many", "Go"],
      exit: 2,
      says: 'Option "--max-steps" takes a whole number, not "many"',
      outcome: "usage_error",
    },
    {
      title: "a place for the answer that is no file",
      argv: ["--output-last=/dev/null", "Go"],
      exit: 3,
      says: 'Cannot write the final answer to "/dev/null": it is not a file',
      outcome: "config_error",
    },
    {
      title: "a place for the answer in no folder",
      argv: ["--output-last=no/where.txt", "Go"],
      exit: 3,
      says: 'Cannot write the final answer to "no/where.txt": there is no folder "',
      outcome: "config_error",
    },
    {
      title: "a folder for recordings that is a file",
      argv: ["--record=bad.json", "Go"],
      exit: 3,
      says: 'Cannot record to "',
      outcome: "config_error",
    },
    {
      title: "a folder for sessions that is a file",
      argv: ["--session-dir=bad.json", "Go"],
      exit: 3,
      says: "Cannot start a session",
      outcome: "session_error",
    },
    {
      title: "a recording that isn't there",
      argv: ["--provider=replay:nowhere", "Go"],
      exit: 4,
      says: "nowhere\": it doesn't exist",
      outcome: "provider_error",
    },
    {
      title: "no session to go on with",
      argv: ["--continue", "--session-dir=none", "Go"],
      exit: 3,
      says: "There is no session to go on with in ",
      outcome: "session_error",
    },
  ];
  await withProgram([], async (home) => {
    Deno.writeTextFileSync(`${home.cwd}/bad.json`, "{");
    const configs = {
      broken: "{",
      unknown: '{"protocl":"ctl"}',
      greedy: '{"sandbox":"off"}',
    };
    for (const [name, text] of Object.entries(configs)) {
      Deno.mkdirSync(`${home.cwd}/${name}`);
      Deno.writeTextFileSync(`${home.cwd}/${name}/cst-agent.json`, text);
    }
    for (const row of rows) {
      await t.step(row.title, async () => {
        const server = row.answer ? startScriptedServer([row.answer]) : undefined;
        const env = { ...row.env, ...server ? { CST_BASE_URL: server.url } : {} };
        const ended = await home.run(["--json", ...row.argv], { env });
        await server?.close();
        assertEquals(ended.exit, row.exit, ended.stderr);
        const lines = readEvents(ended.stdout);
        const last = lines.at(-1)!;
        assertEquals([last.type, last.outcome, last.exit], ["outcome", row.outcome, row.exit]);
        assertStringIncludes(String(last.message), row.says);
        // One line that a person reads, without a trace of the program's insides.
        assertStringIncludes(ended.stderr, row.says);
        assertMatch(ended.stderr, /^cst-agent: ([A-Z]|http)[^\n]*[^.\n]\n$/);
      });
    }
  });
});

Deno.test("a command that is misspelt starts no task; a task of one word does", async () => {
  await withProgram([OK], async (home, server) => {
    const slip = await home.run(["sesions", "list"]);
    assertEquals([slip.exit, slip.stdout, slip.stderr], [
      2,
      "",
      'cst-agent: Unknown command "sesions": did you mean "sessions"? (for a task: cst-agent run "sesions …")\n',
    ]);
    assertEquals((await home.run(["improve"])).stdout, "hello\n");
    assertEquals((await home.run(["run", "sesions"])).stdout, "hello\n");
    assertEquals(server.requests.length, 2);
    for (const word of ["--help", "-h", "help", "--version", "-V", "version"]) {
      const { exit, stderr, stdout } = await home.run([word]);
      assertEquals([exit, stderr], [0, ""], word);
      assert(stdout.length > 0);
    }
  });
});

Deno.test("help COMMAND is the command's own help; a command that there isn't is refused", async () => {
  await withProgram([], async (home) => {
    for (const command of ["run", "sim", "doctor", "eval"]) {
      const [asked, own] = [await home.run(["help", command]), await home.run([command, "--help"])];
      assertEquals(asked, own);
      assertEquals([own.exit, own.stdout.length > 0], [0, true]);
    }
    assertEquals(await home.run(["help", "runn"]), {
      exit: 2,
      stdout: "",
      stderr: 'cst-agent: There is no command "runn" (see "cst-agent --help")\n',
    });
  });
});

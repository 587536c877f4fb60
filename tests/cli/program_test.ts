/** The real program: bad input, signals, pipes and terminals. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { findProgram } from "../../src/agent/resolve.ts";
import { createFiles } from "../../src/system/files.ts";
import { type ScriptedAnswer, startScriptedServer } from "../scripted_server.ts";
import { alive, leftAfter, uniqueSeconds } from "../system/processes.ts";
import { calls, says } from "./agent_world.ts";
import { readEvents } from "./fits.ts";
import { type Home, until, withHome } from "./program.ts";

async function withProgram(
  answers: readonly ScriptedAnswer[],
  test: (home: Home, server: ReturnType<typeof startScriptedServer>) => Promise<void>,
): Promise<void> {
  const server = startScriptedServer(answers);
  try {
    await withHome(server.url, (home) => test(home, server));
  } finally {
    await server.close();
  }
}

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

Deno.test("H10: standard input isn't read when there is a prompt; H13: a prompt may begin with a dash", async () => {
  await withProgram([OK], async (home, server) => {
    const { stdout } = await home.shell(
      'mkfifo open; exec 3<>open; "$AGENT" run --json -p hi <&3; echo "exit=$?"',
    );
    assertStringIncludes(stdout, '"text":"hello"');
    assertStringIncludes(stdout, "exit=0");
    await home.shell('"$AGENT" run --json -p "- first item"; "$AGENT" run --json -- "-x marks it"');
    const texts = server.requests.map(({ body }) => body.messages.at(-1)!.content);
    assertEquals(texts, ["hi", "- first item", "-x marks it"]);
  });
});

Deno.test("streams that can't be used end the program with a sentence", async () => {
  await withProgram([OK], async (home) => {
    const full = await home.shell('"$AGENT" run -p hi >/dev/full 2>err.txt; echo "exit=$?"');
    assertEquals(full.stdout, "exit=1\n");
    const told = Deno.readTextFileSync(`${home.cwd}/err.txt`).trimEnd().split("\n").at(-1);
    assertEquals(told, 'cst-agent: Cannot write to "standard output": no space left on the disk');
    const folder = await home.shell('"$AGENT" run - <.; echo "exit=$?"');
    assertEquals(folder.stderr, 'cst-agent: Cannot read "standard input": it is a folder\n');
    const silent = await home.shell('"$AGENT" run --provider=x hi 2>/dev/full; echo "exit=$?"');
    assertEquals(silent.stdout, "exit=3\n");
  });
});

Deno.test("H12: a prompt of 300,000 bytes comes through standard input", async () => {
  await withProgram([OK], async (home, server) => {
    const { stdout } = await home.shell(
      'head -c 300000 /dev/zero | tr "\\0" a | "$AGENT" run --json -p - ; echo "exit=$?"',
    );
    assertStringIncludes(stdout, "exit=0");
    assertEquals(String(server.requests[0]!.body.messages.at(-1)!.content).length, 300_000);
  });
});

Deno.test("H08: every line on standard output is JSON, also when the runtime talks", async () => {
  await withProgram([OK], async (home) => {
    const { stdout, exit } = await home.run(["run", "--json", "-p", "hi"], {
      env: { DENO_LOG: "debug" },
    });
    assertEquals([exit, readEvents(stdout).at(-1)!.text], [0, "hello"]);
  });
});

Deno.test("H20: no escape byte reaches a pipe", async () => {
  await withProgram([OK], async (home) => {
    const { stdout, stderr } = await home.run(["run", "-p", "hi"]);
    assertEquals([stdout, stderr.includes("\u001b")], ["hello\n", false]);
  });
});

Deno.test("H20: no escape byte reaches a dumb terminal or one that wants no colour", async () => {
  if (!await findProgram(createFiles(), "script", Deno.env.get("PATH") ?? "")) {
    if (Deno.env.has("CI")) throw new Error("Cannot find script, which opens a terminal");
    console.log("left out: script is not on this machine");
    return;
  }
  await withProgram([OK], async (home) => {
    const onTerminal = async (variable: string) => {
      const script = "script -qec '\"$AGENT\" run -p hi' /dev/null </dev/null";
      const { stdout } = await home.shell(`${variable} ${script}`);
      assertStringIncludes(stdout, "hello");
      return stdout.includes("\u001b");
    };
    assertEquals(await onTerminal("NO_COLOR=1"), false);
    assertEquals(await onTerminal("TERM=dumb"), false);
    assertEquals(await onTerminal("TERM=xterm"), true);
  });
});

Deno.test("H15: a reader that leaves ends the program and the command that it runs, quietly", async () => {
  const seconds = uniqueSeconds();
  await withProgram([calls(["run", { command: `sleep ${seconds}` }]), OK], async (home) => {
    const { stderr } = await home.shell('"$AGENT" run --json -p hi 2>err.txt | head -1 >/dev/null');
    assertEquals(await leftAfter(`sleep ${seconds}`, 2000), []);
    const err = stderr + Deno.readTextFileSync(`${home.cwd}/err.txt`);
    assertEquals(err.includes("Uncaught") || err.includes("BrokenPipe"), false, err);
    const folder = `${home.top}/.local/state/cst-agent/sessions`;
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const file = names.find((name) => name.endsWith(".jsonl"))!;
    for (const line of Deno.readTextFileSync(`${folder}/${file}`).trimEnd().split("\n")) {
      JSON.parse(line);
    }
  });
});

Deno.test("J03: a signal ends the call that runs, every start has its end, and the outcome comes last", async (t) => {
  for (
    const [signal, exit, outcome] of [
      ["SIGINT", 130, "cancelled"],
      ["SIGTERM", 143, "terminated"],
    ] as const
  ) {
    await t.step(signal, async () => {
      const seconds = uniqueSeconds();
      const answer = calls(["run", { command: "true" }], ["run", { command: `sleep ${seconds}` }]);
      await withProgram([answer, OK], async (home) => {
        const started = home.start(["run", "-A", "--json", "-p", "hi"]);
        assert(await until(() => alive(`sleep ${seconds}`).length > 0));
        started.kill(signal);
        const ended = await started.ended;
        assertEquals(ended.exit, exit);
        assertEquals(await leftAfter(`sleep ${seconds}`, 2000), []);
        const lines = readEvents(ended.stdout);
        const results = lines.filter(({ type }) => type === "tool_result");
        assertEquals(lines.filter(({ type }) => type === "tool_start").length, 2);
        assertEquals(results.map(({ exit }) => exit), [0, 130]);
        assertEquals([lines.at(-1)!.type, lines.at(-1)!.outcome], ["outcome", outcome]);
      });
    });
  }
});

Deno.test("a signal ends a program that waits for its prompt", async () => {
  await withProgram([], async (home) => {
    const { stdout } = await home.shell(
      'mkfifo open; exec 3<>open; "$AGENT" run --json - <&3 >out & p=$!; ' +
        "for i in $(seq 200); do [ -s out ] && break; sleep 0.05; done; " +
        'kill -INT $p; wait $p; echo "exit=$?"; cat out',
    );
    assertStringIncludes(stdout, "exit=130");
    assertStringIncludes(stdout, '"outcome":"cancelled"');
  });
});

Deno.test("F09: a disk that takes no more stops the run with a sentence, and the session goes on afterwards", async () => {
  const answers = [says("hello"), says("x".repeat(9000)), OK];
  await withProgram(answers, async (home) => {
    const first = await home.run(["run", "--json", "-p", "begin"]);
    const SID = String(readEvents(first.stdout).find(({ type }) => type === "start")!.session);
    const full = await home.shell(
      `( ulimit -f 4; "$AGENT" run --json --session ${SID} -p "long output please" ); echo "exit=$?"`,
    );
    assertStringIncludes(full.stdout, "exit=3");
    assertStringIncludes(full.stdout, '"outcome":"session_error"');
    assertMatch(full.stderr, /^cst-agent: ([A-Z]|http)[^\n]*\n$/m);
    const next = await home.run(["run", "--json", "--session", SID, "-p", "next"]);
    assertEquals([next.exit, readEvents(next.stdout).at(-1)!.text], [0, "hello"]);
    const path = `${home.top}/.local/state/cst-agent/sessions/${SID}.jsonl`;
    for (const line of Deno.readTextFileSync(path).trimEnd().split("\n")) JSON.parse(line);
  });
});

Deno.test("G12: a project's git configuration starts nothing", async () => {
  await withProgram([OK], async (home) => {
    const git = `${home.cwd}/.git`;
    for (const name of ["objects", "refs"]) Deno.mkdirSync(`${git}/${name}`, { recursive: true });
    Deno.writeTextFileSync(`${git}/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${git}/config`, `[core]\n\tfsmonitor = ${home.cwd}/hook\n`);
    Deno.writeTextFileSync(`${home.cwd}/hook`, "#!/bin/sh\ntouch ../canary\n", { mode: 0o755 });
    assertEquals((await home.run(["run", "-p", "hi"])).exit, 0);
    assertEquals(await Deno.stat(`${home.top}/canary`).catch(() => "absent"), "absent");
  });
});

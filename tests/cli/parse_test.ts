import { assertEquals, assertRejects } from "@std/assert";
import { ProviderError, UsageError } from "../../src/errors.ts";
import { parseCommand } from "../../src/cli/parse.ts";
import { runCommand, type RunOptions } from "./io.ts";

const CTL = "Né:\ncall c1 run\narg command ls\narg n 2\n42\nend\n";

async function parse(argv: readonly string[], options: RunOptions) {
  const { exit, stdout } = await runCommand(parseCommand, argv, options);
  assertEquals(exit, 0);
  return stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line) as unknown);
}

Deno.test("parse prints every confirmed event with exactly the fields of SPEC 10", async () => {
  assertEquals(await parse(["--protocol", "ctl"], { stdin: CTL }), [
    { type: "text", text: "Né:\n" },
    { type: "call", id: "c1", name: "run", at: 17 },
    { type: "arg", id: "c1", key: "command", form: "inline", at: 32 },
    { type: "arg", id: "c1", key: "n", form: "length", at: 40 },
    { type: "ready", id: "c1", name: "run", arguments: { command: "ls", n: "42" }, at: 47 },
    { type: "end", how: "complete", finish_reason: null, usage: null, pending_max: 0 },
  ]);
});

Deno.test("parse prints the same however its input is cut", async () => {
  for (const protocol of ["ctl", "ctl-heredoc", "xml"]) {
    const text = `${CTL}<minimax:tool_call>\n<invoke name="f"/>\n</minimax:tool_call>`.repeat(300);
    const whole = await runCommand(parseCommand, ["--protocol", protocol], { stdin: text });
    for (const chunk of [1, 7, 4096]) {
      const cut = await runCommand(parseCommand, ["--protocol", protocol], { stdin: text, chunk });
      assertEquals(cut, whole);
    }
  }
});

Deno.test("parse --cut confirms nothing that an unfinished line could still change", async () => {
  const stdin = "call c1 run\nend";
  assertEquals((await parse(["--protocol", "ctl"], { stdin })).length, 3);
  const [call, violation, end] = await parse(["--protocol", "ctl", "--cut"], { stdin }) as {
    type: string;
    kind?: string;
    how?: string;
  }[];
  assertEquals([call?.type, violation?.kind, end?.how], ["call", "call_eof", "cut"]);
});

Deno.test("parse reads an event stream for the native protocols", async () => {
  const piece = {
    id: "c1",
    index: 0,
    type: "function",
    function: { name: "run", arguments: '{"command":"ls"}' },
  };
  const chunk = { choices: [{ delta: { tool_calls: [piece] }, finish_reason: "tool_calls" }] };
  const usage = { usage: { prompt_tokens: 5, completion_tokens: 7 }, choices: [] };
  const stdin = [chunk, usage].map((it) => `data: ${JSON.stringify(it)}\n\n`).join("") +
    "data: [DONE]\n\n";
  assertEquals(await parse(["--protocol", "native-inc"], { stdin }), [
    { type: "call", id: "c1", name: "run", at: 19 },
    { type: "arg", id: "c1", key: "command", form: "json", at: 19 },
    { type: "ready", id: "c1", name: "run", arguments: { command: "ls" }, at: 19 },
    {
      type: "end",
      how: "complete",
      finish_reason: "tool_calls",
      usage: { input_tokens: 5, output_tokens: 7 },
      pending_max: 19,
    },
  ]);
  const cut = await parse(["--protocol", "native-eos", "--cut"], { stdin }) as { type: string }[];
  assertEquals(cut.map((event) => event.type), ["call", "violation", "end"]);
});

Deno.test("parse exits with 0 on violations: they are data", async () => {
  const events = await parse(["--protocol", "ctl"], { stdin: "call c1 run\nnonsense\n" });
  assertEquals((events[1] as { kind: string }).kind, "unexpected_line");
});

Deno.test("parse refuses what is no stream at all", async () => {
  const page = "<!doctype html><html></html>";
  const rows: [protocol: string, stdin: string | Uint8Array, message: string][] = [
    ["ctl", "", "Cannot parse standard input: the input is empty"],
    [
      "xml",
      new Uint8Array([0xff, 0xfe, 0, 1]),
      "Cannot parse standard input: the input is binary, not text",
    ],
    ["ctl", page, "Cannot parse standard input: it is a web page"],
    [
      "ctl",
      ': ping\n\nevent: message\ndata: {"choices":[]}\n\n',
      "Cannot parse standard input: it is an event stream, not a text",
    ],
    [
      "xml",
      '{"error": {"message": "no such model"}}',
      "Cannot parse standard input: it is an error message of a server",
    ],
    ["native-eos", "", "Cannot parse standard input: the input is empty"],
    ["native-eos", page, `Cannot parse standard input: it isn't an event stream: "${page}"`],
    [
      "native-inc",
      '{"error":{"message":"no such model"}}',
      "Cannot parse standard input: it is an error message: no such model",
    ],
  ];
  for (const [protocol, stdin, message] of rows) {
    const run = () => runCommand(parseCommand, ["--protocol", protocol], { stdin });
    const error = await assertRejects(run, ProviderError, message);
    assertEquals(error.exit, 4);
  }
});

Deno.test("parse names what is wrong with its command line", async () => {
  const rows: [argv: string[], message: string][] = [
    [[], 'Option "--protocol" is missing'],
    [["--protocol", "native"], 'Unknown protocol "native"'],
    [["--protocol", "ctl-heredock"], 'did you mean "ctl-heredoc"?'],
    [["--protocol", "ctl", "file"], 'Cannot read "file"'],
    [["--protocol", "ctl", "--max-arg", "1k"], 'Option "--max-arg" needs a positive whole number'],
    [
      ["--protocol", "ctl", "--max-arg", "134217729"],
      'Option "--max-arg" may be 134217728 at most',
    ],
  ];
  for (const [argv, message] of rows) {
    await assertRejects(() => runCommand(parseCommand, argv), UsageError, message);
  }
});

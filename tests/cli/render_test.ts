import { assertEquals } from "@std/assert";
import { callLine, createRenderer } from "../../src/cli/render.ts";
import type { AgentEvent, JsonObject } from "../../src/vocab.ts";

const usage = { inputTokens: 0, outputTokens: 0 };
const call = (name: string, args: JsonObject) =>
  ({ id: "c1", name, arguments: args, values: "text" }) as const;
const EVENTS: readonly AgentEvent[] = [
  {
    kind: "start",
    session: "s1",
    protocol: "ctl",
    provider: "sim",
    model: "m",
    cwd: "/w",
    sandbox: "rules only",
  },
  { kind: "user", text: "Go" },
  { kind: "request", step: 1 },
  { kind: "reasoning", text: "hmm" },
  { kind: "text", text: "I lo" },
  { kind: "text", text: "ok." },
  {
    kind: "tool_start",
    call: call("run", { command: "ls\n\u001b[2J" }),
    confirmedToStartedMs: 0,
    streamEnded: false,
  },
  { kind: "tool_output", id: "c1", text: "a\n" },
  {
    kind: "tool_result",
    result: { id: "c1", name: "run", exit: 1, output: "a\nb\n" },
    ms: 1234,
  },
  { kind: "stop", reason: "prose_after_call", at: 3 },
  {
    kind: "violation",
    violation: { kind: "bad_call", message: 'the line "\u001b[31mcall"', at: 1 },
  },
  { kind: "wait", reason: "retry", seconds: 1, message: "Asking again" },
  { kind: "notice", message: "AGENTS.md is long" },
  { kind: "text", text: "Done.\u001b]0;title\u0007" },
  { kind: "end", how: "complete", finishReason: "stop", usage: null, pendingMax: 0 },
];

function outcome(kind: "done" | "step_limit" | "refused"): AgentEvent {
  return {
    kind: "outcome",
    outcome: kind,
    exit: 0,
    message: "Stopped after 3 steps (--max-steps)",
    text: "Done.",
    steps: 1,
    usage,
    denied: 0,
  };
}

function render(
  events: readonly AgentEvent[],
  options: { readonly quiet?: boolean; readonly color?: boolean } = {},
): string {
  let shown = "";
  const listen = createRenderer({
    prose: (text) => shown += text,
    note: (text) => shown += text,
    color: options.color ?? false,
  }, { quiet: options.quiet ?? false });
  events.forEach(listen);
  return shown;
}

Deno.test("a run as lines: prose as it comes, one line a call, one a result, no control character of a stranger", () => {
  assertEquals(
    render([...EVENTS, outcome("done")]),
    [
      "sim/m · ctl · rules only · session s1",
      "I look.",
      "● run ls",
      "  ✗ exit 1 · 1.23 s · 2 lines",
      "  (stopped reading: prose after a call)",
      '! bad_call: the line "\\x1b[31mcall"',
      "Asking again",
      "AGENTS.md is long",
      "Done.]0;title",
      "",
    ].join("\n"),
  );
});

Deno.test("why a tool of our own failed is shown, and how to go on after a refusal", () => {
  const result = (name: string, exit: number, output: string): AgentEvent => ({
    kind: "tool_result",
    result: { id: "c1", name, exit, output },
    ms: 10,
  });

  assertEquals(
    render([
      result("write_file", 1, 'Cannot write "a.c": permission denied\n'),
      result("run", 2, "make: ***\n"),
      result("read_file", 126, "Refused: no (allowed by --allow-read=/x)\n"),
      outcome("refused"),
    ]),
    [
      "  ✗ exit 1 · 0.01 s · 1 line",
      '    Cannot write "a.c": permission denied',
      "  ✗ exit 2 · 0.01 s · 1 line",
      "! Refused: no (allowed by --allow-read=/x)",
      "  ✗ exit 126 · 0.01 s · 1 line",
      "cst-agent: Stopped after 3 steps (--max-steps)",
      'To go on: cst-agent --continue "go on", with the flag named above',
      "",
    ].join("\n"),
  );
});

Deno.test("--quiet leaves the warnings, an end that isn't an answer is told", () => {
  assertEquals(
    render([...EVENTS, outcome("step_limit")], { quiet: true }),
    [
      '! bad_call: the line "\\x1b[31mcall"',
      "Asking again",
      "AGENTS.md is long",
      "cst-agent: Stopped after 3 steps (--max-steps)",
      "",
    ].join("\n"),
  );
});

Deno.test("a call's line is its tool and what it's about, one line, not too long", () => {
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ command: "make test\nmake clean" }, "run make test"],
    [{ command: "x".repeat(200) }, `run ${"x".repeat(95)}…`],
    [{ path: "a.txt", content: "x" }, "run a.txt"],
    [{ patch: "--- a/x\n+++ b/x\t2026\n@@\n--- a/y\n+++ b/y\n" }, "run x y"],
    [{ patch: "*** Begin Patch\n*** Update File: z.c\n" }, "run z.c"],
    [{}, "run"],
    [{ command: "" }, "run "],
  ];
  for (const [args, line] of rows) assertEquals(callLine(call("run", args)), line);
});

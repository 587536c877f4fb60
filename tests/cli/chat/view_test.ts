import { assertEquals } from "@std/assert";
import { cellsOfRow, type Row } from "../../../src/cli/chat/layout.ts";
import { drawFrame, eraseDrawn, NOTHING_DRAWN } from "../../../src/cli/chat/screen.ts";
import { costOf, statusLine } from "../../../src/cli/chat/status_line.ts";
import { createView } from "../../../src/cli/chat/view.ts";
import { NO_FLAGS, readPermissionFlags } from "../../../src/permission/flags.ts";
import { createRules } from "../../../src/permission/rules.ts";
import type { AgentEvent, ToolCall } from "../../../src/vocab.ts";

const textOf = (row: Row) => row.map(({ text }) => text).join("");

/** A view whose clock is moved by hand. */
function viewAt(columns = 60) {
  const time = { ms: 0 };
  const view = createView({ columns: () => columns, now: () => time.ms });
  return {
    view,
    time,
    listen: (...events: readonly AgentEvent[]) => events.forEach(view.listen),
    above: () => view.take().map(textOf),
    live: () => view.live().map(textOf),
  };
}

const CALL: ToolCall = {
  id: "c1",
  name: "run",
  values: "text",
  arguments: { command: "make test" },
};
const started: AgentEvent = {
  kind: "tool_start",
  call: CALL,
  confirmedToStartedMs: 0,
  streamEnded: false,
};

Deno.test("A call is hollow while it's written, full when it runs, and then says how it ended", () => {
  const { listen, above, live } = viewAt();
  listen(
    { kind: "text", text: "I run the tests.\n" },
    { kind: "call", id: "c1", name: "run", at: 1 },
    { kind: "arg", id: "c1", key: "command", form: "heredoc", at: 2 },
    { kind: "piece", id: "c1", key: "command", text: "make " },
  );
  assertEquals([above(), live()], [["I run the tests."], ["○ run", "  command: make "]]);
  listen({ kind: "ready", call: CALL, at: 3 }, started, {
    kind: "tool_output",
    id: "c1",
    text: "ok\n",
  });
  assertEquals([above(), live()], [["● run make test"], ["  │ ok"]]);
  const result = { id: "c1", name: "run", exit: 2, output: "ok\nbad\x1b[2J\n" };
  listen({ kind: "tool_result", result, ms: 1234 });
  assertEquals([above(), live()], [["  │ ok", "  │ bad", "  ✗ exit 2 · 1.23 s · 2 lines"], []]);
});

Deno.test("A gap is one empty row, however often it's asked for, and none at the top", () => {
  const { view, above } = viewAt();
  view.gap();
  view.say("one");
  view.gap();
  view.gap();
  view.say("two");
  assertEquals(above(), ["one", "", "two"]);
  view.gap();
  assertEquals(above(), [""]);
  view.gap();
  assertEquals(above(), []);
});

Deno.test("The names of a patch's files begin where its marks do", () => {
  const { listen, above } = viewAt();
  const patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n";
  const call: ToolCall = { ...CALL, name: "apply_patch", arguments: { patch } };
  listen({ kind: "tool_start", call, confirmedToStartedMs: 0, streamEnded: false });
  assertEquals(above(), [
    "● apply_patch ",
    "  --- a/x",
    "  +++ b/x",
    "  @@ -1 +1 @@",
    "  -a",
    "  +b",
    "   c",
  ]);
});

Deno.test("A call that its message left unfinished is said not to have run", () => {
  const { listen, above, live } = viewAt();
  listen(
    { kind: "call", id: "c1", name: "run", at: 1 },
    { kind: "end", how: "cut", finishReason: null, usage: null, pendingMax: 0 },
  );
  assertEquals([above(), live()], [["○ run was not finished and has not run"], []]);
});

Deno.test("A command that was shown with its question isn't shown again", () => {
  const { view, listen, above } = viewAt();
  view.asked("c1");
  listen(started);
  assertEquals(above(), []);
});

Deno.test("What goes on is told with its seconds, and the silence of a server too", () => {
  const { view, time, listen } = viewAt();
  assertEquals(view.activity(), null);
  listen({ kind: "request", step: 1 });
  time.ms = 15_000;
  assertEquals(view.activity(), "⠋ waiting for the model 15 s");
  listen({ kind: "wait", reason: "idle", seconds: 105, message: "" });
  time.ms = 17_000;
  assertEquals(view.activity(), "⠋ waiting for the model 17 s · no bytes for 17 s");
  listen({ kind: "text", text: "Here" });
  time.ms = 18_000;
  assertEquals(view.activity(), "⠋ writing 1 s");
});

Deno.test("A flood of output leaves a bounded tail in the live region", () => {
  const { listen, live } = viewAt();
  listen(started);
  for (let i = 0; i < 2_000; i++) {
    listen({ kind: "tool_output", id: "c1", text: `line ${i} ${"x".repeat(5_000)}\n` });
  }
  assertEquals(live().length <= 5, true);
});

Deno.test("An update is one string that erases the live region alone and stands where the cursor is", () => {
  const frame = {
    rows: [[{ text: "> ab", style: "plain" }], []] as Row[],
    cursor: { row: 0, column: 4 },
  };
  const first = drawFrame(NOTHING_DRAWN, { above: [], frame, columns: 20, color: false });
  assertEquals(
    first.output,
    "\x1b[?2026h\x1b[?25l\r\x1b[J\x1b[?7l> ab\r\n\x1b[?7h\x1b[1A\r\x1b[4C\x1b[?25h\x1b[?2026l",
  );
  assertEquals(first.drawn, { cells: [4, 0], cursor: { row: 0, column: 4 } });
  assertEquals(
    eraseDrawn({ cells: [4, 10], cursor: { row: 1, column: 3 } }, 20),
    "\r\x1b[1A\x1b[J",
  );
});

Deno.test("A row that was too wide was cut, so it's erased as one", () => {
  const rows = [[{ text: "x".repeat(30), style: "plain" }], []] as Row[];
  const frame = { rows, cursor: { row: 1, column: 0 } };
  const { drawn } = drawFrame(NOTHING_DRAWN, { above: [], frame, columns: 20, color: false });
  assertEquals(eraseDrawn(drawn, 20), "\r\x1b[1A\x1b[J");
});

Deno.test("Rows that a narrower terminal has wrapped are erased whole", () => {
  // 30 and 15 cells in 10 columns: three rows, then the cursor in the second row of the next.
  assertEquals(
    eraseDrawn({ cells: [30, 15], cursor: { row: 1, column: 12 } }, 10),
    "\r\x1b[4A\x1b[J",
  );
});

Deno.test("The status line says what fits, the model first", () => {
  const { flags } = readPermissionFlags(["--allow-run=make,git log"]);
  const status = {
    provider: "minimax",
    model: "MiniMax-M2.7",
    protocol: "ctl-heredoc",
    usage: { inputTokens: 12_000, outputTokens: 345 },
    contextTokens: 9_000,
    contextLimit: 204_800,
    price: { input: 0.3, cachedInput: 0.06, output: 1.2 },
    sandbox: "rules only (no sandbox: bubblewrap is not installed)",
    rules: createRules(flags, "/w"),
  };
  assertEquals(
    statusLine(status, 120),
    "minimax/MiniMax-M2.7 · ctl-heredoc · 12.3k tokens · context 4 % · $0.0040 · runs make, git log · rules only",
  );
  assertEquals(statusLine(status, 40), "minimax/MiniMax-M2.7 · ctl-heredoc");
  assertEquals(statusLine(status, 10), "minimax/M…");
  assertEquals(
    statusLine({ ...status, price: null, rules: createRules(NO_FLAGS, "/w") }, 120),
    "minimax/MiniMax-M2.7 · ctl-heredoc · 12.3k tokens · context 4 % · asks before running · rules only",
  );
});

Deno.test("What the server had in its cache costs what it costs there", () => {
  const price = { input: 1, cachedInput: 0.1, output: 10 };
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 500_000 };
  assertEquals([costOf(usage, price), costOf(usage, null)], [1.55, null]);
});

Deno.test("No row of a block is wider than the screen", () => {
  const { listen, view } = viewAt(20);
  listen(
    { kind: "call", id: "c1", name: "write_file", at: 1 },
    { kind: "arg", id: "c1", key: "content", form: "heredoc", at: 2 },
    { kind: "piece", id: "c1", key: "content", text: `${"字".repeat(50)}\nsecond\n` },
  );
  const rows = [...view.live()];
  listen({ ...started, call: { ...CALL, arguments: { command: `echo ${"long ".repeat(30)}` } } });
  rows.push(...view.take());
  assertEquals(rows.filter((each) => cellsOfRow(each) > 20).map(textOf), []);
});

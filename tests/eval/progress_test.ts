import { assertEquals } from "@std/assert";
import { createProgress } from "../../src/eval/progress.ts";
import type { MatrixEvent } from "../../src/eval/matrix.ts";
import type { Row, RunKey } from "../../src/eval/row.ts";

const key: RunKey = { protocol: "ctl", model: "sim", fixture: "mini_calc", rep: 1 };
const row: Row = {
  ...key,
  outcome: "agent_error",
  exit: 1,
  steps: 1,
  calls: 0,
  early: 0,
  wallS: 2,
  modelS: 0,
  toolS: 0,
  waitMs: 0,
  firstActionMs: 0,
  overlapS: 0,
  violations: {},
  forms: {},
  inputTokens: 0,
  outputTokens: 0,
  cost: null,
  message: "Four in a row",
};
const EVENTS: readonly MatrixEvent[] = [
  { kind: "begin", total: 4, done: 1 },
  { kind: "started", key },
  { kind: "finished", row },
  { kind: "started", key: { ...key, rep: 2 } },
  { kind: "finished", row: { ...row, rep: 2, outcome: "pass", message: "" } },
];

/** What is written while EVENTS happen, two seconds apart. */
function show(terminal: boolean): string[] {
  const written: string[] = [];
  let now = 0;
  const progress = createProgress({
    terminal,
    write: (text) => written.push(text),
    now: () => now,
  });
  for (const event of EVENTS) {
    progress(event);
    now += 2000;
  }
  return written;
}

Deno.test("progress is a line a run where there is no terminal", () => {
  assertEquals(show(false), [
    "4 runs, 1 already done\n",
    "2/4 agent_error mini_calc ctl sim #1 (2.0 s): Four in a row\n",
    "3/4 pass mini_calc ctl sim #2 (2.0 s)\n",
  ]);
});

Deno.test("progress on a terminal is a bar below the lines, with what runs and the time left", () => {
  const clear = "\r\x1b[K";
  assertEquals(show(true), [
    `${clear}██████░░░░░░░░░░░░░░░░░░ 1/4 `,
    `${clear}██████░░░░░░░░░░░░░░░░░░ 1/4 mini_calc/ctl`,
    clear,
    "2/4 agent_error mini_calc ctl sim #1 (2.0 s): Four in a row\n",
    `${clear}████████████░░░░░░░░░░░░ 2/4, 8s left: `,
    `${clear}████████████░░░░░░░░░░░░ 2/4, 12s left: mini_calc/ctl`,
    clear,
    "3/4 pass mini_calc ctl sim #2 (2.0 s)\n",
    `${clear}██████████████████░░░░░░ 3/4, 4s left: `,
  ]);
});

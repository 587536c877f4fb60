import { assertEquals } from "@std/assert";
import { groupRows, writeSummary } from "../../src/eval/summary.ts";
import type { Row } from "../../src/eval/row.ts";
import { ROW } from "./rows.ts";

const ROWS: readonly Row[] = [
  ROW,
  {
    ...ROW,
    rep: 2,
    outcome: "agent_error",
    exit: 1,
    steps: 4,
    wallS: 4,
    violations: { body_eof: 4 },
    forms: { length: 5, inline: 1 },
    message: "Four violations\nin a row",
  },
  { ...ROW, protocol: "xml", cost: null },
];

Deno.test("groupRows() sums up each protocol", () => {
  const [ctl, xml] = groupRows(ROWS);
  assertEquals({ ...ctl, interval: undefined }, {
    protocol: "ctl",
    model: "sim",
    n: 2,
    passes: 1,
    interval: undefined,
    outcomes: { pass: 1, agent_error: 1 },
    steps: 3.5,
    wallS: 3,
    modelS: 1,
    toolS: 0.5,
    waitMs: 10,
    firstActionMs: 100,
    overlapS: 0.25,
    calls: 8,
    early: 4,
    violations: { body_eof: 4 },
    forms: { length: 9, inline: 1 },
    inputTokens: 1000,
    outputTokens: 100,
    cost: 0.02,
  });
  assertEquals([xml!.protocol, xml!.n, xml!.cost], ["xml", 1, null]);
});

Deno.test("writeSummary() says simulated, gives n with each rate and names each run that failed", () => {
  assertEquals(
    writeSummary(ROWS, "2 cores."),
    `# Matrix

Runs: 3. Fixtures: mini_calc. 2 cores.

**Simulated**: the model is a script with drawn faults; the figures show how the agent behaves, not how good a model is.

| protocol | model | n | pass rate (95 % interval) | steps | wall s | model s | tool s | wait_ms | first action ms | early calls | overlap_s (upper bound) | violations a run | input tokens | output tokens | cost $ |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| ctl | sim | 2 | 50 % of 2 (9–91) | 3.5 | 3.00 | 1.00 | 0.50 | 10.0 | 100 | 4 of 8 | 0.25 | 2.00 | 1000 | 100 | 0.0200 |
| xml | sim | 1 | 100 % of 1 (21–100) | 3.0 | 2.00 | 1.00 | 0.50 | 10.0 | 100 | 2 of 4 | 0.25 | 0.00 | 1000 | 100 | – |

Means over the runs; counts are sums. \`wait_ms\`: confirmed to started. \`overlap_s\`: tool time inside streams, an upper bound of what was saved. Early calls started before their stream had ended.

| protocol | model | outcomes | argument forms | violations |
| --- | --- | --- | --- | --- |
| ctl | sim | pass 1, agent_error 1 | length 9, inline 1 | body_eof 4 |
| xml | sim | pass 1 | length 4 | – |

## Not passed

- ctl, sim, mini_calc, run 2: agent_error (Four violations in a row)
`,
  );
});

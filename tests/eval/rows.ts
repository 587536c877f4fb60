/** A run as a row of the results, for tests to vary. */
import type { Row } from "../../src/eval/row.ts";

export const ROW: Row = {
  protocol: "ctl",
  model: "sim",
  fixture: "mini_calc",
  rep: 1,
  outcome: "pass",
  exit: 0,
  steps: 3,
  calls: 4,
  early: 2,
  wallS: 2,
  modelS: 1,
  toolS: 0.5,
  waitMs: 10,
  firstActionMs: 100,
  overlapS: 0.25,
  violations: {},
  forms: { length: 4 },
  inputTokens: 1000,
  outputTokens: 100,
  cost: 0.01,
  message: "",
};

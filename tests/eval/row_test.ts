import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { ConfigError } from "../../src/errors.ts";
import { CSV_HEADER, readRows, type Row, writeRow } from "../../src/eval/row.ts";

/** A row to start from. */
const ROW: Row = {
  protocol: "ctl",
  model: "sim",
  fixture: "mini_calc",
  rep: 1,
  outcome: "agent_error",
  exit: 1,
  steps: 5,
  calls: 3,
  early: 2,
  wallS: 1.25,
  modelS: 0.5,
  toolS: 0.25,
  waitMs: 1.5,
  firstActionMs: 20,
  overlapS: 0.125,
  violations: { body_eof: 3, unexpected_line: 1 },
  forms: { length: 4 },
  inputTokens: 1000,
  outputTokens: 100,
  cost: null,
  message: 'Four violations, the last: "declared 5"',
};

Deno.test("a row is one line of cells", () => {
  assertEquals(
    CSV_HEADER + writeRow(ROW),
    "protocol,model,fixture,rep,outcome,exit,steps,calls,early_calls,wall_s,model_s,tool_s," +
      "wait_ms,first_action_ms,overlap_s,violations,forms,input_tokens,output_tokens,cost_usd," +
      "message\n" +
      "ctl,sim,mini_calc,1,agent_error,1,5,3,2,1.250,0.500,0.250,1.5,20.0,0.125," +
      "body_eof:3 unexpected_line:1,length:4,1000,100,," +
      '"Four violations, the last: ""declared 5"""\n',
  );
});

Deno.test("readRows() reads back what writeRow() wrote, whatever the message", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "grapheme" })), (messages) => {
    const rows = messages.map((message) => ({ ...ROW, message }));
    assertEquals(readRows(CSV_HEADER + rows.map(writeRow).join(""), "results.csv"), rows);
  }));
});

Deno.test("readRows() leaves out a row that was cut off anywhere", () => {
  const whole = CSV_HEADER + writeRow(ROW);
  const last = writeRow({ ...ROW, rep: 2 });
  for (let cut = 0; cut < last.length; cut++) {
    assertEquals(readRows(whole + last.slice(0, cut), "results.csv"), [ROW], `cut at ${cut}`);
  }
});

Deno.test("readRows() leaves out lines that are no rows, and only those", () => {
  const line = writeRow(ROW);
  const garbage = [
    "garbage\n",
    "a,b,c\n",
    ",".repeat(20) + "\n",
    line.replace("agent_error", "passed"),
    line.replace(",1.250,", ",fast,"),
    "\u0000\ufffd\n",
  ];
  for (const bad of garbage) {
    const text = CSV_HEADER + line + bad + writeRow({ ...ROW, rep: 2 });
    assertEquals(readRows(text, "results.csv"), [ROW, { ...ROW, rep: 2 }], JSON.stringify(bad));
  }
});

Deno.test("readRows() refuses the columns of another version", () => {
  assertThrows(
    () => readRows("a,b\n", "results.csv"),
    ConfigError,
    'Cannot read "results.csv": its columns are not those of this version',
  );
});

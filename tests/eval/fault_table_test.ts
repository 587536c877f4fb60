import { assertEquals } from "@std/assert";
import { runFaultTable, writeFaultTable } from "../../src/eval/fault_table.ts";
import { writeText } from "../../src/system/folders.ts";
import { DONE, withBench } from "./bench.ts";

Deno.test("a fault table has a line for each fault and rate and a column for each protocol", async () => {
  await withBench(async (task) => {
    if (task.protocol === "xml") {
      const message = "http://127.0.0.1:5/v1 answered 429: later";
      return { ...DONE, outcome: "try_later", exit: 75, message };
    }
    await writeText(`${task.cwd}/done.txt`, "yes");
    return DONE;
  }, async ({ bench, fixture }) => {
    const cells = await runFaultTable(fixture, {
      bench,
      protocols: ["ctl", "xml"],
      rates: [1],
      n: 2,
      jobs: 4,
      listen() {},
    });
    assertEquals(cells.length, 24);
    assertEquals(
      writeFaultTable(cells.slice(0, 4)),
      `| fault, rate | ctl | xml |
| --- | --- | --- |
| rate_limit, 1 | pass 2 | agent_error 2: the server answered 429 |
| server_error, 1 | pass 2 | agent_error 2: the server answered 429 |
`,
    );
  });
});

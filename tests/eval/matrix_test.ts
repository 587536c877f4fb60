import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/errors.ts";
import { appendText, readTextIfAny, writeText } from "../../src/system/folders.ts";
import type { AgentTask } from "../../src/eval/attempt.ts";
import {
  listRuns,
  mergeRows,
  parseShard,
  readResults,
  runMatrix,
  takeShard,
} from "../../src/eval/matrix.ts";
import { runName } from "../../src/eval/row.ts";
import { DONE, withBench } from "./bench.ts";

/** An agent that does the task and notes down which runs it was asked for. */
function createAgent() {
  const asked: string[] = [];
  const agent = async (task: AgentTask) => {
    asked.push(task.protocol);
    await writeText(`${task.cwd}/done.txt`, "yes");
    return DONE;
  };
  return { asked, agent };
}

Deno.test("runMatrix() runs what is missing and nothing else, also after a row that was cut off", async () => {
  const { asked, agent } = createAgent();
  await withBench(agent, async ({ bench, fixture, stop }) => {
    const fixtures = [fixture];
    const runs = listRuns({ protocols: ["ctl", "xml"], models: ["x:y"], fixtures, n: 2 });
    const options = { fixtures, bench, jobs: 1, listen() {} };
    await runMatrix(runs.slice(0, 3), options);
    assertEquals(asked, ["ctl", "xml", "ctl"]);
    // The program was killed while it wrote the next row.
    await appendText(`${bench.out}/results.csv`, "xml,x:y,yes,2,pa");
    const rows = await runMatrix(runs, options);
    assertEquals(asked, ["ctl", "xml", "ctl", "xml"]);
    assertEquals(rows.map(runName), runs.map(runName));
    assertEquals((await readResults(bench.out)).map(runName), runs.map(runName));
    assertEquals((await readTextIfAny(`${bench.out}/results.csv`))!.split("\n").length, 6);
    await runMatrix(runs, options);
    assertEquals(asked.length, 4);
    stop();
  });
});

Deno.test("runMatrix() leaves no row of a run that was interrupted", async () => {
  let interrupt = () => {};
  const agent = () => {
    interrupt();
    return Promise.resolve(DONE);
  };
  await withBench(agent, async ({ bench, fixture, stop }) => {
    interrupt = stop;
    const runs = listRuns({
      protocols: ["ctl", "xml"],
      models: ["x:y"],
      fixtures: [fixture],
      n: 1,
    });
    const rows = await runMatrix(runs, { fixtures: [fixture], bench, jobs: 2, listen() {} });
    assertEquals([rows, await readResults(bench.out)], [[], []]);
  });
});

Deno.test("three shards, merged, are the whole matrix", async () => {
  const { agent } = createAgent();
  await withBench(agent, async ({ bench, fixture }) => {
    const fixtures = [fixture];
    const runs = listRuns({ protocols: ["ctl", "xml"], models: ["x:y"], fixtures, n: 2 });
    const parts = [];
    for (const text of ["1/3", "2/3", "3/3"]) {
      const shard = parseShard(text);
      const part = { ...bench, out: `${bench.out}/${shard.index}` };
      parts.push(
        await runMatrix(takeShard(runs, shard), { fixtures, bench: part, jobs: 1, listen() {} }),
      );
    }
    const whole = await runMatrix(runs, { fixtures, bench, jobs: 2, listen() {} });
    const timeless = (rows: typeof whole) => rows.map((row) => ({ ...row, wallS: 0 }));
    assertEquals(parts.map((part) => part.length), [2, 1, 1]);
    assertEquals(timeless(mergeRows(parts)), timeless(mergeRows([whole])));
  });
});

Deno.test("parseShard() takes nothing that is no part", () => {
  for (const text of ["", "0/3", "4/3", "1", "a/b", "1/0"]) {
    assertThrows(() => parseShard(text), UsageError, `such as 1/4: "${text}"`);
  }
});

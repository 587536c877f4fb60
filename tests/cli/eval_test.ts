import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { UsageError, UserError } from "../../src/errors.ts";
import { createEval } from "../../src/cli/eval.ts";
import type { World } from "../../src/cli/command.ts";
import type { AgentTask } from "../../src/eval/attempt.ts";
import { readTextIfAny, writeText } from "../../src/system/folders.ts";
import { DONE, withWorld } from "../eval/bench.ts";

const root = new URL("../../", import.meta.url).pathname;

/** An agent that writes what the check of the test's fixture wants. */
const agent = () => async (task: AgentTask) => {
  await writeText(`${task.cwd}/done.txt`, "yes");
  return DONE;
};
const evaluate = createEval(agent, {});

Deno.test("eval fixture --baseline-only shows that every fixture is red", async () => {
  const names: string[] = [];
  for (const { name } of Deno.readDirSync(`${root}fixtures`)) {
    const task = await readTextIfAny(`${root}fixtures/${name}/TASK.md`).catch(() => undefined);
    if (task !== undefined) names.push(name);
  }
  assertEquals(names.length >= 10, true, names.join());
  await withWorld(async (test) => {
    const runs = names.map(async (name) => [
      name,
      await evaluate(["fixture", `${root}fixtures/${name}`, "--baseline-only"], test.world),
    ]);
    assertEquals(await Promise.all(runs), names.map((name) => [name, 0]));
    assertEquals(test.stdout(), "red\n".repeat(names.length));
  });
});

Deno.test("eval fixture prints the outcome and nothing else to standard output", async () => {
  await withWorld(async (test) => {
    assertEquals(await evaluate(["fixture", `${test.folder}/yes`, "-m", "x"], test.world), 0);
    assertEquals(test.stdout(), "pass\n");
  });
});

Deno.test("eval matrix writes results, summary and report; merge joins what shards wrote", async () => {
  await withWorld(async (test) => {
    const { world, folder } = test;
    const argv = ["matrix", "-p", "ctl xml", "-f", `${folder}/yes/`, "-n", "2"];
    assertEquals(await evaluate([...argv, "--out", `${folder}/whole`], world), 0);
    for (const shard of ["1/3", "2/3", "3/3"]) {
      const out = `${folder}/parts/${shard[0]}`;
      assertEquals(await evaluate([...argv, "--shard", shard, "--out", out], world), 0);
    }
    const parts = [1, 2, 3].map((i) => `${folder}/parts/${i}`);
    assertEquals(await evaluate(["merge", ...parts, "--out", `${folder}/merged`], world), 0);
    const lines = async (name: string) =>
      ((await readTextIfAny(`${folder}/${name}/results.csv`)) ?? "").split("\n")
        .map((line) => line.split(",").slice(0, 9).join()).sort();
    assertEquals(await lines("merged"), await lines("whole"));
    for (const name of ["whole", "merged"]) {
      const html = await readTextIfAny(`${folder}/${name}/report.html`) ?? "";
      assertEquals(html.match(/ data-chart="/g)?.length, 6, "the charts");
      assertEquals(html.match(/<svg viewBox/g)?.length, 2, "two runs in time");
      assertEquals(/<[^>]+ (src|href)=|@import|url\(/.test(html), false, "asks for nothing");
    }
  });
});

Deno.test("eval matrix --list prints one command line a run, each to its own folder", async () => {
  await withWorld(async (test) => {
    const argv = ["matrix", "-p", "ctl xml", "-f", `${test.folder}/yes`, "--out", "o", "--list"];
    assertEquals(await evaluate(argv, test.world), 0);
    const line = (i: number) =>
      `cst-agent eval matrix -p 'ctl xml' -f ${test.folder}/yes --shard ${i}/2 --out o/shards/${i}\n`;
    assertEquals(test.stdout(), line(1) + line(2));
  });
});

Deno.test("eval says what is wrong with files and folders", async () => {
  await withWorld(async ({ world, folder }) => {
    await writeText(`${folder}/file`, "x");
    await writeText(`${folder}/out/results.csv/file`, "x");
    await writeText(`${folder}/planless/TASK.md`, "Do it.");
    await writeText(`${folder}/planless/check.sh`, "exit 1\n");
    await evaluate(["matrix", "-f", `${folder}/yes`, "--out", `${folder}/done`], world);
    await evaluate(["matrix", "-f", `${folder}/yes`, "--out", `${folder}/torn`], world);
    await writeText(`${folder}/torn/timelines/ctl-heredoc_sim_yes_1.json`, '{"messages":[');
    const rows: [string[], string][] = [
      [["report", `${folder}/torn`], "it is no timeline"],
      [["merge", `${folder}/none`, "--out", `${folder}/x`], "no results.csv there"],
      [["report", `${folder}/none`], "no results.csv with a row there"],
      [["report", `${folder}/out`], "Is a directory"],
      [["report", `${folder}/done`, "--run", "ctl-heredoc_sim_yes_2"], '"ctl-heredoc_sim_yes_1"'],
      [["fixture", `${folder}/file`], "no TASK.md"],
      [
        ["fixture", `${folder}/planless`],
        'Cannot simulate fixture "planless": it has no plan.json',
      ],
      [["matrix", "-f", `${folder}/planless`], "it has no plan.json"],
      [["matrix", "-f", `${folder}/yes`, "--out", `${folder}/file`], "Cannot make the folder"],
    ];
    for (const [argv, message] of rows) {
      await assertRejects(() => run(argv, world), UserError, message);
    }
  });
});

Deno.test("a bare name is a fixture in ./fixtures, else a folder right here", async () => {
  await withWorld(async ({ world, folder }) => {
    const argv = ["matrix", "-f", "yes", "--out", `${folder}/here`];
    assertEquals(await evaluate(argv, { ...world, cwd: folder }), 0);
  });
});

Deno.test("eval says what is wrong with its arguments", async () => {
  await withWorld(async ({ world, folder }) => {
    await writeText(`${folder}/other/yes/TASK.md`, "Do it.");
    await writeText(`${folder}/other/yes/check.sh`, "exit 1\n");
    const rows: [string[], string][] = [
      [["fixture"], "Name one fixture"],
      [["matrix"], "Name the fixtures"],
      [["matrix", "-f", `${folder}/yes`, "-p", "clt"], 'Unknown protocol "clt"'],
      [["matrix", "-f", `${folder}/yes`, "--shard", "4/3"], "needs a part such as 1/4"],
      [["matrix", "-f", `${folder}/yes`, "-n", "x"], '"--runs" needs a number: "x"'],
      [["report"], "Name one folder"],
      [["matrix", "-f", `${folder}/yes`, "-n", "0"], '"--runs" needs at least 1'],
      [["matrix", "-f", `${folder}/yes`, "-j", "0"], '"--jobs" needs at least 1'],
      [["matrix", "-f", `${folder}/yes`, "-p", ","], '"--protocols" names nothing'],
      [["matrix", "-f", `${folder}/yes`, "-m", "sim,opnai:x"], 'provider "opnai" in "opnai:x"'],
      [["matrix", "-f", `${folder}/yes ${folder}/other/yes`], 'Two fixtures are named "yes"'],
    ];
    for (const [argv, message] of rows) {
      await assertRejects(() => run(argv, world), UsageError, message);
    }
    assertThrows(() => run(["matrxi"], world), UsageError, 'did you mean "matrix"?');
  });
});

function run(argv: readonly string[], world: World): Promise<number> {
  return evaluate(argv, world);
}

import { assertEquals } from "@std/assert";
import { createRunAgent } from "../../src/cli/eval_agent.ts";
import { attempt } from "../../src/eval/attempt.ts";
import { readFixture } from "../../src/eval/fixture.ts";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { readTextIfAny, writeText } from "../../src/system/folders.ts";
import { withWorld } from "./bench.ts";

/** The first of two calls leaves a file; the server waits for it before it ends its stream. */
const PLAN = JSON.stringify({
  steps: [
    {
      text: "Two commands.",
      calls: [
        { name: "run", arguments: { command: "echo yes > done.txt" } },
        { name: "run", arguments: { command: "true" } },
      ],
    },
    { text: "Done." },
  ],
});
/** How long the server waits; an agent that runs calls at the end can't make it shorter. */
const PATIENCE_MS = 400;

Deno.test("an eager protocol runs a call before its stream has ended, the others after", async () => {
  await withWorld(async ({ world, bench, folder }) => {
    await writeText(`${folder}/yes/plan.json`, PLAN);
    const fixture = await readFixture(`${folder}/yes`);
    const ranBefore: [string, boolean, string][] = [];
    for (const protocol of PROTOCOL_NAMES) {
      let cwd = "";
      let seen = false;
      const hold = async (request: number) => {
        const until = world.clock.monotonic() + PATIENCE_MS;
        while (request === 1 && !seen && world.clock.monotonic() < until) {
          await world.clock.sleep(10);
          seen = await readTextIfAny(`${cwd}/done.txt`) === "yes\n";
        }
      };
      const agent = createRunAgent(world);
      const { row } = await attempt({ protocol, model: "sim", fixture: "yes", rep: 1 }, fixture, {
        ...bench,
        sim: { ...bench.sim, hold },
        runAgent(task) {
          cwd = task.cwd;
          return agent(task);
        },
      });
      ranBefore.push([protocol, seen, row.outcome]);
    }
    assertEquals(ranBefore, [
      ["native-eos", false, "pass"],
      ["native-inc", true, "pass"],
      ["ctl", true, "pass"],
      ["ctl-heredoc", true, "pass"],
      ["xml", false, "pass"],
    ]);
  });
});

/** The agent for evaluation: the same settings, task and loop as `cst-agent run -A`, so that what is measured is what ships. */
import { exitCodeOf } from "../errors.ts";
import type { RunAgent } from "../eval/attempt.ts";
import { parseCommandLine } from "./args.ts";
import type { World } from "./command.ts";
import { openFaceTask } from "./open_task.ts";
import { RUN_SPEC } from "./run.ts";
import { readSettings } from "./settings.ts";

/** Runs tasks in `world`, allowed everything: a fixture is a copy in a temporary folder. */
export function createRunAgent(world: World): RunAgent {
  return async (task) => {
    const argv = [
      `--cwd=${task.cwd}`,
      `--protocol=${task.protocol}`,
      `--provider=${task.provider}`,
      ...task.model === undefined ? [] : [`--model=${task.model}`],
      `--session-dir=${task.sessionDir}`,
      ...task.baseUrl === undefined ? [] : [`--base-url=${task.baseUrl}`],
      ...task.recordDir === undefined ? [] : [`--record=${task.recordDir}`],
    ];
    const parsed = parseCommandLine(argv, RUN_SPEC);
    const settings = await readSettings({ parsed, permissionWords: ["-A"] }, world);
    const opened = await openFaceTask(settings, world, {
      choice: { kind: "new" },
      listen: task.listen,
    });
    try {
      const end = await opened.task.run(task.prompt, task.signal);
      return { ...end, exit: exitCodeOf(end.outcome) };
    } finally {
      opened.close();
    }
  };
}

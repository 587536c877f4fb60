/** The sandbox around the commands of a task, tried on this machine. */
import { findProgram } from "../agent/resolve.ts";
import { settleSandbox, trySandbox } from "../agent/sandbox.ts";
import type { Sandbox } from "../agent/task.ts";
import { chooseSandbox, describeSandbox, sandboxArgv } from "../permission/sandbox.ts";
import { itemsOf } from "../permission/flags.ts";
import type { Rules } from "../permission/rules.ts";
import { FileError, type Files } from "../system/system.ts";
import type { World } from "./command.ts";
import type { FaceSettings } from "./settings.ts";

/** The sandbox that `settings` ask for, or none with the reason. Throws `ConfigError` where one is demanded in vain. */
export async function openSandbox(settings: FaceSettings, world: World): Promise<Sandbox> {
  const { task, sandboxMode, config } = settings;
  const tried = sandboxMode === "off"
    ? { kind: "none", why: "it was turned off" } as const
    : await trySandbox({
      bwrap: (await findProgram(world.files, "bwrap", world.env.PATH ?? ""))?.path,
      seatbelt: task.platform === "darwin",
    }, world.processes);
  const sandbox = chooseSandbox(sandboxMode, tried);
  if (sandbox.kind === "none") {
    return { words: describeSandbox(sandbox, { network: true }), wrap: (argv) => argv };
  }
  await makeSessionFolder(settings.sessionDir, world.files);
  const policy = await settleSandbox(world.files, {
    cwd: task.cwd,
    write: writablePaths(task.rules),
    hidden: [settings.sessionDir, ...config === undefined ? [] : [config.folder]],
    hiddenFiles: config === undefined ? [] : [config.file],
    denied: {
      read: itemsOf(task.rules.read.deny),
      write: task.rules.write.deny.kind === "all"
        ? [task.cwd, ...writablePaths(task.rules)].filter((path) => path !== "/")
        : itemsOf(task.rules.write.deny),
    },
    shown: [],
    network: task.rules.net,
  });
  return {
    words: describeSandbox(sandbox, policy),
    wrap: (argv, { dataFolder }) =>
      sandboxArgv(
        sandbox,
        { ...policy, shown: [dataFolder], tmp: `${dataFolder}/tmp` },
        argv,
      ),
  };
}

/** What doesn't exist yet can't be hidden. Where it can't be made, the session will say so. */
async function makeSessionFolder(path: string, files: Files): Promise<void> {
  try {
    await files.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
}

function writablePaths(rules: Rules): readonly string[] {
  switch (rules.write.allow.kind) {
    case "all":
      return ["/"];
    case "list":
      return rules.write.allow.items;
    case "absent":
      return [];
  }
}

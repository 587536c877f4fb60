/**
 * What the calls of a task need: the folder beside the session, an edit that was cut off put right, the sandbox, the
 * gate. None of it is in a request, so it is loaded and opened while the first answer is awaited.
 */
import { SessionError } from "../errors.ts";
import { createPolicy } from "../permission/policy.ts";
import { dataNameOf } from "../session/find.ts";
import type { SessionLog } from "../session/records.ts";
import { FileError, type Files } from "../system/system.ts";
import { TOOLS } from "../tools/mod.ts";
import type { ToolWorld } from "../tools/tool.ts";
import { recoverJournal } from "../tools/transaction.ts";
import { createGate, type Gate } from "./gate.ts";
import { gatherFacts } from "./resolve.ts";
import type { CallSite } from "./settle.ts";
import type { TaskSettings, TaskWorld } from "./task.ts";

/** Where the calls of a task are settled. */
export interface Calls {
  readonly gate: Gate;
  /** The place for calls that `signal` cancels. */
  siteFor(signal: AbortSignal): CallSite;
}

/** Opens what calls need. Throws `ConfigError` where the sandbox that was asked for can't be had, `SessionError` without the folder. */
export async function openCalls(
  settings: TaskSettings,
  session: SessionLog,
  parts: { readonly world: TaskWorld; readonly dataFolder: string },
): Promise<Calls> {
  const { world } = parts;
  const sandbox = await world.openSandbox();
  const dataFolder = await makeDataFolder(parts.dataFolder, world.files);
  for (const notice of await recoverJournal(world.files, dataFolder)) {
    world.listen({ kind: "notice", message: notice });
  }
  const facts = await gatherFacts(world.files, settings.rules, {
    cwd: settings.cwd,
    env: settings.env,
    ownPaths: settings.ownPaths,
    foldCase: settings.platform === "darwin",
  });
  const gate = createGate({
    files: world.files,
    cwd: settings.cwd,
    path: settings.env.PATH ?? "",
    policy: createPolicy(settings.rules, facts),
    readCommand: world.readCommand,
    ...(world.approve ? { approve: world.approve } : {}),
    sandbox: (argv, rules) => sandbox.wrap(argv, { rules, dataFolder }),
  });
  const seen = new Map<string, string>();
  return {
    gate,
    siteFor: (signal) => ({
      tools: TOOLS,
      gate,
      session,
      signal,
      monotonic: () => world.clock.monotonic(),
      listen: world.listen,
      redact: settings.redactor.mask,
      toolWorld: (call, n, shell): ToolWorld => ({
        cwd: settings.cwd,
        files: world.files,
        processes: world.processes,
        clock: world.clock,
        env: settings.childEnv,
        callId: dataNameOf({ n, id: call.id }),
        spillDir: dataFolder,
        outputCap: settings.outputCap,
        signal,
        shell,
        killBackground: settings.killBackground,
        mayRead: gate.mayRead,
        seen,
        createMask: settings.redactor.createStream,
        onOutput: (text) => world.listen({ kind: "tool_output", id: call.id, text }),
      }),
    }),
  };
}

/** Makes the folder, and in it the one that is `/tmp` in the sandbox; its real path. */
async function makeDataFolder(path: string, files: Files): Promise<string> {
  try {
    await files.mkdir(`${path}/tmp`, { recursive: true, mode: 0o700 });
    return await files.realPath(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SessionError(error.message, { cause: error });
  }
}

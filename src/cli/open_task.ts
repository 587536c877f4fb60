/**
 * Settings → a task that takes prompts. The sandbox is tried by another process for some 10 ms; meanwhile the code of
 * a task is loaded, which takes about as long.
 */
import type { World } from "./command.ts";
import type { Face, OpenedTask } from "./face.ts";
import { openSandbox } from "./open_sandbox.ts";
import type { FaceSettings } from "./settings.ts";

/** Opens the task that `settings` describe; the listener hears of its start. */
export async function openFaceTask(
  settings: FaceSettings,
  world: World,
  face: Face,
): Promise<OpenedTask> {
  const [sandbox, { assembleTask }] = await Promise.all([
    openSandbox(settings, world),
    import("./assemble_task.ts"),
  ]);
  return await assembleTask(settings, face, { world, sandbox });
}

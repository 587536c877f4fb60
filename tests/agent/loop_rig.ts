/** The loop as its tests write answers and read requests. */
import type { Delta, JsonObject, ProtocolName } from "../../src/vocab.ts";
import { type Answer, callOf, type Rig, type RigOptions, withRig } from "../world.ts";

export const TEXT: ProtocolName = "ctl-heredoc";
export const run = (command: string, id = "c1") => callOf(id, "run", { command });
export const words = (text: string): Delta => ({ kind: "text", text });
export const finished = (text: string): Answer => ({ deltas: [words(text)] });

/** What the last request ends with: the user's side. */
export function lastUserText(rig: Rig, request = -1): string {
  const messages = rig.bodies.at(request)!.messages as JsonObject[];
  return String(messages.at(-1)!.content);
}

/** Runs the answers and gives the rig's end in short. */
export async function ended(
  answers: readonly Answer[],
  options: RigOptions = {},
): Promise<{ readonly end: JsonObject; readonly requests: number; readonly slept: number[] }> {
  let short: { end: JsonObject; requests: number; slept: number[] } | undefined;
  await withRig(answers, options, async (rig) => {
    const { outcome, message, text, steps } = await rig.run();
    short = {
      end: { outcome, message, text, steps },
      requests: rig.bodies.length,
      slept: [...rig.clock.slept],
    };
  });
  return short!;
}

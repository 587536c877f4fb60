/**
 * A program that does 20 numbered calls on a session, going on where it was killed: `worker.ts SESSION EFFECTS`.
 * The effect of a call is its number on a line of EFFECTS. Standard output gets a byte before each call.
 */
import { createSession, openSession } from "../../src/session/log.ts";
import { liveSession } from "../../src/session/conversation.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { header, message, result, runCall, writeMessage } from "./samples.ts";

const [path, effects] = Deno.args as [string, string];
const parts = { logFiles: createLogFiles(), clock: { now: () => Date.now() } };
const size = await Deno.stat(path).then(({ size }) => size, () => undefined);
const begun = size !== undefined && size > 0;
// Killed between making the file and its first record: no session yet.
if (size === 0) Deno.removeSync(path);
const opened = begun ? await openSession(path, parts) : createSession(path, header(), parts);
const session = liveSession(opened, writeMessage);
const done = session.turns().reduce(
  (sum, turn) => sum + (turn.kind === "assistant" ? turn.calls.length : 0),
  0,
);
for (let k = done; k < 20; k++) {
  Deno.stdout.writeSync(new Uint8Array([0x2e]));
  session.append({ kind: "call", call: runCall(`c${k}`) });
  await session.sync();
  Deno.writeTextFileSync(effects, `${k}\n`, { append: true });
  // Time to be killed in, between the effect and its record.
  await new Promise((resolve) => setTimeout(resolve, 3));
  session.append(result(`c${k}`, `effect ${k}\n`));
  if (k % 4 === 3) session.append(message(""));
}
await session.sync();
session.close();

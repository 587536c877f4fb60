/** Takes back what the last message with edits changed, and tells the session. */
import { SessionError } from "../errors.ts";
import { createProtocol } from "../protocol/mod.ts";
import { liveSession } from "../session/conversation.ts";
import { dataFolderOf } from "../session/find.ts";
import { foldRecords } from "../session/fold.ts";
import { openSession } from "../session/log.ts";
import type { NumberedRecord } from "../session/records.ts";
import type { LogFiles } from "../system/system.ts";
import type { ToolCall } from "../vocab.ts";
import { recoverJournal, TransactionError } from "../tools/transaction.ts";
import { undoEdits } from "../tools/undo.ts";
import type { World } from "./command.ts";

/**
 * Puts back what the last message that edited files changed; returns the paths, none where there is nothing to undo.
 * The session says so to the model with its next request. Nothing may write to the session meanwhile. Throws
 * `SessionError` when a file has changed since, and then changes nothing.
 */
export async function undoLastEdits(
  path: string,
  world: World & { readonly logFiles: LogFiles },
): Promise<readonly string[]> {
  const opened = await openSession(path, { logFiles: world.logFiles, clock: world.clock });
  try {
    const session = liveSession(opened, writerFor(opened.records));
    for (const notice of opened.notices) world.stderr(`${notice}\n`);
    const store = dataFolderOf(path);
    for (const notice of await recoverJournal(world.files, store)) world.stderr(`${notice}\n`);
    const paths = await undoEdits(world.files, store, sameMessage(opened.records));
    if (paths.length > 0) {
      session.append({
        kind: "user",
        text: `(I have undone the edits of your last message that made any: ${
          paths.join(", ")
        } are as they were before it.)`,
      });
      await session.sync();
    }
    return paths;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw new SessionError(error.message, { cause: error });
  } finally {
    opened.log.close();
  }
}

/** Writes text and calls in the words of the session's protocol. */
function writerFor(records: readonly NumberedRecord[]) {
  const protocol = createProtocol(foldRecords(records).settings()?.protocol ?? "");
  return (text: string, calls: readonly ToolCall[]): string =>
    (protocol?.encode(text, calls) ?? []).map((delta) => delta.kind === "text" ? delta.text : "")
      .join("");
}

/**
 * Tells whether an edit belongs to the message of the first edit that is asked about. Edits are kept under the number
 * of their `call` record and the call's id (`17-c1`), since ids are unique in their message only.
 */
function sameMessage(records: readonly NumberedRecord[]): (callId: string) => boolean {
  const messages = new Map<number, number>();
  let message = 0;
  for (const { n, kind } of records) {
    if (kind === "call") messages.set(n, message);
    else if (kind === "message" || kind === "user") message = n;
  }
  let meant: number | undefined;
  return (callId) => {
    const found = messages.get(Number(/^(\d+)-/.exec(callId)?.[1]));
    meant ??= found;
    return found !== undefined && found === meant;
  };
}

/** A session in use: what is appended to the file is folded at once into the turns of the next request. */
import type { ToolCall } from "../vocab.ts";
import { closingRecords, type Fold, foldRecords } from "./fold.ts";
import type { OpenedSession } from "./log.ts";
import type { SessionLog } from "./records.ts";

/** A log and the fold of all that is in it. */
export interface LiveSession extends SessionLog, Omit<Fold, "push"> {}

/**
 * The session that `opened` holds, ready to go on. Its last message is closed first, if the program ended inside it,
 * so that no call runs again; `write` puts text and calls in the protocol's own words (the text of its `encode`).
 * What is folded is what is written, secrets masked, so a resumed session reads the same.
 */
export function liveSession(
  opened: OpenedSession,
  write: (text: string, calls: readonly ToolCall[]) => string,
): LiveSession {
  const fold = foldRecords(opened.records);
  const session: LiveSession = {
    ...opened.log,
    ...fold,
    append(record) {
      const masked = opened.mask(record);
      const n = opened.log.append(masked);
      fold.push({ ...masked, n });
      return n;
    },
  };
  const open = fold.open();
  if (open) { for (const record of closingRecords(open, write)) session.append(record); }
  return session;
}

/** Takes edits back from their pre-images, exactly or not at all. */
import type { Files } from "../system/system.ts";
import {
  type EditSet,
  type FileChange,
  isAfter,
  type JournalEntry,
  listEdits,
  readBefore,
  readJournal,
  readSnapshot,
} from "./journal.ts";
import { commitChanges, removeIfThere, TransactionError } from "./transaction.ts";

/**
 * Takes back the newest edits in `store` whose call belongs to the message that is meant, newest first and as one set:
 * from the last edit back to the first that doesn't belong or is undone already. Returns the paths that were put back;
 * none where there was nothing to undo. Throws `TransactionError`, and changes nothing, when a file is no longer as
 * the edit left it.
 */
export async function undoEdits(
  files: Files,
  store: string,
  belongs: (callId: string) => boolean,
): Promise<string[]> {
  const sets: EditSet[] = [];
  for (const set of (await listEdits(files, store)).toReversed()) {
    if (set.state === "undone") continue;
    if (set.state !== "done" || !belongs(set.callId)) break;
    sets.push(set);
  }
  if (sets.length === 0) return [];
  const changes = new Map<string, FileChange>();
  const folders: string[] = [];
  for (const set of sets) {
    const journal = await readJournal(files, set);
    folders.push(...journal.folders.toReversed());
    for (const entry of journal.entries) await addReverse(files, { set, entry, changes });
  }
  const undone = await commitChanges(files, [...changes.values()], { store, callId: "undo" });
  for (const folder of [undone, ...sets.map((set) => set.folder)]) {
    await files.rename(`${folder}/done.json`, `${folder}/undone.json`);
  }
  for (const folder of folders) await removeIfThere(files, folder);
  return [...changes.values()].map((change) => change.path);
}

interface Reverse {
  readonly set: EditSet;
  readonly entry: JournalEntry;
  readonly changes: Map<string, FileChange>;
}

/** Adds the reverse of one entry to what newer entries have undone. */
async function addReverse(files: Files, { set, entry, changes }: Reverse): Promise<void> {
  const { path, target } = entry;
  const known = changes.get(target);
  const now = known ? known.after : await readSnapshot(files, target);
  if (!await isAfter(now, entry)) {
    throw new TransactionError(
      `Cannot undo the edit of "${path}": the file has changed since. Nothing was changed`,
    );
  }
  const after = await readBefore(files, set.folder, entry);
  changes.set(target, { path, target, before: known ? known.before : now, after });
}

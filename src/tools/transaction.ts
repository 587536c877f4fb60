/**
 * Writes the changes of several files, all or none (SPEC 6).
 *
 * The order keeps this promise even when the program is killed at any point: (1) old bytes and journal, synced;
 * (2) folders; (3) temporary files beside their targets, synced; (4) every target compared with what it was when the
 * changes were worked out; (5) renames, then deletions, each folder synced; (6) the journal's rename, the commit.
 * A failure before (6) puts everything back at once; a crash leaves an open journal, from which
 * {@linkcode recoverJournal} does it.
 */
import { FileError, type Files } from "../system/system.ts";
import {
  type EditSet,
  type FileChange,
  isAfter,
  type Journal,
  type JournalEntry,
  listEdits,
  openSet,
  readBefore,
  readJournal,
  readSnapshot,
  removeSet,
  sameSnapshot,
  sha256Of,
  type Snapshot,
} from "./journal.ts";

/** The changes were not made, and what was begun was put back (or not: the message says so). */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
}

/** Where the pre-images of a set of edits are kept. */
export interface Keeping {
  /** Absolute; made when it doesn't exist. */
  readonly store: string;
  readonly callId: string;
}

/**
 * Makes all changes or none. Returns the folder that keeps the pre-images. Throws `TransactionError` with a sentence
 * for the model when a target has changed meanwhile or the system refuses.
 */
export async function commitChanges(
  files: Files,
  changes: readonly FileChange[],
  keeping: Keeping,
): Promise<string> {
  const folder = await attempt(() => openSet(files, keeping.store, keeping.callId));
  let journal: Journal | undefined;
  const written = new Set<string>();
  try {
    journal = await writeJournal(files, changes, { folder, callId: keeping.callId });
    await makeChanges(files, changes, { journal, written });
    await files.rename(`${folder}/open.json`, `${folder}/done.json`);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const back = await putBack(files, folder, { journal, written });
    throw new TransactionError(`${cause}. ${back}`, { cause: error });
  }
  // The files themselves are synced; were this lost with the power, the next start would put back the old state.
  await files.syncDir(folder).catch(() => {});
  return folder;
}

async function attempt<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new TransactionError(`${cause}. Nothing was changed`, { cause: error });
  }
}

/** Undoes what the failed set began; says how that went. */
async function putBack(
  files: Files,
  folder: string,
  { journal, written }: { readonly journal: Journal | undefined; readonly written: Set<string> },
): Promise<string> {
  try {
    const foreign = journal ? await restore(files, folder, journal) : [];
    const left = foreign.filter(({ target }) => written.has(target)).map(({ path }) => path);
    await closeSet(files, folder, left);
    if (left.length === 0) return "Nothing was changed";
    return `Not put back, because others changed them: ${left.join(", ")}`;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return `Putting back failed too (${cause}): the next start will try again`;
  }
}

/** A set that was put back whole is no longer needed; of another one the old bytes are kept. */
async function closeSet(files: Files, folder: string, left: readonly string[]): Promise<void> {
  if (left.length === 0) await removeSet(files, folder);
  else await files.rename(`${folder}/open.json`, `${folder}/undone.json`);
}

async function exists(files: Files, path: string): Promise<boolean> {
  try {
    await files.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return false;
    throw error;
  }
}

interface SetName {
  readonly folder: string;
  readonly callId: string;
}

async function writeJournal(
  files: Files,
  changes: readonly FileChange[],
  { folder, callId }: SetName,
): Promise<Journal> {
  const entries: JournalEntry[] = [];
  const set = (await sha256Of(new TextEncoder().encode(folder))).slice(0, 10);
  for (const [index, { path, target, before, after }] of changes.entries()) {
    const file = `before-${index}`;
    if (before) await files.createSynced(`${folder}/${file}`, before.bytes, 0o600);
    entries.push({
      path,
      target,
      before: before && { mode: before.mode, file },
      after: after && { mode: after.mode, sha256: await sha256Of(after.bytes) },
      temporary: temporaryName(target, set, index),
    });
  }
  const folders = await missingFolders(files, changes);
  const journal: Journal = { version: 1, callId, folders, entries };
  const bytes = new TextEncoder().encode(`${JSON.stringify(journal, null, 1)}\n`);
  // Renamed when it is whole: half a journal must not look like one.
  await files.createSynced(`${folder}/journal.tmp`, bytes, 0o600);
  await files.rename(`${folder}/journal.tmp`, `${folder}/open.json`);
  await files.syncDir(folder);
  await files.syncDir(parentOf(folder));
  return journal;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Beside the target, so that the rename stays on one disk; short, so that a long name has room; no other set's. */
function temporaryName(target: string, set: string, index: number): string {
  return `${parentOf(target)}/.cst-${set}-${index}.tmp`;
}

/** The folders above the new files that don't exist yet, outermost first. */
async function missingFolders(files: Files, changes: readonly FileChange[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const { target, after } of changes) {
    if (!after) continue;
    const above: string[] = [];
    for (let folder = parentOf(target); !missing.has(folder); folder = parentOf(folder)) {
      if (await exists(files, folder)) break;
      above.unshift(folder);
    }
    for (const folder of above) missing.add(folder);
  }
  return [...missing];
}

async function makeChanges(
  files: Files,
  changes: readonly FileChange[],
  { journal, written }: { readonly journal: Journal; readonly written: Set<string> },
): Promise<void> {
  for (const folder of journal.folders) await files.mkdir(folder);
  for (const [index, { path, after }] of changes.entries()) {
    const { temporary } = journal.entries[index]!;
    if (after) {
      await naming(path, () => files.createSynced(temporary, after.bytes, after.mode));
    }
  }
  for (const change of changes) await compare(files, change);
  const touched = new Set<string>(journal.folders.map(parentOf));
  for (const [index, { path, target, after }] of changes.entries()) {
    if (!after) continue;
    const { temporary } = journal.entries[index]!;
    written.add(target);
    await naming(path, () => files.rename(temporary, target));
    touched.add(parentOf(target));
  }
  for (const { path, target, after } of changes) {
    if (after) continue;
    written.add(target);
    await naming(path, () => files.remove(target));
    touched.add(parentOf(target));
  }
  for (const folder of touched) await files.syncDir(folder);
}

/** The error speaks of the file that was meant, not of the temporary one. */
async function naming(path: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const why = error.message.slice(error.message.indexOf('": ') + 3);
    throw new FileError(error.code, path, `Cannot write "${path}": ${why}`, { cause: error });
  }
}

/** Notices a file that changed, or a link that was put in its way, since the change was worked out. */
async function compare(files: Files, { path, target, before }: FileChange): Promise<void> {
  const folder = parentOf(target);
  const same = await files.realPath(folder) === folder &&
    sameSnapshot(await readSnapshot(files, target), before);
  if (!same) {
    throw new TransactionError(`"${path}" was changed by someone else meanwhile: read it again`);
  }
}

/**
 * Puts back what a journal names, wherever the file is as the edits left it; safe to be cut off and begun again.
 * Returns the entries whose files are neither as they were nor as the edits left them; those are left alone.
 */
async function restore(files: Files, folder: string, journal: Journal): Promise<JournalEntry[]> {
  const left: JournalEntry[] = [];
  const touched = new Set<string>();
  for (const entry of journal.entries.toReversed()) {
    await removeIfThere(files, entry.temporary);
    const now = await readAnything(files, entry.target);
    const before = await readBefore(files, folder, entry);
    if (now !== "other" && sameSnapshot(now, before)) continue;
    if (now === "other" || !await isAfter(now, entry)) {
      left.push(entry);
      continue;
    }
    if (before) {
      await files.createSynced(entry.temporary, before.bytes, before.mode);
      await files.rename(entry.temporary, entry.target);
    } else await files.remove(entry.target);
    touched.add(parentOf(entry.target));
  }
  for (const made of journal.folders.toReversed()) {
    if (await removeIfThere(files, made)) touched.add(parentOf(made));
    touched.delete(made);
  }
  for (const each of touched) await files.syncDir(each);
  return left;
}

async function readAnything(files: Files, target: string): Promise<Snapshot | null | "other"> {
  try {
    return await readSnapshot(files, target);
  } catch (error) {
    if (error instanceof FileError && error.code === "EISDIR") return "other";
    throw error;
  }
}

/** Removes a file or an empty folder; a folder that others have put something into stays. */
export async function removeIfThere(files: Files, path: string): Promise<boolean> {
  try {
    await files.remove(path);
    return true;
  } catch (error) {
    const known = ["ENOENT", "ENOTDIR", "ENOTEMPTY"];
    if (error instanceof FileError && known.includes(error.code)) return false;
    throw error;
  }
}

/**
 * Finishes the rollback of edits that a crash cut off, and clears away what never began. Returns one sentence for each
 * set that was or couldn't be put back, for the user; nothing where all was well. Call it before the store is used
 * again.
 */
export async function recoverJournal(files: Files, store: string): Promise<string[]> {
  const notices: string[] = [];
  for (const set of await listEdits(files, store)) {
    if (set.state === "started") await removeSet(files, set.folder);
    if (set.state === "open") notices.push(await recoverSet(files, set));
  }
  return notices;
}

async function recoverSet(files: Files, set: EditSet): Promise<string> {
  try {
    const journal = await readJournal(files, set);
    const left = (await restore(files, set.folder, journal)).map((entry) => entry.path);
    await closeSet(files, set.folder, left);
    const names = journal.entries.map((entry) => `"${entry.path}"`).join(", ");
    const others = left.length > 0
      ? `; changed by others since and left alone: ${left.join(", ")}`
      : "";
    return `Put back an edit that was cut off: ${names}${others}`;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return `Cannot put back the edit that was cut off, kept in "${set.folder}": ${cause}`;
  }
}

/**
 * What a set of edits was: kept on disk before the first byte of the project changes.
 *
 * ```text
 * STORE/edits/000001-CALL/before-0 before-1 …   the old bytes of each changed file, synced
 * STORE/edits/000001-CALL/open.json             the journal while the edits are being made
 * STORE/edits/000001-CALL/done.json             the same file, renamed: that rename is the commit
 * STORE/edits/000001-CALL/undone.json           renamed again when the edits were taken back
 * ```
 *
 * A set without any of the three never touched the project.
 */
import { FileError, type Files } from "../system/system.ts";

/** The content and permission bits of a file. */
export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** One file that becomes another; `null` is "no file". */
export interface FileChange {
  /** As the user or model named it. */
  readonly path: string;
  /** Absolute, links resolved: where the bytes are. */
  readonly target: string;
  readonly before: Snapshot | null;
  readonly after: Snapshot | null;
}

/** A {@linkcode FileChange} as the journal names it. */
export interface JournalEntry {
  readonly path: string;
  readonly target: string;
  /** `file` is the name of the pre-image in the set's folder. */
  readonly before: { readonly mode: number; readonly file: string } | null;
  readonly after: { readonly mode: number; readonly sha256: string } | null;
  /** The temporary file beside the target. */
  readonly temporary: string;
}

/** The journal of one set of edits. */
export interface Journal {
  readonly version: 1;
  readonly callId: string;
  /** Folders that the edits make, outermost first. */
  readonly folders: readonly string[];
  readonly entries: readonly JournalEntry[];
}

/** How far a set of edits is; `started` means that only pre-images were written. */
export type EditState = "started" | "open" | "done" | "undone";

/** One set of edits in the store. */
export interface EditSet {
  readonly folder: string;
  /** Counts the sets of a store from 1. */
  readonly number: number;
  readonly callId: string;
  readonly state: EditState;
}

const NAME = /^(\d{6})-(.*)$/;

/** Every set of edits in `store`, oldest first; none where there is no store. */
export async function listEdits(files: Files, store: string): Promise<EditSet[]> {
  const root = `${store}/edits`;
  const sets: EditSet[] = [];
  for (const { name, kind } of await readDirOrNothing(files, root)) {
    const match = NAME.exec(name);
    if (kind !== "directory" || !match) continue;
    const folder = `${root}/${name}`;
    const names = (await files.readDir(folder)).map((entry) => entry.name);
    const state = (["open", "undone", "done"] as const)
      .find((each) => names.includes(`${each}.json`)) ?? "started";
    sets.push({ folder, number: Number(match[1]), callId: match[2]!, state });
  }
  return sets.sort((a, b) => a.number - b.number);
}

async function readDirOrNothing(files: Files, path: string) {
  try {
    return await files.readDir(path);
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Makes the folder of the next set of edits. */
export async function openSet(files: Files, store: string, callId: string): Promise<string> {
  await files.mkdir(`${store}/edits`, { recursive: true, mode: 0o700 });
  const last = (await listEdits(files, store)).at(-1)?.number ?? 0;
  const safe = callId.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 64);
  const folder = `${store}/edits/${String(last + 1).padStart(6, "0")}-${safe}`;
  await files.mkdir(folder, { mode: 0o700 });
  return folder;
}

/** The journal of a set that is open, done or undone. */
export async function readJournal(files: Files, set: EditSet): Promise<Journal> {
  const bytes = await files.readFile(`${set.folder}/${set.state}.json`);
  return JSON.parse(new TextDecoder().decode(bytes)) as Journal;
}

/** Takes a set's folder away; the journal goes first, so that half a folder is never taken for an open set. */
export async function removeSet(files: Files, folder: string): Promise<void> {
  const names = (await files.readDir(folder)).map((entry) => entry.name);
  names.sort((a, b) => Number(b.endsWith(".json")) - Number(a.endsWith(".json")));
  for (const name of names) await files.remove(`${folder}/${name}`);
  await files.remove(folder);
}

/** The file at `target` now, or `null` where there is none. Throws `FileError` for anything but a regular file. */
export async function readSnapshot(files: Files, target: string): Promise<Snapshot | null> {
  try {
    const info = await files.lstat(target);
    if (info.kind !== "file") {
      throw new FileError("EISDIR", target, `Cannot read "${target}": it is not a regular file`);
    }
    return { bytes: await files.readFile(target), mode: info.mode };
  } catch (error) {
    if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return null;
    }
    throw error;
  }
}

/** Are the two the same file content and mode, or both no file? */
export function sameSnapshot(a: Snapshot | null, b: Snapshot | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && a.bytes.length === b.bytes.length &&
    a.bytes.every((byte, at) => byte === b.bytes[at]);
}

/** The SHA-256 of the bytes, in hex. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Is the file as the entry's edit left it? */
export async function isAfter(now: Snapshot | null, { after }: JournalEntry): Promise<boolean> {
  if (now === null || after === null) return now === after;
  return now.mode === after.mode && await sha256Of(now.bytes) === after.sha256;
}

/** What the entry's file was before its edit. */
export async function readBefore(
  files: Files,
  folder: string,
  { before }: JournalEntry,
): Promise<Snapshot | null> {
  return before &&
    { bytes: await files.readFile(`${folder}/${before.file}`), mode: before.mode };
}

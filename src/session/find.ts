/** Sessions in their folder: their ids, the list of them, and the one that is meant. */
import { SessionError } from "../errors.ts";
import { type Clock, type FileEnds, FileError, type LogFiles } from "../system/system.ts";
import type { SessionRecord, StoredRecord } from "./records.ts";

/** Enough of a file's start for its header (with a system prompt of the usual size) and the first question. */
const END_BYTES = 65_536;
/** A header with a longer system prompt is looked for in this much. */
const LONG_HEAD_BYTES = 4 * 1024 * 1024;
/** Characters of the first question that make a title. */
const TITLE_LENGTH = 80;

/** A session as the list shows it. */
export interface SessionInfo {
  readonly id: string;
  readonly path: string;
  readonly header: SessionRecord & { kind: "header" };
  /** The time of its first and last record, ISO 8601. */
  readonly started: string;
  readonly ended: string;
  readonly records: number;
  /** The start of the first question, on one line; empty without one. */
  readonly title: string;
  readonly bytes: number;
}

/** What is in the folder. */
export interface SessionList {
  /** The newest first. */
  readonly sessions: readonly SessionInfo[];
  /** Files without a readable header. */
  readonly unreadable: readonly string[];
  /** Why files can't be read at all, a sentence each. */
  readonly refused: readonly string[];
}

/**
 * A new session's id: ids sort by time.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const clock = { now: () => Date.UTC(2026, 11, 1, 2, 30, 5), random: () => 0.5 };
 * assertEquals(newSessionId(clock), "20261201-023005-800000");
 * ```
 */
export function newSessionId(clock: Pick<Clock, "now" | "random">): string {
  const [date, time] = new Date(clock.now()).toISOString().slice(0, 19).replace(/[-:]/g, "").split(
    "T",
  );
  const chance = Math.floor(clock.random() * 0x1000000).toString(16).padStart(6, "0");
  return `${date}-${time}-${chance}`;
}

/** The file of the session `id` in `folder`. */
export function sessionPath(folder: string, id: string): string {
  return `${folder}/${id}.jsonl`;
}

/** Where whole outputs and pre-images of a session's edits are kept, beside its file. */
export function dataFolderOf(path: string): string {
  return path.replace(/\.jsonl$/, ".data");
}

/** The name under which a call's output and edits are kept there: ids are unique in their message only, record numbers in the session. */
export function dataNameOf(call: { readonly n: number; readonly id: string }): string {
  return `${call.n}-${call.id}`;
}

/** The sessions of `folder`, read from the two ends of each file. Throws `SessionError` where the folder can't be read. */
export function listSessions(folder: string, logFiles: LogFiles): SessionList {
  const sessions: SessionInfo[] = [];
  const unreadable: string[] = [];
  const refused: string[] = [];
  for (const id of sessionIds(folder, logFiles)) {
    const path = sessionPath(folder, id);
    const ends = readEnds(path, logFiles);
    if (ends instanceof FileError) {
      refused.push(ends.message);
      continue;
    }
    // A program that was killed before its first record leaves an empty file, which is no session yet.
    if (ends.size === 0) continue;
    const info = infoOf(ends, path, id);
    if (info) sessions.push(info);
    else unreadable.push(path);
  }
  return { sessions: sessions.sort(newestFirst), unreadable, refused };
}

/** The session to go on with in `cwd`: the newest of that folder, else the newest of all. */
export function newestSession(list: SessionList, cwd: string): SessionInfo | undefined {
  return list.sessions.find(({ header }) => header.cwd === cwd) ?? list.sessions[0];
}

/**
 * The file of the session whose id is `id` or, alone, begins with it. Throws `SessionError` when there is none (naming
 * the nearest) or more than one.
 */
export function findSession(folder: string, id: string, logFiles: LogFiles): string {
  const ids = sessionIds(folder, logFiles).sort();
  const matching = ids.includes(id) ? [id] : ids.filter((each) => id !== "" && each.startsWith(id));
  if (matching.length === 1) return sessionPath(folder, matching[0]!);
  if (matching.length > 1) {
    throw new SessionError(
      `Cannot tell which session "${id}" is: it may be "${matching[0]}" or "${matching[1]}"`,
    );
  }
  const near = nearestId(id, ids);
  const hint = near === undefined ? `there is none in "${folder}"` : `the nearest is "${near}"`;
  throw new SessionError(`Cannot find the session "${id}": ${hint}`);
}

function sessionIds(folder: string, logFiles: LogFiles): string[] {
  try {
    return logFiles.names(folder).filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.slice(0, -".jsonl".length));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SessionError(`${error.message} (--session-dir names another folder)`);
  }
}

/** The id that has the most in common with `id`: from its start and, for ids that are typed from memory, from its end. */
function nearestId(id: string, ids: readonly string[]): string | undefined {
  const scored = ids.map((each) => ({
    each,
    score: commonStart(id, each) + commonStart(backwards(id), backwards(each)),
  }));
  return scored.sort((a, b) => b.score - a.score || (a.each < b.each ? 1 : -1))[0]?.each;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function backwards(text: string): string {
  return [...text].reverse().join("");
}

function newestFirst(a: SessionInfo, b: SessionInfo): number {
  return a.ended === b.ended ? (a.id < b.id ? 1 : -1) : a.ended < b.ended ? 1 : -1;
}

/** The two ends of the file; the error where the system doesn't give them. */
function readEnds(path: string, logFiles: LogFiles): FileEnds | FileError {
  try {
    const ends = logFiles.readEnds(path, END_BYTES);
    const headerIsLonger = ends.size > END_BYTES && !ends.head.includes(0x0a);
    return headerIsLonger ? logFiles.readEnds(path, LONG_HEAD_BYTES) : ends;
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
}

function infoOf(ends: FileEnds, path: string, id: string): SessionInfo | undefined {
  const [first, ...rest] = linesOf(ends.head).slice(0, -1);
  const header = parseRecord(first);
  if (header?.kind !== "header") return undefined;
  const question = rest.map(parseRecord).find((record) => record?.kind === "user");
  const last = lastRecord(ends);
  return {
    id,
    path,
    header,
    started: header.time,
    // A last record longer than what was read of the end: the file's own time tells.
    ended: last?.time ?? new Date(ends.mtimeMs).toISOString(),
    records: last?.n ?? 0,
    title: question?.kind === "user" ? titleOf(question.text) : "",
    bytes: ends.size,
  };
}

/** The last whole record that stands in the end of the file. */
function lastRecord(ends: FileEnds): StoredRecord | undefined {
  const lines = linesOf(ends.tail);
  for (let at = lines.length - 2; at >= 0; at--) {
    const record = parseRecord(lines[at]);
    if (record) return record;
  }
  return undefined;
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n");
}

function parseRecord(line: string | undefined): StoredRecord | undefined {
  try {
    const value = JSON.parse(line ?? "") as Partial<StoredRecord> | null;
    return typeof value?.kind === "string" ? value as StoredRecord : undefined;
  } catch {
    return undefined;
  }
}

function titleOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}

/**
 * The session file, open for writing (SPEC 7): one writer, one write a record, nothing half-written left behind.
 *
 * When a record can't be written whole, the file is cut back to its last whole record and the log is over: every later
 * `append` throws too, so nothing can be done that isn't recorded. A failed sync is just as final, since the system may
 * have dropped what it couldn't write.
 */
import { SessionError } from "../errors.ts";
import { type Clock, FileError, type LogFile, type LogFiles } from "../system/system.ts";
import { encodeLine, type Fault, type LinesRead, readLines } from "./lines.ts";
import {
  type NumberedRecord,
  SESSION_VERSION,
  type SessionLog,
  type SessionRecord,
} from "./records.ts";

/** What a log works with. */
export interface LogParts {
  readonly logFiles: LogFiles;
  readonly clock: Pick<Clock, "now">;
  /** Masks what must not be written (redact.ts); the log itself writes what it's given, `liveSession` masks. */
  mask?(record: SessionRecord): SessionRecord;
}

/** What the header says besides its version. */
export type HeaderFields = Omit<SessionRecord & { kind: "header" }, "kind" | "version">;

/**
 * The new session file `path`, its header written; both are on the disk with the first `sync`, since until a call runs
 * nothing hangs on them. Throws `SessionError` when the file exists or can't be written.
 */
export function createSession(
  path: string,
  header: HeaderFields,
  parts: LogParts,
): OpenedSession {
  const file = withCause("Cannot start a session", () => {
    parts.logFiles.makeFolder(path.slice(0, path.lastIndexOf("/")) || "/");
    return parts.logFiles.create(path);
  });
  try {
    lock(file, path);
    const start = { id: header.id, path, parts, records: 0, crc: 0, size: 0, nameIsNew: true };
    const log = createLog(file, start);
    const mask = parts.mask ?? same;
    const record = mask({ kind: "header", version: SESSION_VERSION, ...header });
    const n = log.append(record);
    return { log, records: [{ ...record, n }], notices: [], mask };
  } catch (error) {
    file.close();
    throw sessionError("Cannot start a session", error);
  }
}

/** A session that was just made, or goes on; `liveSession` makes it usable. */
export interface OpenedSession {
  readonly log: SessionLog;
  readonly records: readonly NumberedRecord[];
  /** What the user must be told once: a line that was cut off. */
  readonly notices: readonly string[];
  mask(record: SessionRecord): SessionRecord;
}

function same(record: SessionRecord): SessionRecord {
  return record;
}

/**
 * Opens the session file `path` to go on with it. A torn last line is moved to `path.broken` and announced. Throws
 * `SessionError` when another process writes to it, when it's damaged elsewhere (unless `repair`, which moves all from
 * the damaged line on to `path.broken`), or when it's of a newer format.
 */
export async function openSession(
  path: string,
  parts: LogParts,
  options: { readonly repair?: boolean } = {},
): Promise<OpenedSession> {
  const file = withCause("Cannot go on with the session", () => parts.logFiles.open(path));
  try {
    lock(file, path);
    const bytes = file.readAll();
    const read = readLines(bytes);
    const notices = read.fault
      ? [await cutOff(read, file, { path, parts, ...options, bytes })]
      : [];
    const [header] = read.records;
    if (header?.kind !== "header") throw new SessionError(`Cannot read "${path}": it is empty`);
    const { records, crc } = read;
    const start = { id: header.id, path, parts, records: records.length, crc, size: file.size() };
    return { log: createLog(file, start), records, notices, mask: parts.mask ?? same };
  } catch (error) {
    file.close();
    throw sessionError("Cannot go on with the session", error);
  }
}

function lock(file: LogFile, path: string): void {
  if (file.tryLock()) return;
  throw new SessionError(`Cannot use the session "${path}": another process is writing to it`);
}

interface CutContext {
  readonly path: string;
  readonly parts: LogParts;
  readonly bytes: Uint8Array;
  readonly repair?: boolean;
}

/** Moves all from the fault on to `….broken`; returns the sentence that says so. Every torn piece there is a line of its own. */
async function cutOff(read: LinesRead, file: LogFile, context: CutContext): Promise<string> {
  const { path, bytes, parts } = context;
  const fault = read.fault!;
  if (read.records.length === 0 || fault.newer || !(fault.torn || context.repair)) {
    throw new SessionError(damageSentence(path, fault, read.records.length > 0));
  }
  const left = bytes.subarray(fault.at);
  const piece = left.at(-1) === 0x0a ? left : new Uint8Array([...left, 0x0a]);
  const broken = parts.logFiles.openOrCreate(`${path}.broken`);
  try {
    const size = broken.size();
    if (broken.write(piece) !== piece.length) {
      broken.truncate(size);
      throw new SessionError(`Cannot repair "${path}": no room for what is cut off`);
    }
    await broken.syncData();
  } finally {
    broken.close();
  }
  file.truncate(fault.at);
  await file.syncData();
  const kept = `"${path}.broken" keeps it`;
  return fault.torn
    ? `The last record of the session was not written to its end and is cut off (line ${fault.line}, ${left.length} bytes): ${kept}`
    : `The session is cut off before line ${fault.line} (${left.length} bytes): ${kept}`;
}

/** The sentence for the user about a file that isn't whole. */
export function damageSentence(path: string, fault: Fault, repairable: boolean): string {
  if (fault.newer) return `Cannot read the session "${path}": ${fault.why}`;
  const advice = repairable && !fault.torn ? ` ("--repair" keeps what is before it)` : "";
  return `Cannot trust line ${fault.line} of the session "${path}": ${fault.why}${advice}`;
}

interface Start {
  readonly id: string;
  readonly path: string;
  readonly parts: LogParts;
  readonly records: number;
  readonly crc: number;
  readonly size: number;
  /** The file's name may not be on the disk yet. */
  readonly nameIsNew?: boolean;
}

function createLog(file: LogFile, start: Start): SessionLog {
  const { id, path, parts } = start;
  let { records, crc, size } = start;
  let unsynced = false;
  let nameIsNew = start.nameIsNew ?? false;
  let over: SessionError | undefined;

  function end(message: string, cause?: unknown): SessionError {
    over = new SessionError(message, cause === undefined ? {} : { cause });
    return over;
  }

  /** Undoes a write that failed; returns why the log is over. */
  function cutBack(why: string, cause?: unknown): SessionError {
    try {
      file.truncate(size);
      return end(`Cannot write the session "${path}": ${why}`, cause);
    } catch (error) {
      return end(`Cannot write the session "${path}" nor cut it back: ${why}`, error);
    }
  }

  return {
    id,
    path,
    append(record) {
      if (over) throw over;
      const time = new Date(parts.clock.now()).toISOString();
      const place = { n: records + 1, time, previousCrc: crc };
      const line = encodeLine(record, place);
      let taken: number;
      try {
        taken = file.write(line.bytes);
      } catch (error) {
        throw cutBack(causeOf(error), error);
      }
      if (taken !== line.bytes.length) {
        throw cutBack(`the disk took ${taken} of ${line.bytes.length} bytes (is it full?)`);
      }
      size += taken;
      crc = line.crc;
      unsynced = true;
      return ++records;
    },
    async sync() {
      if (over) throw over;
      if (!unsynced) return;
      unsynced = false;
      try {
        await file.syncData();
        if (nameIsNew) await parts.logFiles.syncFolderOf(path);
        nameIsNew = false;
      } catch (error) {
        throw end(`Cannot bring the session "${path}" to the disk: ${causeOf(error)}`, error);
      }
    },
    close() {
      over ??= new SessionError(`Cannot write the session "${path}": it is closed`);
      file.close();
    },
  };
}

/** The cause behind the colon of a file error's sentence, which names the path already. */
function causeOf(error: unknown): string {
  if (!(error instanceof FileError)) return String(error);
  return error.message.slice(error.message.indexOf(`": `) + 3);
}

function sessionError(action: string, error: unknown): unknown {
  if (!(error instanceof FileError)) return error;
  return new SessionError(`${action} "${error.path}": ${causeOf(error)}`, { cause: error });
}

function withCause<T>(action: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw sessionError(action, error);
  }
}

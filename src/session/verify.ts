/** Checks that a session file is what was appended to it, record by record. */
import { readLines } from "./lines.ts";
import { damageSentence } from "./log.ts";
import { foldRecords } from "./fold.ts";
import { FileError, type LogFiles } from "../system/system.ts";
import { SessionError } from "../errors.ts";
import type { StoredRecord } from "./records.ts";

/** What was found. */
export interface Verification {
  readonly records: number;
  /** Calls without a result: the program ended while they ran, and nobody has gone on since. */
  readonly openCalls: readonly string[];
  /** One sentence about the first line that can't be trusted; undefined when every line fits its neighbours. */
  readonly fault?: string;
}

/** A session that is only looked at, up to its first fault. */
export interface SessionView {
  readonly records: readonly StoredRecord[];
  readonly fault?: string;
}

/** Reads the session at `path` without a lock, so that one in use can be looked at. Throws `SessionError` when it can't be read at all. */
export function readSession(path: string, logFiles: LogFiles): SessionView {
  const read = readLines(readBytes(path, logFiles));
  return {
    records: read.records,
    ...(read.fault ? { fault: damageSentence(path, read.fault, read.records.length > 0) } : {}),
  };
}

/** Verifies the session at `path`. */
export function verifySession(path: string, logFiles: LogFiles): Verification {
  const { records, fault } = readSession(path, logFiles);
  const open = foldRecords(records).open();
  return {
    records: records.length,
    openCalls: (open?.calls ?? []).slice(open?.results.length ?? 0).map(({ id }) => id),
    ...(fault === undefined ? {} : { fault }),
  };
}

function readBytes(path: string, logFiles: LogFiles): Uint8Array {
  try {
    return logFiles.readEnds(path, Number.MAX_SAFE_INTEGER).head;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SessionError(error.message, { cause: error });
  }
}

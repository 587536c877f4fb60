/**
 * What was sent in earlier chats, for the Up key: one file beside the sessions, mode 0600.
 *
 * ```
 * file  = *line                                       ; the oldest first
 * line  = { "cwd": folder, "text": message } LF       ; one write; a line that can't be read is passed over
 * ```
 */
import { FileError, type LogFile, type LogFiles } from "../../system/system.ts";
import type { JsonObject } from "../../vocab.ts";

/** A larger file is cut back when a chat starts. */
const MOST_BYTES = 1_048_576;
/** Then so much of its end is kept. */
const KEPT_BYTES = MOST_BYTES / 2;
const LINE_FEED = 10;
/** A longer message (a paste, mostly) is not worth its room, in characters. */
const LONGEST = 16_384;

/** What was sent before, in this folder. */
export interface History {
  /** The newest last. */
  readonly before: readonly string[];
  /** Keeps a message; one that begins with a blank is the person's own business. */
  add(text: string): void;
}

/** Where a history is kept, and how. */
export interface HistoryPlace {
  readonly path: string;
  /** Only what was sent in this folder is recalled. */
  readonly cwd: string;
  readonly logFiles: LogFiles;
  /** Takes secrets out. */
  mask(text: string): string;
  /** Hears, once, why nothing can be kept. */
  failed(why: string): void;
}

/** The history in the file `place.path`, which is made where there is none. */
export function openHistory(place: HistoryPlace): History {
  let broken = false;

  /** Never the end of a chat: what can't be kept is told and forgotten. */
  function withFile<T>(work: (file: LogFile) => T, otherwise: T): T {
    if (broken) return otherwise;
    try {
      const file = place.logFiles.openOrCreate(place.path);
      try {
        return work(file);
      } finally {
        file.close();
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      broken = true;
      place.failed(`What you send is not kept for the next chat: ${error.message}`);
      return otherwise;
    }
  }

  const lines = withFile(readLines, []);
  let last = "";
  return {
    before: lines.flatMap((line) => messageIn(line, place.cwd)),
    add(text) {
      if (/^\s/.test(text) || text === last || text.length > LONGEST) return;
      last = text;
      withFile((file) => append(file, { cwd: place.cwd, text: place.mask(text) }), undefined);
    },
  };
}

/** The lines of the file; one that has grown too large is cut back. */
function readLines(file: LogFile): readonly string[] {
  const bytes = file.readAll();
  // Another chat that starts this very moment cuts it back.
  if (bytes.length <= MOST_BYTES || !file.tryLock()) return linesOf(bytes);
  const end = bytes.subarray(bytes.length - KEPT_BYTES);
  const kept = end.subarray(end.indexOf(LINE_FEED) + 1);
  file.truncate(0);
  file.write(kept);
  return linesOf(kept);
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n");
}

function append(file: LogFile, message: JsonObject): void {
  file.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
}

function messageIn(line: string, wanted: string): string[] {
  try {
    const { cwd, text } = JSON.parse(line);
    return cwd === wanted && typeof text === "string" ? [text] : [];
  } catch {
    return [];
  }
}

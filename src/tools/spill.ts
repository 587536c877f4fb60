/** The file that has the whole output of a command whose output was too long to show (SPEC 5). */
import { type Appender, FileError, type Files } from "../system/system.ts";
import { createExactDecoder, exactBytesOf } from "../text/exact.ts";
import type { TextMask } from "./tool.ts";

/** The most that is written to one spill file. */
export const SPILL_LIMIT = 64 * 1024 * 1024;
/** What is held in memory before a file is made: most outputs never need one. */
const HELD_LIMIT = 256 * 1024;

/** Takes the raw output. */
export interface Spill {
  /** Never throws: what the disk doesn't take is a `fault`. */
  push(bytes: Uint8Array): void;
  /** Leaves the file with the output, or none. Call it once. */
  finish(options: { readonly keep: boolean }): Promise<SpillEnd>;
}

/** What became of the file. */
export interface SpillEnd {
  /** Its path, where there is one. */
  readonly path?: string;
  /** Why it hasn't all of the output, in words. */
  readonly fault?: string;
}

/** Where a spill file goes. */
export interface SpillPlace {
  readonly folder: string;
  /** Names the file; an id is a model's or a server's text, so only its plain characters are taken. */
  readonly callId: string;
  /** Masks the output, as exact text, on its way to the file. */
  readonly mask?: TextMask;
  /** {@linkcode SPILL_LIMIT} if not said. */
  readonly limit?: number;
}

/** A spill file `CALL.out`, mode 0600, made only when it's needed; `CALL.2.out` where an earlier call had the same id. */
export function createSpill(files: Files, place: SpillPlace): Spill {
  const limit = place.limit ?? SPILL_LIMIT;
  const decoder = createExactDecoder();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let written = 0;
  let file: { readonly path: string; readonly appender: Appender } | undefined;
  let fault: string | undefined;

  function write(bytes: Uint8Array): void {
    const fitting = bytes.subarray(0, limit - written);
    if (fitting.length < bytes.length) fault = `the file has only the first ${limit} bytes`;
    try {
      file ??= createFile(files, place);
      file.appender.append(fitting);
      written += fitting.length;
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
  }

  function flush(): void {
    for (const bytes of held) if (fault === undefined) write(bytes);
    held = [];
    heldBytes = 0;
  }

  function take(bytes: Uint8Array): void {
    if (fault !== undefined) return;
    if (file) return write(bytes);
    held.push(bytes.slice());
    heldBytes += bytes.length;
    if (heldBytes > HELD_LIMIT) flush();
  }

  return {
    push(bytes) {
      if (fault !== undefined) return;
      take(place.mask ? exactBytesOf(place.mask.push(decoder.push(bytes))) : bytes);
    },
    async finish({ keep }) {
      if (place.mask) take(exactBytesOf(place.mask.push(decoder.end()) + place.mask.end()));
      if (keep) flush();
      file?.appender.close();
      if (keep) {
        return { ...(file && { path: file.path }), ...(fault !== undefined && { fault }) };
      }
      if (file) await files.remove(file.path).catch(() => {});
      return {};
    },
  };
}

function createFile(files: Files, place: SpillPlace) {
  const name = `${place.folder}/${place.callId.replace(/[^\w-]/g, "_")}`;
  for (let count = 1;; count++) {
    const path = count === 1 ? `${name}.out` : `${name}.${count}.out`;
    try {
      return { path, appender: files.createAppender(path, 0o600) };
    } catch (error) {
      if (!(error instanceof FileError && error.code === "EEXIST")) throw error;
    }
  }
}

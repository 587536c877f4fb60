/** Recording: each reply's raw bytes as `NNNN.sse`, the request beside it as `NNNN.request.json`, keys left out. */
import type { JsonObject } from "../vocab.ts";
import type { RecordingFile, RecordingFolder } from "../system/system.ts";

/** Records the replies of one run. */
export interface Recorder {
  /** Starts the next recording; the request is written when it returns. */
  begin(url: string, body: JsonObject): Recording;
}

/** One reply that is being recorded. */
export interface Recording {
  write(bytes: Uint8Array): void;
  /** Twice does no harm. */
  close(): void;
}

/** What a recorder works with. */
export interface RecorderOptions {
  /** Takes secrets out of the text of a request. */
  redact(text: string): string;
  /** Hears once why nothing more is recorded; the run goes on, since it can't be undone. */
  onFailure(message: string): void;
}

/**
 * The recorder into `folder`, which goes on counting where an earlier one stopped.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const written: string[] = [];
 * const folder = {
 *   names: () => ["0007.sse"],
 *   create: (name: string) => ({ write: () => void written.push(name), close() {} }),
 * };
 * const recorder = createRecorder(folder, { redact: (text) => text, onFailure() {} });
 * recorder.begin("http://x/v1/chat/completions", {}).write(new Uint8Array(1));
 * assertEquals(written, ["0008.request.json", "0008.sse"]);
 * ```
 */
export function createRecorder(folder: RecordingFolder, options: RecorderOptions): Recorder {
  let count: number | undefined;
  let failed = false;

  function attempt<T>(act: () => T): T | undefined {
    if (failed) return undefined;
    try {
      return act();
    } catch (error) {
      failed = true;
      options.onFailure(`Recording stopped: ${(error as Error).message}`);
      return undefined;
    }
  }

  function openNext(url: string, body: JsonObject): RecordingFile {
    count = (count ?? lastNumber(folder.names())) + 1;
    const number = String(count).padStart(4, "0");
    const request = folder.create(`${number}.request.json`);
    // Before the escapes of JSON change how a secret looks, and after, for the names of fields.
    const masked = (_: string, value: unknown) =>
      typeof value === "string" ? options.redact(value) : value;
    const text = options.redact(JSON.stringify({ url, body }, masked, 2) + "\n");
    request.write(new TextEncoder().encode(text));
    request.close();
    return folder.create(`${number}.sse`);
  }

  return {
    begin(url, body) {
      let file = attempt(() => openNext(url, body));
      return {
        write: (bytes) => attempt(() => file?.write(bytes)),
        close() {
          attempt(() => file?.close());
          file = undefined;
        },
      };
    },
  };
}

function lastNumber(names: readonly string[]): number {
  return Math.max(
    0,
    ...names.map((name) => Number(/^(\d+)\.(sse|request\.json)$/.exec(name)?.[1] ?? 0)),
  );
}

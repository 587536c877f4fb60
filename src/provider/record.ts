/** Recording: each reply's raw bytes as `NNNN.sse`, the request beside it as `NNNN.request.json`, keys left out. */
import type { JsonObject } from "../vocab.ts";

/** A folder that takes new files; `system/recording_folder.ts` implements it. */
export interface RecordingFolder {
  /** Names that are there already. */
  names(): readonly string[];
  /** Opens a new file for writing. */
  create(name: string): RecordingFile;
}

/** A file that is being written. */
export interface RecordingFile {
  write(bytes: Uint8Array): void;
  close(): void;
}

/** Records the replies of one run. */
export interface Recorder {
  /** Starts the next recording; the request is on the disk when it returns. */
  begin(url: string, body: JsonObject): Recording;
}

/** One reply that is being recorded. */
export interface Recording {
  write(bytes: Uint8Array): void;
  /** Twice does no harm. */
  close(): void;
}

/** The recorder into `folder`, which goes on counting where an earlier one stopped. `redact` takes secrets out of the request. */
export function createRecorder(
  folder: RecordingFolder,
  redact: (text: string) => string,
): Recorder {
  let count = Math.max(
    0,
    ...folder.names().map((name) => Number(/^(\d+)\.sse$/.exec(name)?.[1] ?? 0)),
  );
  return {
    begin(url, body) {
      const number = String(++count).padStart(4, "0");
      const request = folder.create(`${number}.request.json`);
      const text = redact(JSON.stringify({ url, body }, null, 2) + "\n");
      request.write(new TextEncoder().encode(text));
      request.close();
      const file = folder.create(`${number}.sse`);
      let open = true;
      return {
        write: (bytes) => file.write(bytes),
        close() {
          if (open) file.close();
          open = false;
        },
      };
    },
  };
}

/** A folder for recordings on the real disk, behind {@linkcode RecordingFolder}. */
import { fileErrorOf } from "./files.ts";
import type { RecordingFolder } from "./system.ts";

/** The folder at `path`, made if it isn't there. Throws `FileError`. */
export function openRecordingFolder(path: string): RecordingFolder {
  attempt(path, () => Deno.mkdirSync(path, { recursive: true, mode: 0o700 }));
  return {
    names: () => attempt(path, () => [...Deno.readDirSync(path)].map((entry) => entry.name)),
    create(name) {
      const place = `${path}/${name}`;
      const options = { write: true, createNew: true, mode: 0o600 };
      const file = attempt(place, () => Deno.openSync(place, options));
      return {
        write(bytes) {
          for (let at = 0; at < bytes.length;) {
            at += attempt(place, () => file.writeSync(bytes.subarray(at)));
          }
        },
        close: () => file.close(),
      };
    },
  };
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw fileErrorOf(error, path, "record to");
  }
}

/** A lock that the system lets go when its holder ends, however it ends. */
import { fileErrorOf } from "./files.ts";

/** A lock that is held. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock of the file at `path`, which is made when it doesn't exist; nothing when another process holds it.
 * Throws `FileError` where the file can't be made.
 */
export function tryLock(path: string): Lock | undefined {
  try {
    const file = Deno.openSync(path, { create: true, write: true, mode: 0o600 });
    if (file.tryLockSync(true)) return { release: () => release(file) };
    file.close();
    return undefined;
  } catch (error) {
    throw fileErrorOf(error, path, "lock");
  }
}

/** A child that was forked a moment ago holds a copy of the descriptor, and with it the lock, until its exec. */
function release(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

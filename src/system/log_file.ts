/** Files that only grow at their end, as `Deno` gives them, behind {@linkcode LogFiles}. */
import { fileErrorOf } from "./files.ts";
import type { FileEnds, LogFile, LogFiles } from "./system.ts";

/**
 * The real files.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const files = createLogFiles();
 * const file = files.create(`${Deno.makeTempDirSync()}/log`);
 * assertEquals([file.tryLock(), file.write(new Uint8Array([104, 105, 10])), file.size()], [true, 3, 3]);
 * file.truncate(0);
 * file.close();
 * ```
 */
export function createLogFiles(): LogFiles {
  return {
    create: (path) => open(path, { createNew: true }),
    open: (path) => open(path, {}),
    openOrCreate: (path) => open(path, { create: true }),
    makeFolder: (path) =>
      named(path, "make the folder", () => Deno.mkdirSync(path, { recursive: true, mode: 0o700 })),
    syncFolderOf,
    readEnds: (path, limit) => named(path, "read", () => readEnds(path, limit)),
    names: (folder) => named(folder, "list", () => namesOf(folder)),
  };
}

/**
 * Makes a write over the file-size limit (`ulimit -f`) fail with EFBIG like any other failing write; without this the
 * system ends the program with SIGXFSZ before it could cut the file back. For `main.ts`, once: it lasts.
 */
export function surviveFileSizeLimit(): void {
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGXFSZ", () => {});
}

function open(path: string, how: Deno.OpenOptions): LogFile {
  const options = { ...how, read: true, append: true, mode: 0o600 };
  const file = named(path, how.createNew ? "make" : "open", () => Deno.openSync(path, options));
  return {
    size: () => named(path, "look at", () => file.statSync().size),
    tryLock: () => named(path, "lock", () => file.tryLockSync(true)),
    readAll: () => named(path, "read", () => readAll(file)),
    write: (bytes) => named(path, "write", () => file.writeSync(bytes)),
    truncate: (size) => named(path, "cut back", () => file.truncateSync(size)),
    syncData: () => file.syncData().catch((error) => Promise.reject(failed(error, path, "sync"))),
    close: () => {
      // A child that was forked a moment ago holds a copy of the descriptor, and with it the lock, until its exec.
      file.unlockSync();
      file.close();
    },
  };
}

function readAll(file: Deno.FsFile): Uint8Array<ArrayBuffer> {
  file.seekSync(0, Deno.SeekMode.Start);
  return readUpTo(file, file.statSync().size);
}

/** Reads until `length` bytes are there or the file ends. */
function readUpTo(file: Deno.FsFile, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const count = file.readSync(bytes.subarray(at));
    if (count === null) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function readEnds(path: string, limit: number): FileEnds {
  const file = Deno.openSync(path, { read: true });
  try {
    const { size, mtime } = file.statSync();
    const head = readUpTo(file, Math.min(limit, size));
    file.seekSync(Math.max(0, size - limit), Deno.SeekMode.Start);
    const tail = size <= limit ? head : readUpTo(file, limit);
    return { size, mtimeMs: mtime?.getTime() ?? 0, head, tail };
  } finally {
    file.close();
  }
}

function namesOf(folder: string): readonly string[] {
  try {
    return Array.from(Deno.readDirSync(folder)).filter(({ isFile }) => isFile).map(({ name }) =>
      name
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Windows can't open a folder; there the name is as lasting as the system makes it. */
async function syncFolderOf(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  try {
    using file = await Deno.open(folder, { read: true });
    await file.sync();
  } catch (error) {
    throw failed(error, folder, "sync the folder");
  }
}

function named<T>(path: string, action: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw failed(error, path, action);
  }
}

function failed(error: unknown, path: string, action: string): Error {
  return fileErrorOf(error, path, action);
}

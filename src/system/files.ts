/** The file system as `Deno` gives it, behind {@linkcode Files}. */
import { type Appender, FileError, type FileInfo, type Files } from "./system.ts";

/**
 * The real file system. What only looks at names or changes one is done on the spot: such a call takes 2–10 µs, by way of
 * another thread 40–400. What reads or writes contents or lists a folder goes by another thread, and leaves this one
 * free meanwhile.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const files = createFiles();
 * const folder = Deno.makeTempDirSync();
 * await files.createSynced(`${folder}/a`, new Uint8Array([104, 105]), 0o640);
 * assertEquals((await files.stat(`${folder}/a`)).mode, 0o640);
 * ```
 */
export function createFiles(): Files {
  return {
    readFile: (path) => named(path, "read", () => Deno.readFile(path)),
    stat: (path) => named(path, "look at", () => infoOf(Deno.statSync(path))),
    lstat: (path) => named(path, "look at", () => infoOf(Deno.lstatSync(path))),
    readLink: (path) => named(path, "read the link", () => Deno.readLinkSync(path)),
    realPath: (path) => named(path, "resolve", () => Deno.realPathSync(path)),
    readDir: (path) => named(path, "list", () => listOf(path)),
    mkdir: (path, options = {}) =>
      named(path, "make the folder", () => Deno.mkdirSync(path, { ...options })),
    rename: (from, to) => named(to, `rename "${from}" to`, () => Deno.renameSync(from, to)),
    remove: (path) => named(path, "remove", () => Deno.removeSync(path)),
    chmod: (path, mode) => named(path, "set the mode of", () => Deno.chmodSync(path, mode)),
    symlink: (target, path) => named(path, "make the link", () => Deno.symlinkSync(target, path)),
    createSynced: (path, bytes, mode) => named(path, "write", () => create(path, bytes, mode)),
    syncDir: (path) => named(path, "sync the folder", () => syncFolder(path)),
    createAppender,
  };
}

function infoOf(info: Deno.FileInfo): FileInfo {
  return {
    kind: kindOf(info),
    size: info.size,
    // Windows has no permission bits; what it has reads as "the owner may read and write".
    mode: (info.mode ?? 0o644) & 0o7777,
    mtimeMs: info.mtime?.getTime() ?? 0,
    links: info.nlink ?? 1,
    dev: info.dev,
    ino: info.ino ?? 0,
  };
}

function kindOf(entry: Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink">) {
  if (entry.isFile) return "file";
  if (entry.isDirectory) return "directory";
  return entry.isSymlink ? "symlink" : "other";
}

async function listOf(path: string): Promise<{ name: string; kind: FileInfo["kind"] }[]> {
  const entries: { name: string; kind: FileInfo["kind"] }[] = [];
  for await (const entry of Deno.readDir(path)) {
    entries.push({ name: entry.name, kind: kindOf(entry) });
  }
  return entries;
}

/** A file that could be made but not filled is removed again: no half-written file is left. */
async function create(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true, mode });
  try {
    let at = 0;
    while (at < bytes.length) at += await file.write(bytes.subarray(at));
    // The umask may have taken bits away.
    if (Deno.build.os !== "windows") Deno.chmodSync(path, mode);
    await file.sync();
  } catch (error) {
    await Deno.remove(path).catch(() => {});
    throw error;
  } finally {
    file.close();
  }
}

/** Windows can't open a folder; there the rename itself is all there is. */
async function syncFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  const folder = await Deno.open(path, { read: true });
  try {
    await folder.sync();
  } finally {
    folder.close();
  }
}

function createAppender(path: string, mode: number): Appender {
  const file = namedSync(
    path,
    "write",
    () => Deno.openSync(path, { write: true, createNew: true, mode }),
  );
  return {
    append(bytes) {
      let at = 0;
      while (at < bytes.length) {
        at += namedSync(path, "write", () => file.writeSync(bytes.subarray(at)));
      }
    },
    close: () => file.close(),
  };
}

function namedSync<T>(path: string, action: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw fileErrorOf(error, path, action);
  }
}

async function named<T>(path: string, action: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw fileErrorOf(error, path, action);
  }
}

/** System codes of the classes that `Deno` throws, for errors that carry no code themselves. */
const CLASSES: readonly (readonly [new (message?: string) => Error, string])[] = [
  [Deno.errors.NotFound, "ENOENT"],
  [Deno.errors.AlreadyExists, "EEXIST"],
  [Deno.errors.PermissionDenied, "EACCES"],
  [Deno.errors.NotCapable, "EPERM"],
  [Deno.errors.IsADirectory, "EISDIR"],
  [Deno.errors.NotADirectory, "ENOTDIR"],
  [Deno.errors.FilesystemLoop, "ELOOP"],
];

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "it doesn't exist",
  EEXIST: "it exists already",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "too many links",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EROFS: "the disk is read-only",
  ENAMETOOLONG: "the name is too long",
  ENOTEMPTY: "the folder is not empty",
  EXDEV: "it is on another disk",
  EMFILE: "too many open files",
  EIO: "the disk failed",
};

/**
 * What to say of an error of Deno's own sandbox, which is there under `deno run` with less than everything; undefined for
 * any other error. Its flags are the runtime's, not those of this program, though they have the same names.
 */
export function missingFlag(error: unknown): string | undefined {
  if (!(error instanceof Deno.errors.NotCapable)) return undefined;
  const [flag] = /--allow-[a-z]+/.exec(error.message) ?? [];
  return flag === undefined
    ? "Deno does not permit it"
    : `Deno itself was started without "${flag}"`;
}

/** The error of the system as a {@linkcode FileError}: `Cannot ACTION "PATH": CAUSE`. */
export function fileErrorOf(error: unknown, path: string, action: string): FileError {
  const cause = error instanceof Error ? error : new Error(String(error));
  const own = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const code = own ?? CLASSES.find(([type]) => cause instanceof type)?.[1] ?? "EUNKNOWN";
  const words = missingFlag(cause) ?? WORDS[code] ?? cause.message.replace(/[.\s]+$/, "");
  return new FileError(code, path, `Cannot ${action} "${path}": ${words}`, { cause });
}

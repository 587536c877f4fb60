/**
 * What the rooms above ask of the machine: small interfaces, implemented beside this file with `Deno`,
 * and in `tests/world.ts` in memory.
 */

/** What a path is. `mode` is the permission bits. */
export interface FileInfo {
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly links: number;
  /** Device and inode, to tell whether two names are one file; 0 where the system has none. */
  readonly dev: number;
  readonly ino: number;
}

/** The file system. Every method throws `FileError` with a `code` such as `ENOENT`. */
export interface Files {
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Follows links. */
  stat(path: string): Promise<FileInfo>;
  /** Does not follow links. */
  lstat(path: string): Promise<FileInfo>;
  readLink(path: string): Promise<string>;
  /** The path with all links resolved; ENOENT where it doesn't exist. */
  realPath(path: string): Promise<string>;
  /** Names in a folder, unsorted. */
  readDir(path: string): Promise<readonly { name: string; kind: FileInfo["kind"] }[]>;
  mkdir(path: string, options?: { recursive?: boolean; mode?: number }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, a link or an empty folder. */
  remove(path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  /** Writes a new file (it must not exist) with `mode` and syncs it to the disk. */
  createSynced(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  /** Syncs a folder, so that renames in it last. */
  syncDir(path: string): Promise<void>;
  /** Makes a new file (it must not exist) with `mode`, to be written bit by bit. Throws `FileError` at once. */
  createAppender(path: string, mode: number): Appender;
}

/** A file that grows. Both methods return when the system has taken it; they throw `FileError`. */
export interface Appender {
  append(bytes: Uint8Array): void;
  close(): void;
}

/** An open file that only grows at its end (a session). Every method throws `FileError`. */
export interface LogFile {
  /** Bytes in the file now. */
  size(): number;
  /** Takes the one lock of the file; false when another process has it. It ends with the process or with `close`. */
  tryLock(): boolean;
  /** The whole file, from its start. */
  readAll(): Uint8Array<ArrayBuffer>;
  /** One write at the end; returns how many bytes the system took, which may be fewer. */
  write(bytes: Uint8Array): number;
  /** Cuts the file to `size` bytes. */
  truncate(size: number): void;
  /** Resolves when what was written is on the disk (fdatasync). */
  syncData(): Promise<void>;
  close(): void;
}

/** The two ends of a file. */
export interface FileEnds {
  readonly size: number;
  readonly mtimeMs: number;
  readonly head: Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
}

/** Opens files that only grow at their end. Every method throws `FileError`. */
export interface LogFiles {
  /** Makes a new file, which must not exist, that only its owner may read and write (0600). */
  create(path: string): LogFile;
  /** Opens a file that exists. */
  open(path: string): LogFile;
  /** Opens a file, makes it (0600) where there is none. */
  openOrCreate(path: string): LogFile;
  /** Makes a folder and its parents, for its owner alone (0700), where there is none. */
  makeFolder(path: string): void;
  /** Resolves when the names in the folder of `path` are on the disk. */
  syncFolderOf(path: string): Promise<void>;
  /** At most `limit` bytes from each end of a file; they may overlap. */
  readEnds(path: string, limit: number): FileEnds;
  /** Names of the files in a folder, unsorted; none where there is no folder. */
  names(folder: string): readonly string[];
}

/** A file-system error with the system's code. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;
  readonly path: string;
  constructor(code: string, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

/** Time and chance. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonic(): number;
  /** Resolves after `ms` (0: with the next turn of the event loop), or at once when `signal` aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

/** One command to run as the leader of its own process group and session. */
export interface GroupRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Kill background children that are left when the leader has ended. */
  readonly killBackground: boolean;
  /** Takes each chunk as it comes, in the exact order of stdout and stderr; must not keep the array. */
  onOutput(chunk: Uint8Array): void;
}

/** How a command ended. */
export interface GroupEnd {
  /** The leader's exit code, 128 + signal, 124 at the time limit, 130 when cancelled. */
  readonly exit: number;
  readonly signal: string | null;
  readonly reason: "exited" | "timeout" | "cancelled";
  /** Background children were still there when the leader had ended, the output's 200 ms included. */
  readonly backgroundLeft: boolean;
  readonly ms: number;
}

/** Starts commands; nothing that it started outlives the program. */
export interface Processes {
  /** Throws `FileError` where the folder doesn't exist; a program that doesn't is exit 127 with a line in the output. */
  runGroup(request: GroupRequest): Promise<GroupEnd>;
  /** Kills every group that still runs and all background children that were left, at once (for the way out). */
  killAll(): void;
}

/** A folder that takes new files, written piece by piece as a reply comes in. */
export interface RecordingFolder {
  /** Names that are there already. */
  names(): readonly string[];
  /** Opens a new file, readable by its owner alone; it must not exist. */
  create(name: string): RecordingFile;
}

/** A file that is being written. */
export interface RecordingFile {
  write(bytes: Uint8Array): void;
  close(): void;
}

/**
 * Which path lies in which: computed on absolute paths whose links were resolved elsewhere.
 *
 * A path is compared by whole components, never as a prefix of letters, and without regard to case where the disk
 * has none (SPEC 8).
 */

/** A path as the machine sees it. */
export interface ResolvedPath {
  /** Absolute, without `.` and `..`, as asked for. */
  readonly path: string;
  /** The same with every link followed; for a path that doesn't exist yet, the links of the folders that do. */
  readonly real: string;
  /** How many names the file has; 1 for a new one. */
  readonly links: number;
}

/**
 * True when `path` is `folder` or lies inside it; both absolute and normal.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(contains("/w/proj", "/w/proj/a", false), true);
 * assertEquals(contains("/w/proj", "/w/proj-evil/a", false), false);
 * assertEquals(contains("/w/.env", "/w/.ENV", true), true);
 * ```
 */
export function contains(folder: string, path: string, foldCase: boolean): boolean {
  const outer = foldCase ? folder.toLowerCase() : folder;
  const inner = foldCase ? path.toLowerCase() : path;
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : outer + "/");
}

/** Names that no tool may write, wherever they lie: the insides of repositories, and this program's own files. */
const PROTECTED_NAMES: readonly string[] = [".git", ".cst-agent", "cst-agent.json"];

/** Names by which editors, shells and agents run code: written only when a rule names them. */
const SENSITIVE_NAMES: readonly string[] = [
  ".vscode",
  ".idea",
  ".mcp.json",
  ".envrc",
  ".bashrc",
  ".bash_profile",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".gitconfig",
  ".gitmodules",
  ".ssh",
  ".ripgreprc",
  ".claude",
];

/**
 * The name in `path` that makes it protected from writing, or null.
 *
 * Case never matters here: on a disk that folds it, `.GIT` is `.git`, and nobody needs the other spelling.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(protectedName("/w/sub/.git/hooks/x"), ".git");
 * assertEquals(protectedName("/w/.g\u200cit/config"), ".git");
 * assertEquals(protectedName("/w/docs/.github/x.md"), null);
 * ```
 */
export function protectedName(path: string): string | null {
  return partAmong(path, PROTECTED_NAMES);
}

/**
 * The name in `path` by which other programs would run what is written there, or null.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(sensitiveName("/w/.vscode/tasks.json"), ".vscode");
 * assertEquals(sensitiveName("/w/src/a.ts"), null);
 * ```
 */
export function sensitiveName(path: string): string | null {
  return partAmong(path, SENSITIVE_NAMES);
}

function partAmong(path: string, names: readonly string[]): string | null {
  return path.replace(UNSEEN, "").toLowerCase().split("/").find((part) => names.includes(part)) ??
    null;
}

/** Characters that the Mac's disk leaves out of a name when it compares it (HFS+): with one, `.git` is still `.git`. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Folders whose files stand for processes, memory and devices; to read or write them is to do far more than that. */
const MACHINE_FOLDERS: readonly string[] = ["/proc", "/dev", "/sys"];

/** Devices that hold nothing, or what the command has open anyway. */
const HARMLESS_DEVICES: readonly string[] = ["/dev/null", "/dev/stdout", "/dev/stderr"];

/**
 * The folder of the machine itself that `path` lies in, or null (CVE-2024-34346: `/proc/self/mem`, `/proc/self/environ`).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(machineFolder("/proc/self/root/etc/passwd"), "/proc");
 * assertEquals(machineFolder("/dev/null"), null);
 * ```
 */
export function machineFolder(path: string): string | null {
  if (isHarmlessDevice(path)) return null;
  return MACHINE_FOLDERS.find((folder) => contains(folder, path, true)) ?? null;
}

/** True for `/dev/null` and the names of a command's own outputs. */
export function isHarmlessDevice(path: string): boolean {
  return HARMLESS_DEVICES.includes(path);
}

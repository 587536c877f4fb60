/** `AGENTS.md` from the repository's root down to the working directory (SPEC 10). */
import { dirname, join } from "@std/path";
import { contains } from "../permission/paths.ts";
import type { Files } from "../system/system.ts";
import { FileError } from "../system/system.ts";

/** All files together give the model at most this many bytes (SPEC 10). */
const MAX_BYTES = 32 * 1024;

/** What was found. */
export interface Instructions {
  readonly text: string;
  /** Set when some of it was cut: what to tell the user. */
  readonly notice?: string;
}

/** The text of every `AGENTS.md` between the repository's root and `cwd`, outermost first, at most 32 KiB. */
export async function readInstructions(files: Files, cwd: string): Promise<Instructions> {
  const texts: string[] = [];
  const folders = await foldersFromRoot(files, cwd);
  for (const folder of folders) {
    const bytes = await readInside(files, join(folder, "AGENTS.md"), folders[0]!);
    if (bytes) texts.push(new TextDecoder().decode(bytes).trimEnd());
  }
  const whole = texts.filter((text) => text !== "").join("\n\n");
  const bytes = new TextEncoder().encode(whole);
  if (bytes.length <= MAX_BYTES) return { text: whole };
  // A streaming decoder holds the piece of a character at the cut back instead of replacing it.
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true });
  return {
    text: kept,
    notice: `AGENTS.md is ${bytes.length} bytes long: the model gets the first ${MAX_BYTES}`,
  };
}

/** The folders from the one that holds `.git` down to `cwd`; only `cwd` outside of a repository. */
async function foldersFromRoot(files: Files, cwd: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = cwd;; folder = dirname(folder)) {
    folders.unshift(folder);
    if (await exists(files, join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) return [cwd];
  }
}

async function exists(files: Files, path: string): Promise<boolean> {
  try {
    await files.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

/**
 * A file's bytes; nothing where there is none. A link that leads out of the project isn't followed: the text goes to the
 * model's server, and whose project it is isn't known. Nor is anything read that might never end.
 */
async function readInside(
  files: Files,
  path: string,
  root: string,
): Promise<Uint8Array | undefined> {
  try {
    const real = await files.realPath(path);
    if (!contains(root, real, false) || (await files.stat(real)).kind !== "file") return undefined;
    return await files.readFile(real);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

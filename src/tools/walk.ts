/** Walks a folder as git sees it: without `.git` and without what `.gitignore` files name. */
import { FileError, type Files } from "../system/system.ts";
import { type IgnoreFile, isIgnored, parseIgnore } from "./gitignore.ts";

/** Where a walk goes. */
export interface Walk {
  /** Absolute: the folder whose `.gitignore` counts first; usually the repository's. */
  readonly top: string;
  /** The folder to walk, relative to `top`: `""`, or with a slash at its end. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** Entries that may still be looked at; below 0 once the walk was cut. */
  readonly budget: { left: number };
}

/**
 * The files and links below `from`, relative to `top`, in the order of their names. Links are named, not followed. Stops when the
 * budget is used up or the signal aborts; folders that can't be read are passed over.
 */
export async function* walkFiles(files: Files, walk: Walk): AsyncGenerator<string> {
  const ignores: IgnoreFile[] = [];
  const parts = walk.from.split("/").filter((part) => part !== "");
  for (let depth = 0; depth < parts.length; depth++) {
    const base = parts.slice(0, depth).map((part) => `${part}/`).join("");
    ignores.push(...await readIgnore(files, walk.top, base));
  }
  yield* walkFolder(files, walk, { folder: walk.from, ignores });
}

interface Step {
  readonly folder: string;
  readonly ignores: readonly IgnoreFile[];
}

async function* walkFolder(files: Files, walk: Walk, step: Step): AsyncGenerator<string> {
  const ignores = [...step.ignores, ...await readIgnore(files, walk.top, step.folder)];
  const entries = [...await listOrNothing(files, `${walk.top}/${step.folder}`)]
    .sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, kind } of entries) {
    if (walk.signal.aborted || walk.budget.left-- <= 0) return;
    const path = step.folder + name;
    if (name === ".git" || isIgnored(ignores, path, kind === "directory")) continue;
    if (kind === "directory") {
      yield* walkFolder(files, walk, { folder: `${path}/`, ignores });
    } else if (kind !== "other") yield path;
  }
}

async function readIgnore(files: Files, top: string, base: string): Promise<IgnoreFile[]> {
  try {
    const bytes = await files.readFile(`${top}/${base}.gitignore`);
    return [parseIgnore(new TextDecoder().decode(bytes), base)];
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}

async function listOrNothing(files: Files, folder: string) {
  try {
    return await files.readDir(folder);
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}

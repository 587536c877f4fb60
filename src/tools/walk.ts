/** Walks a folder as git sees it: without `.git` and without what `.gitignore` files name. */
import { FileError, type Files } from "../system/system.ts";
import { type IgnoreFile, isIgnored, parseIgnore } from "./gitignore.ts";

/** Entries that one walk looks at at most. */
const MOST = 50_000;

/** Where a walk goes. */
export interface Walk {
  /** Absolute: the folder whose `.gitignore` counts first; usually the repository's. */
  readonly top: string;
  /** The folder to walk, relative to `top`: `""`, or with a slash at its end. */
  readonly from: string;
  readonly signal: AbortSignal;
}

/**
 * The files and links below `from`, relative to `top`, in the order of their names. Links are named, not followed. Stops after 50,000
 * entries or when the signal aborts; folders that can't be read are passed over.
 */
export async function* walkFiles(files: Files, walk: Walk): AsyncGenerator<string> {
  const ignores: IgnoreFile[] = [];
  const parts = walk.from.split("/").filter((part) => part !== "");
  for (let depth = 0; depth < parts.length; depth++) {
    const base = parts.slice(0, depth).map((part) => `${part}/`).join("");
    ignores.push(...await readIgnore(files, walk.top, base));
  }
  const count = { left: MOST };
  yield* walkFolder(files, walk, { folder: walk.from, ignores, count });
}

interface Step {
  readonly folder: string;
  readonly ignores: readonly IgnoreFile[];
  readonly count: { left: number };
}

async function* walkFolder(files: Files, walk: Walk, step: Step): AsyncGenerator<string> {
  const ignores = [...step.ignores, ...await readIgnore(files, walk.top, step.folder)];
  const entries = [...await listOrNothing(files, `${walk.top}/${step.folder}`)]
    .sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, kind } of entries) {
    if (walk.signal.aborted || step.count.left-- <= 0) return;
    const path = step.folder + name;
    if (name === ".git" || isIgnored(ignores, path, kind === "directory")) continue;
    if (kind === "directory") {
      yield* walkFolder(files, walk, { folder: `${path}/`, ignores, count: step.count });
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

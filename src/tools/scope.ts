/** Where `list_files` and `search` look: a folder or a file, and which names in it. */
import { FileError, type Files } from "../system/system.ts";
import { normalPath } from "../text/path.ts";
import { refuse } from "./answer.ts";
import { createGlob } from "./glob.ts";
import type { ToolAnswer, ToolWorld } from "./tool.ts";
import { walkFiles } from "./walk.ts";

/** Entries that one call looks at at most. */
const MOST = 50_000;

/** The files in scope. */
export interface Scope {
  /** Each with its absolute path and the name by which other tools take it. */
  found(): AsyncIterable<{ readonly whole: string; readonly name: string }>;
  /** A remark when not everything was looked at. */
  remark(): string;
}

/** The files below `path` (the working directory without one) whose names fit `glob`, or why there are none. */
export async function scopeOf(
  args: { readonly path?: string; readonly glob?: string },
  world: ToolWorld,
): Promise<Scope | ToolAnswer> {
  const path = args.path ?? ".";
  const asked = normalPath(path, world.cwd);
  const real = await world.files.realPath(asked);
  const info = await world.files.stat(real);
  if (info.kind === "file") {
    return {
      async *found() {
        yield await Promise.resolve({ whole: real, name: nameFor(asked, world.cwd) });
      },
      remark: () => "",
    };
  }
  if (info.kind !== "directory") return refuse(`"${path}" is no folder and no regular file`);
  const fits = args.glob === undefined ? () => true : createGlob(args.glob);
  const top = await repositoryOf(world.files, real) ?? real;
  const from = real === top ? "" : `${real.slice(top.length).replace(/^\//, "")}/`;
  const budget = { left: MOST };
  const walk = { top, from, signal: world.signal, budget };
  return {
    async *found() {
      for await (const each of walkFiles(world.files, walk)) {
        const inside = each.slice(from.length);
        const name = nameFor(`${asked === "/" ? "" : asked}/${inside}`, world.cwd);
        const whole = `${top === "/" ? "" : top}/${each}`;
        if ((fits(name) || fits(inside)) && await world.mayRead(whole)) yield { whole, name };
      }
    },
    remark: () => budget.left < 0 ? `\n(only the first ${MOST} entries were looked at)` : "",
  };
}

/** The nearest folder, from here upward, that holds a `.git`: its `.gitignore` speaks for all below it. */
async function repositoryOf(files: Files, folder: string): Promise<string | undefined> {
  for (let at = folder; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    try {
      await files.lstat(`${at}/.git`);
      return at;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }
  return undefined;
}

/** Relative to the working directory where it lies in there. */
function nameFor(whole: string, cwd: string): string {
  return whole.startsWith(`${cwd}/`) ? whole.slice(cwd.length + 1) : whole;
}

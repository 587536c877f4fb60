/** Where `list_files` and `search` look: a folder or a file, and which names in it. */
import { refuse } from "./answer.ts";
import { createGlob } from "./glob.ts";
import { absolutePath } from "./target.ts";
import type { ToolAnswer, ToolWorld } from "./tool.ts";
import { type Found, walkFiles } from "./walk.ts";

/** The files in scope, named so that other tools take the names. */
export interface Scope {
  /** Absolute; names are relative to it. */
  readonly top: string;
  /** Before each name, so that it is relative to the working directory. */
  readonly prefix: string;
  found(): AsyncIterable<Found>;
}

/** The files below `path` (the working directory without one) whose names fit `glob`, or why there are none. */
export async function scopeOf(
  args: { readonly path?: string; readonly glob?: string },
  world: ToolWorld,
): Promise<Scope | ToolAnswer> {
  const path = args.path ?? ".";
  const whole = absolutePath(world.cwd, path);
  const real = await world.files.realPath(whole);
  const info = await world.files.stat(real);
  const fits = args.glob === undefined ? () => true : createGlob(args.glob);
  if (info.kind === "file") {
    const cut = whole.lastIndexOf("/");
    return {
      top: whole.slice(0, cut),
      prefix: prefixOf(whole.slice(0, cut) || "/", world.cwd),
      async *found() {
        yield await Promise.resolve({ path: whole.slice(cut + 1), kind: "file" as const });
      },
    };
  }
  if (info.kind !== "directory") return refuse(`"${path}" is no folder and no regular file`);
  // Inside the working directory, its own .gitignore speaks too.
  const inside = real === world.cwd || real.startsWith(`${world.cwd}/`);
  const from = inside && real !== world.cwd ? `${real.slice(world.cwd.length + 1)}/` : "";
  const top = inside ? world.cwd : real;
  return {
    top,
    prefix: inside ? "" : prefixOf(whole, world.cwd),
    async *found() {
      for await (const each of walkFiles(world.files, { top, from, signal: world.signal })) {
        if (fits(each.path) || from !== "" && fits(each.path.slice(from.length))) yield each;
      }
    },
  };
}

function prefixOf(folder: string, cwd: string): string {
  if (folder === cwd) return "";
  if (folder.startsWith(`${cwd}/`)) return `${folder.slice(cwd.length + 1)}/`;
  return folder === "/" ? "/" : `${folder}/`;
}

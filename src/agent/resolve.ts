/** Paths and programs as the machine knows them, for the policy to compare (SPEC 8). */
import { basename, dirname, join } from "@std/path";
import type { ResolvedPath } from "../permission/paths.ts";
import type { Facts, Program } from "../permission/decision.ts";
import { toLookUp } from "../permission/look_up.ts";
import type { Rules } from "../permission/rules.ts";
import { FileError, type Files } from "../system/system.ts";
import { normalPath } from "../text/path.ts";

/** More links than this in a row are a loop. */
const MAX_LINKS = 40;

/** `path` with every link followed; of a path that doesn't exist yet, the links of the folders that do. */
export async function resolvePath(files: Files, path: string, cwd: string): Promise<ResolvedPath> {
  const absolute = normalPath(path, cwd);
  const real = await followLinks(files, absolute, MAX_LINKS);
  return { path: absolute, real, links: await linksOf(files, real) };
}

async function followLinks(files: Files, path: string, left: number): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const parent = dirname(path);
    if (parent === path || left === 0) return path;
    // A link whose target doesn't exist yet: writing to it would make the target.
    const target = await readLinkOrNothing(files, path);
    if (target !== undefined) {
      return await followLinks(files, normalPath(target, parent), left - 1);
    }
    return join(await followLinks(files, parent, left), basename(path));
  }
}

async function readLinkOrNothing(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.readLink(path);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

async function linksOf(files: Files, path: string): Promise<number> {
  try {
    const info = await files.lstat(path);
    return info.kind === "file" ? info.links : 1;
  } catch (error) {
    if (error instanceof FileError) return 1;
    throw error;
  }
}

/**
 * Where the program `name` lies: a bare name in the folders of `path` (in the form of `PATH`), an absolute path as it is;
 * undefined where there's none. Relative folders are passed over, since what they hold depends on where a command runs.
 */
export async function findProgram(
  files: Files,
  name: string,
  path: string,
): Promise<Program | undefined> {
  const candidates = name.startsWith("/")
    ? [name]
    : name.includes("/")
    ? []
    : path.split(":").filter((folder) => folder.startsWith("/")).map((folder) =>
      join(folder, name)
    );
  for (const candidate of candidates) {
    try {
      const info = await files.stat(candidate);
      if (info.kind === "file" && (info.mode & 0o111) !== 0) {
        return { path: candidate, real: await files.realPath(candidate) };
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }
  return undefined;
}

/** What `gatherFacts` must be told. */
export interface Place {
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** The agent's own folders and files. */
  readonly ownPaths: readonly string[];
  readonly foldCase: boolean;
}

/** What the rules name, looked up once: later changes of the PATH or of links don't change what was allowed. */
export async function gatherFacts(files: Files, rules: Rules, place: Place): Promise<Facts> {
  const wanted = toLookUp(rules);
  const programs = new Map<string, Program>();
  for (const name of wanted.programs) {
    const program = await findProgram(files, name, place.env.PATH ?? "");
    if (program) programs.set(name, program);
  }
  const realPaths = new Map<string, string>();
  for (const path of wanted.paths) {
    realPaths.set(path, (await resolvePath(files, path, place.cwd)).real);
  }
  const ownPaths: string[] = [];
  for (const path of place.ownPaths) {
    ownPaths.push((await resolvePath(files, path, place.cwd)).real);
  }
  return {
    cwd: place.cwd,
    home: place.env.HOME ?? null,
    programs,
    realPaths,
    ownPaths,
    foldCase: place.foldCase,
  };
}

/** The sandbox of this machine, and its policy for this project: what exists, with links resolved. */
import { ConfigError } from "../errors.ts";
import { sandboxArgv } from "../permission/sandbox.ts";
import type { Place, SandboxPolicy } from "../permission/sandbox_policy.ts";
import { FileError, type FileInfo, type Files, type Processes } from "../system/system.ts";
import type { Sandbox } from "../vocab.ts";
import { resolvePath } from "./resolve.ts";

const TRIAL_MS = 5000;
/** Files of a project that say how the agent behaves there: commands may not change them. */
const PROJECT_FILES = ["cst-agent.json"];

/** What the user and the program want of the sandbox; paths are absolute but may have links in them, or not exist. */
export interface SandboxWish {
  readonly cwd: string;
  /** `--allow-write`; `["/"]` where everything may be written. */
  readonly write: readonly string[];
  /** The folders of our sessions and our configuration; where commands could make one, it is made. */
  readonly hidden: readonly string[];
  /** Files that the same goes for, if they exist: a configuration may be a link to elsewhere. */
  readonly hiddenFiles?: readonly string[];
  /** What `--deny-read` and `--deny-write` name. */
  readonly denied?: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly shown: readonly string[];
  readonly tmp?: string;
  readonly network: boolean;
}

/** What this machine may have, looked up by the caller: the path of `bwrap`, and whether it is a Mac. */
export interface SandboxPrograms {
  readonly bwrap: string | undefined;
  readonly seatbelt: boolean;
}

/**
 * What a trial found: the real thing around `true`, a few milliseconds, since it may be installed and yet be forbidden.
 */
export async function trySandbox(
  programs: SandboxPrograms,
  processes: Processes,
): Promise<Sandbox> {
  const sandbox: Sandbox | undefined = programs.seatbelt
    ? { kind: "seatbelt" }
    : programs.bwrap === undefined
    ? undefined
    : { kind: "bwrap", program: programs.bwrap };
  if (sandbox === undefined) return { kind: "none", why: "bubblewrap is not installed" };
  let output = "";
  const policy = { cwd: "/", writable: [], pinned: [], readOnly: [], hidden: [], shown: [] };
  try {
    const end = await processes.runGroup({
      argv: sandboxArgv(sandbox, { ...policy, network: false }, ["/bin/sh", "-c", "true"]),
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: TRIAL_MS,
      signal: new AbortController().signal,
      killBackground: true,
      onOutput: (chunk) => output += new TextDecoder().decode(chunk),
    });
    if (end.exit === 0) return sandbox;
    const line = output.split("\n")[0] || `it ended with ${end.exit}`;
    return { kind: "none", why: `the trial failed: ${line}` };
  } catch (error) {
    // Nothing can be started at all; a task that only reads and writes can do without.
    if (!(error instanceof FileError)) throw error;
    return { kind: "none", why: `the trial failed: ${error.message}` };
  }
}

/** The policy for what is there. Throws `ConfigError` where what must be hidden holds what must be seen. */
export async function settleSandbox(files: Files, wish: SandboxWish): Promise<SandboxPolicy> {
  const writable = await existing(files, [wish.cwd, ...wish.write]);
  const hidden = await hide(files, wish, writable);
  for (const { path } of hidden) {
    const inside = writable.find((root) => isWithin(root, path));
    if (inside !== undefined) {
      throw new ConfigError(`Cannot keep commands out of "${path}": "${inside}" is in it`);
    }
  }
  const repositories = await Promise.all(writable.map((root) => protectGit(files, root)));
  const own = await places(
    files,
    await existing(
      files,
      writable.flatMap((root) => PROJECT_FILES.map((name) => join(root, name))),
    ),
  );
  return {
    cwd: await files.realPath(wish.cwd),
    writable,
    pinned: [
      ...hidden.flatMap(({ path }) => foldersAbove(path, writable)),
      ...repositories.flatMap(({ pinned }) => pinned),
    ],
    readOnly: [
      ...repositories.flatMap(({ readOnly }) => readOnly),
      ...own,
      ...await places(files, await existing(files, wish.denied?.write ?? [])),
    ],
    hidden,
    shown: await existing(files, wish.shown),
    ...(wish.tmp !== undefined && { tmp: wish.tmp }),
    network: wish.network,
  };
}

/** What is hidden, links resolved. A folder that isn't there yet is made where a command could make it. */
async function hide(
  files: Files,
  wish: SandboxWish,
  writable: readonly string[],
): Promise<readonly Place[]> {
  for (const path of wish.hidden) {
    const { real } = await resolvePath(files, path, wish.cwd);
    if (await look(files, real) === undefined && writable.some((root) => isWithin(real, root))) {
      await files.mkdir(real, { recursive: true, mode: 0o700 });
    }
  }
  // A denied folder around the one that is worked in can't be taken away; there the rules alone hold.
  const denied = (await existing(files, wish.denied?.read ?? [])).filter((path) =>
    !writable.some((root) => isWithin(root, path))
  );
  const own = await existing(files, [...wish.hidden, ...wish.hiddenFiles ?? []]);
  const hidden = await places(files, [...new Set([...own, ...denied])]);
  return hidden.filter(({ path }) =>
    !hidden.some((outer) => outer.path !== path && isWithin(path, outer.path))
  );
}

/** The folders between a writable one and what is hidden in it: moved away, they would take it with them. */
function foldersAbove(path: string, writable: readonly string[]): string[] {
  const roots = writable.filter((root) => root !== "/" && isWithin(path, root));
  const root = roots.sort((one, other) => one.length - other.length)[0];
  if (root === undefined) return [];
  const names = path.slice(root.length + 1).split("/").slice(0, -1);
  return names.map((_, index) => [root, ...names.slice(0, index + 1)].join("/"));
}

/**
 * What of a repository stays as it is. `git commit` must work, so `.git` is writable; but hooks and configuration name
 * programs that git starts the next time the user calls it, outside. `.git` itself is pinned, so that it can't be moved
 * away and made anew. Submodules' repositories lie in `modules`. A `.git` that is a file (a worktree, a submodule)
 * points to a repository outside, which is read-only unless `--allow-write` names it. One without a `config` that could
 * be covered is read-only as a whole.
 */
async function protectGit(
  files: Files,
  root: string,
): Promise<{ readonly pinned: readonly string[]; readonly readOnly: readonly Place[] }> {
  const git = join(root, ".git");
  const info = await look(files, git);
  if (info?.kind === "file") return { pinned: [], readOnly: [{ path: git, kind: "file" }] };
  if (info?.kind !== "directory") return { pinned: [], readOnly: [] };
  if (await look(files, `${git}/config`) === undefined) {
    return { pinned: [], readOnly: [{ path: git, kind: "directory" }] };
  }
  const more = await existing(files, [`${git}/modules`, `${git}/config.worktree`]);
  return {
    pinned: [git],
    readOnly: [
      { path: `${git}/config`, kind: "file" },
      await look(files, `${git}/hooks`) === undefined
        ? { path: `${git}/hooks`, kind: "directory", missing: true }
        : { path: `${git}/hooks`, kind: "directory" },
      ...await places(files, more),
    ],
  };
}

async function places(files: Files, paths: readonly string[]): Promise<Place[]> {
  return await Promise.all(paths.map(async (path): Promise<Place> => ({
    path,
    kind: (await files.stat(path)).kind === "directory" ? "directory" : "file",
  })));
}

/** The real paths of those that exist, each once. */
async function existing(files: Files, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => orNothing(files.realPath(path))));
  return [...new Set(found.filter((path) => path !== undefined))];
}

function look(files: Files, path: string): Promise<FileInfo | undefined> {
  return orNothing(files.lstat(path));
}

async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

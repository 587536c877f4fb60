/** From a section as written to what it does to which file. */
import { cleanPath, samePath, withoutPrefix } from "./names.ts";
import type { Hunk, Misfit, MisfitKind, Section } from "./patch.ts";

/** A section with its names as written; `null` is `/dev/null`. */
export interface RawSection {
  readonly at: number;
  readonly git: GitLines;
  readonly names?: { readonly old: string | null; readonly new: string | null };
  readonly hunks: readonly Hunk[];
  /** A hunk of it couldn't be read, which was said already. */
  readonly broken: boolean;
}

/** What git's lines between `diff --git` and `---` say. */
export interface GitLines {
  names?: readonly [string, string];
  mode?: string;
  oldMode?: string;
  created?: boolean;
  deleted?: boolean;
  from?: string;
  to?: string;
  copied?: boolean;
  binary?: boolean;
}

/** Is this section's pair of names plainly written without `a/` and `b/`? */
export function isWithoutPrefix(section: RawSection): boolean {
  const pair = section.names ?? { old: section.git.names?.[0], new: section.git.names?.[1] };
  return typeof pair.old === "string" && pair.old === pair.new;
}

/** The section's paths and kind; `bare` says that this patch writes names without prefixes. */
export function resolveSection(raw: RawSection, bare: boolean): Section | Misfit {
  const { git, names, hunks, at, broken } = raw;
  const section = pathsOf(raw, bare);
  const path = "path" in section ? section.path : undefined;
  const misfit = (kind: MisfitKind, message: string): Misfit => ({
    kind,
    message,
    at,
    ...(path !== undefined ? { path } : {}),
  });
  if (typeof section === "object" && "problem" in section) {
    return misfit(section.kind, section.problem);
  }
  for (const mode of [git.mode, git.oldMode]) {
    if (mode && !/^100[0-7]{3}$/.test(mode)) {
      const what = mode === "160000" ? "a submodule" : "a link or a special file";
      return misfit("unsupported", `"${path}" is ${what}, which a patch can't change here`);
    }
  }
  if (git.binary) {
    return misfit("binary", `"${path}" is binary: a patch can't change it, write it another way`);
  }
  const mode = git.mode ? parseInt(git.mode.slice(3), 8) : undefined;
  const base = { ...section, at, hunks, ...(mode !== undefined ? { mode } : {}) };
  const needsNoHunk = section.kind === "rename" || section.kind === "copy" ||
    (!names && (git.created || git.deleted)) || mode !== undefined && section.kind === "update";
  if (hunks.length === 0 && !needsNoHunk && !broken) {
    return misfit(
      "no_hunks",
      `The section of "${path}" has no "@@" hunk: nothing says what changes`,
    );
  }
  return base;
}

type Paths =
  | {
    readonly kind: Section["kind"];
    readonly path: string;
    readonly to?: string;
    readonly unstripped?: string;
  }
  | { readonly kind: MisfitKind; readonly problem: string };

function pathsOf(raw: RawSection, bare: boolean): Paths {
  const { git } = raw;
  if (git.from !== undefined && git.to !== undefined) {
    const kind = git.copied ? "copy" : "rename";
    return { kind, path: cleanPath(git.from), to: cleanPath(git.to) };
  }
  const oldName = raw.names ? raw.names.old : git.created ? null : git.names?.[0] ?? null;
  const newName = raw.names ? raw.names.new : git.deleted ? null : git.names?.[1] ?? null;
  const strip = (name: string): string => {
    const both = git.names && samePath(git.names[0], git.names[1]);
    if (both !== undefined && (name === git.names?.[0] || name === git.names?.[1])) return both;
    return bare ? cleanPath(name) : withoutPrefix(name);
  };
  if (oldName === null && newName === null) {
    return { kind: "bad_header", problem: "The section names no file" };
  }
  if (oldName === null) return { kind: "create", path: strip(newName!) };
  const above = withoutPrefix(oldName).startsWith("../");
  const unstripped = above ? withoutPrefix(oldName) : cleanPath(oldName);
  if (newName === null) {
    return { kind: "delete", path: above ? unstripped : strip(oldName), unstripped };
  }
  const path = samePath(oldName, newName);
  if (path !== undefined) return { kind: "update", path, unstripped };
  return {
    kind: "path_mismatch",
    problem:
      `"--- ${oldName}" and "+++ ${newName}" name different files: name one file twice, or use "rename from" and "rename to" lines`,
  };
}

/**
 * Works a whole patch out, in memory: texts in, texts or misfits out (SPEC 6).
 *
 * Sections apply one after the other to what the earlier ones left, so that two sections for one file, or a deletion
 * and a creation, add up. Any misfit, and there is no change at all; every misfit is told, not only the first.
 */
import { applyHunks } from "./apply_hunks.ts";
import { explain } from "./explain.ts";
import type {
  Applied,
  Change,
  FileState,
  Hunk,
  Misfit,
  MisfitKind,
  Placement,
  Section,
  Source,
} from "./patch.ts";

/** Every path that the sections read or write, each once. */
export function pathsOfPatch(
  sections: readonly Section[],
): { readonly read: readonly string[]; readonly write: readonly string[] } {
  const read = new Set<string>();
  const write = new Set<string>();
  for (const section of sections) {
    read.add(section.path);
    if (section.kind !== "copy") write.add(section.path);
    if (section.to !== undefined) write.add(section.to);
  }
  return { read: [...read], write: [...write] };
}

/**
 * The changes of all files, or every reason against them. `look` says what stands at a path now.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parsePatch } from "./parse.ts";
 * const parsed = parsePatch("--- a/x\n+++ b/x\n@@ -7 +7 @@\n-old\n+new\n");
 * const sections = parsed.kind === "patch" ? parsed.sections : [];
 * const applied = applySections(sections, () => ({ kind: "file", text: "top\nold\n", mode: 0o644 }));
 * assertEquals(applied.kind === "applied" && applied.changes[0]?.after?.text, "top\nnew\n");
 * ```
 */
export function applySections(
  sections: readonly Section[],
  look: (path: string) => Source,
): Applied {
  const leaving = sections.filter((section) => section.kind === "rename");
  const desk: Desk = {
    look,
    pending: new Map(),
    arrived: new Set(),
    leaving: new Set(leaving.map((section) => section.path)),
    misfits: [],
    placements: [],
  };
  for (const section of sections) applySection(section, desk);
  const changes: Change[] = [];
  for (const [path, after] of desk.pending) {
    const source = look(path);
    const before = source.kind === "file" ? { text: source.text, mode: source.mode } : null;
    if (!sameState(before, after)) changes.push({ path, before, after });
  }
  if (desk.misfits.length === 0 && changes.length === 0) {
    refuse(
      desk,
      sections[0]!,
      "no_change",
      "The patch changes nothing: the files have this content already",
    );
  }
  if (desk.misfits.length > 0) return { kind: "misfits", misfits: desk.misfits };
  return { kind: "applied", changes, placements: desk.placements, sections };
}

/** The work so far: what each touched path holds after the sections that are done. */
interface Desk {
  readonly look: (path: string) => Source;
  readonly pending: Map<string, FileState | null>;
  /** Names to which a file was moved or copied. */
  readonly arrived: Set<string>;
  /** Names from which some section moves the file away. */
  readonly leaving: ReadonlySet<string>;
  readonly misfits: Misfit[];
  readonly placements: Placement[];
}

function sameState(a: FileState | null, b: FileState | null): boolean {
  return a === null || b === null ? a === b : a.text === b.text && a.mode === b.mode;
}

function now(desk: Desk, path: string): Source {
  const pending = desk.pending.get(path);
  if (pending === undefined) return desk.look(path);
  return pending === null ? { kind: "missing" } : { kind: "file", ...pending };
}

function refuse(desk: Desk, section: Section, kind: MisfitKind, message: string): void {
  desk.misfits.push({ kind, message, at: section.at, path: section.path });
}

function applySection(section: Section, desk: Desk): void {
  for (const path of section.to === undefined ? [section.path] : [section.path, section.to]) {
    const problem = problemOf(path);
    if (problem) return refuse(desk, section, "path_escape", problem);
  }
  const source = now(desk, section.path);
  if (source.kind === "other") {
    return refuse(desk, section, "not_regular_file", `"${section.path}" is ${source.what}`);
  }
  switch (section.kind) {
    case "create":
      return create(section, source, desk);
    case "delete":
      return remove(section, source, desk);
    case "update":
      return update(section, source, desk);
    case "rename":
    case "copy":
      return move(section, source, desk);
  }
}

/** Names that no patch may touch, wherever the project is. */
function problemOf(path: string): string | undefined {
  if (path === "" || path.includes("\0")) return `${JSON.stringify(path)} is no file name`;
  if (/^[A-Za-z]:/.test(path)) {
    return `"${path}" is a drive's path: name files from the project's folder`;
  }
  if (path.split("/").some((part) => part.toLowerCase() === ".git")) {
    return `"${path}" lies in git's own folder, which a patch may not change`;
  }
  return undefined;
}

function create(section: Section, source: Source, desk: Desk): void {
  const { path, hunks } = section;
  if (!hunks.every(onlyAdds)) {
    const message =
      `The section creates "${path}" but has lines that aren't added: begin each with "+"`;
    return refuse(desk, section, "bad_hunk", message);
  }
  if (source.kind === "file" && source.text !== "") {
    const message = `"${path}" exists already: patch it from "--- a/${path}", or delete it first`;
    return refuse(desk, section, "file_exists", message);
  }
  put(section, { text: "", mode: section.mode ?? 0o644 }, desk);
}

/** Blank lines at the end may be separators. */
function onlyAdds(hunk: Hunk): boolean {
  const lines = hunk.lines.slice(0, hunk.lines.length - hunk.looseBlanks);
  return lines.every((line) => line.kind === "added");
}

/** Applies the hunks to `state` and keeps the result as the content of `to`. */
function put(section: Section, state: FileState, desk: Desk, to = section.path): void {
  const result = applyHunks(state.text, section.hunks);
  if (result.kind === "misfits") {
    desk.misfits.push(
      ...result.misfits.map((misfit) => explain(section.path, result.file, misfit)),
    );
    return;
  }
  desk.pending.set(to, { text: result.text, mode: section.mode ?? state.mode });
  result.placed.forEach((placed, index) =>
    desk.placements.push({
      path: to,
      hunk: index + 1,
      from: placed.from,
      to: placed.to,
      how: placed.place.tier,
      ...(placed.moved !== undefined && section.kind !== "create" ? { moved: placed.moved } : {}),
    })
  );
}

function remove(section: Section, source: Source, desk: Desk): void {
  const { path, hunks } = section;
  if (source.kind !== "file") return missing(section, desk);
  if (!section.blind) {
    const result = applyHunks(source.text, hunks);
    if (result.kind === "misfits") {
      desk.misfits.push(...result.misfits.map((misfit) => explain(path, result.file, misfit)));
      return;
    }
    if (result.text !== "") {
      const message =
        `The section deletes "${path}" but doesn't show all its lines: the file has others, so it was kept`;
      return refuse(desk, section, "delete_incomplete", message);
    }
  }
  desk.pending.set(path, null);
}

function missing(section: Section, desk: Desk): void {
  const message = desk.pending.has(section.path)
    ? `"${section.path}" is gone after an earlier section of this patch`
    : `"${section.path}" doesn't exist: to create it, write "--- /dev/null" above "+++ b/${section.path}"`;
  refuse(desk, section, "missing_file", message);
}

function update(section: Section, source: Source, desk: Desk): void {
  if (source.kind === "file") return put(section, source, desk);
  const adds = section.hunks.length > 0 && section.hunks.every(onlyAdds);
  // Models write a new file with its own name on both sides.
  return adds ? create({ ...section, kind: "create" }, source, desk) : missing(section, desk);
}

/**
 * Git's renames and copies all speak of the files before the patch, so that two files may change names: what an earlier
 * section moved to this name is not what this one takes.
 */
function move(section: Section, source: Source, desk: Desk): void {
  const { path } = section;
  const to = section.to!;
  const replaced = desk.arrived.has(path);
  const state = replaced || section.kind === "copy" ? desk.look(path) : source;
  if (state.kind !== "file") return missing(section, desk);
  const target = now(desk, to);
  if (target.kind === "other") {
    return refuse(desk, section, "not_regular_file", `"${to}" is ${target.what}`);
  }
  if (target.kind === "file" && to !== path && !desk.leaving.has(to)) {
    const message = `"${to}" exists already: "${path}" can't be moved there`;
    return refuse(desk, section, "file_exists", message);
  }
  if (section.kind === "rename" && !replaced) desk.pending.set(path, null);
  put(section, state, desk, to);
  desk.arrived.add(to);
}

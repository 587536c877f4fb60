/** `apply_patch`: a unified diff over any number of files, all or nothing (SPEC 6). */
import { applySections, pathsOfPatch } from "../patch/apply.ts";
import { bytesOf, byteTextOf, encodeText } from "../patch/byte_text.ts";
import { parsePatch } from "../patch/parse.ts";
import type { Applied, FileState, Misfit, Section, Source } from "../patch/patch.ts";
import { reportApplied, reportMisfits } from "../patch/report.ts";
import type { Files } from "../system/system.ts";
import { answering, succeed } from "./answer.ts";
import type { FileChange, Snapshot } from "./journal.ts";
import { resolveTarget, type Target } from "./target.ts";
import { APPLY_PATCH_SPEC } from "./specs.ts";
import type { Access, Tool, ToolAnswer, ToolWorld } from "./tool.ts";
import { linkNote, writeAll } from "./write_text.ts";

/** Applies a patch in full or not at all, and says where each hunk landed. */
export const applyPatchTool: Tool = {
  spec: APPLY_PATCH_SPEC,
  needs: (args) => needsOf(args.patch as string),
  run: (args, world) => answering(() => apply(args.patch as string, world)),
};

function needsOf(patch: string): Access[] {
  const parsed = parsePatch(encodeText(patch));
  if (parsed.kind === "misfits") return [];
  const { read, write } = pathsOfPatch(parsed.sections);
  return [
    ...read.map((path) => ({ kind: "read" as const, path })),
    ...write.map((path) => ({ kind: "write" as const, path })),
  ];
}

async function apply(patch: string, world: ToolWorld): Promise<ToolAnswer> {
  const worked = await workOut(encodeText(patch), world.files, { cwd: world.cwd });
  if (worked.kind === "misfits") return { exit: 1, output: reportMisfits(worked.misfits) };
  await writeAll(worked.changes, world);
  const notes = worked.targets.map(linkNote).join("");
  return succeed(reportApplied(worked.applied).trimEnd() + notes);
}

/** A patch worked out against the disk, nothing written yet. */
export type Worked =
  | {
    readonly kind: "changes";
    readonly applied: Extract<Applied, { kind: "applied" }>;
    readonly changes: readonly FileChange[];
    readonly targets: readonly Target[];
  }
  | { readonly kind: "misfits"; readonly misfits: readonly Misfit[] };

/** Where a patch is for. */
export interface Ground {
  /** What its paths are relative to. */
  readonly cwd: string;
  /** Turns a path down, with a reason, before anything of it is read. */
  refuse?(target: Target): string | undefined;
  /**
   * `a/x` may mean the file `x` of the folder `a` where no `x` exists. Not for the tool, whose paths are asked about
   * before the disk is looked at.
   */
  readonly mayKeepPrefix?: boolean;
}

/** Reads the files that the patch (byte text) names and works everything out in memory. */
export async function workOut(patch: string, files: Files, ground: Ground): Promise<Worked> {
  const parsed = parsePatch(patch);
  if (parsed.kind === "misfits") return parsed;
  const sections = ground.mayKeepPrefix
    ? await withPrefixes(parsed.sections, files, ground.cwd)
    : parsed.sections;
  const targets = await resolveAll(sections, files, ground.cwd);
  const escapes = [...targets.values()].flatMap((target) => {
    const message = ground.refuse?.(target);
    return message ? [{ kind: "path_escape" as const, message, at: 1, path: target.path }] : [];
  });
  if (escapes.length > 0) return { kind: "misfits", misfits: escapes };
  const sources = await readAll(targets, files);
  const applied = applySections(sections, (path) => sources.get(path)!);
  if (applied.kind === "misfits") return applied;
  const changes = applied.changes.map((change) => ({
    path: change.path,
    target: targets.get(change.path)!.target,
    before: snapshot(change.before),
    after: snapshot(change.after),
  }));
  const touched = applied.changes.map((change) => targets.get(change.path)!);
  const links = changes.filter(({ path, after }) => after === null && targets.get(path)!.isLink);
  if (links.length > 0) {
    return { kind: "misfits", misfits: links.map(({ path }) => linkMisfit(path)) };
  }
  return { kind: "changes", applied, changes, targets: touched };
}

/** The sections, those whose file is only there under its name as written taken so. */
async function withPrefixes(sections: readonly Section[], files: Files, cwd: string) {
  const named: Section[] = [];
  for (const section of sections) {
    const { path, unstripped } = section;
    const made = named.some((each) => each.path === path || each.to === path);
    const kept = unstripped !== undefined && unstripped !== path && !made &&
      (await resolveTarget(files, cwd, path)).found.kind === "missing" &&
      (await resolveTarget(files, cwd, unstripped)).found.kind === "file";
    named.push(kept ? { ...section, path: unstripped } : section);
  }
  return named;
}

function linkMisfit(path: string): Misfit {
  const message = `"${path}" is a link, which a patch can't delete or rename: use run`;
  return { kind: "not_regular_file", message, at: 1, path };
}

function snapshot(state: FileState | null): Snapshot | null {
  return state && { bytes: bytesOf(state.text), mode: state.mode };
}

async function resolveAll(sections: readonly Section[], files: Files, cwd: string) {
  const { read, write } = pathsOfPatch(sections);
  const targets = new Map<string, Target>();
  for (const path of new Set([...read, ...write])) {
    targets.set(path, await resolveTarget(files, cwd, path));
  }
  return targets;
}

async function readAll(targets: ReadonlyMap<string, Target>, files: Files) {
  const sources = new Map<string, Source>();
  const names = new Map<string, string>();
  for (const [path, { target, found }] of targets) {
    const twin = names.get(target);
    names.set(target, path);
    if (twin !== undefined) {
      sources.set(path, { kind: "other", what: `the same file as "${twin}": use one name for it` });
    } else if (found.kind === "file") {
      const text = byteTextOf(await files.readFile(target));
      sources.set(path, { kind: "file", text, mode: found.info.mode });
    } else sources.set(path, found);
  }
  return sources;
}

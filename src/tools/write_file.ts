/** `write_file`: a whole file, atomically. */
import type { JsonObject } from "../vocab.ts";
import { answering, refuse, succeed } from "./answer.ts";
import { sameSnapshot, sha256Of } from "./journal.ts";
import { resolveTarget } from "./target.ts";
import { WRITE_FILE_SPEC } from "./specs.ts";
import type { Tool, ToolAnswer, ToolWorld } from "./tool.ts";
import { linkNote, sizeInWords, snapshotOf, writeAll } from "./write_text.ts";

/**
 * Writes a file whole: parent folders are made, the mode of a file that exists is kept, a link stays a link.
 * Refuses to overwrite what others changed after the model read it (docs/decisions).
 */
export const writeFileTool: Tool = {
  spec: WRITE_FILE_SPEC,
  needs: (args) => [{ kind: "write", path: args.path as string }],
  run: (args, world) => answering(() => write(args, world)),
};

async function write(args: JsonObject, world: ToolWorld): Promise<ToolAnswer> {
  const path = args.path as string;
  const target = await resolveTarget(world.files, world.cwd, path);
  if (target.found.kind === "other") return refuse(`"${path}" is ${target.found.what}`);
  const before = await snapshotOf(target, world);
  const seen = world.seen?.get(target.target);
  if (before && seen !== undefined && await sha256Of(before.bytes) !== seen) {
    return refuse(
      `"${path}" has changed since it was read: read it again before overwriting it. Nothing was written`,
    );
  }
  const bytes = new TextEncoder().encode(args.content as string);
  const after = { bytes, mode: before?.mode ?? 0o644 };
  const size = sizeInWords(bytes);
  if (before && sameSnapshot(before, after)) {
    return succeed(`"${path}" has this content already (${size})`);
  }
  await writeAll([{ path, target: target.target, before, after }], world);
  return succeed(`${before ? "Wrote" : "Created"} "${path}" (${size})${linkNote(target)}`);
}

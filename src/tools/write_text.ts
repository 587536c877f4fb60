/** What `write_file`, `edit_file` and `apply_patch` share: files become snapshots, and snapshots are committed. */
import type { FileChange, Snapshot } from "./journal.ts";
import { sha256Of } from "./journal.ts";
import type { Target } from "./target.ts";
import type { ToolWorld } from "./tool.ts";
import { commitChanges } from "./transaction.ts";

/** Commits the changes, keeps their pre-images beside the session and remembers what was written. */
export async function writeAll(changes: readonly FileChange[], world: ToolWorld): Promise<void> {
  await commitChanges(world.files, changes, { store: world.spillDir, callId: world.callId });
  for (const { target, after } of changes) {
    if (after) world.seen?.set(target, await sha256Of(after.bytes));
    else world.seen?.delete(target);
  }
}

/** The file's bytes and mode, or `null` where there is none. */
export async function snapshotOf(target: Target, world: ToolWorld): Promise<Snapshot | null> {
  if (target.found.kind !== "file") return null;
  return { bytes: await world.files.readFile(target.target), mode: target.found.info.mode };
}

/** A remark about a file with more names than one: replacing it leaves the others with the old content. */
export function linkNote(target: Target): string {
  if (target.found.kind !== "file" || target.found.info.links < 2) return "";
  return `\nNote: "${target.path}" had another hard link, which keeps the old content.`;
}

/** How much was written, in words. */
export function sizeInWords(bytes: Uint8Array): string {
  return bytes.length === 1 ? "1 byte" : `${bytes.length} bytes`;
}

/** What came of a patch, in words: for the model's result and for the command line alike. */
import type { Applied, Change, Misfit, Placement } from "./patch.ts";

type Done = Extract<Applied, { kind: "applied" }>;

/** Reasons shown of a patch that fits nowhere. */
const SHOWN = 12;

/** One line a file, and one a hunk that landed elsewhere than stated or only with blanks ignored. */
export function reportApplied(applied: Done): string {
  const lines: string[] = [];
  for (const change of applied.changes) {
    if (isMovedAway(change, applied)) continue;
    lines.push(describeChange(change, applied));
    const placements = applied.placements.filter((each) => each.path === change.path);
    if (change.before !== null || placements.some((each) => each.moved !== undefined)) {
      lines.push(...placements.map((each) => `  ${describePlacement(each)}`));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The other side of a rename, which is told with the new name. */
function isMovedAway({ path, after }: Change, { sections }: Done): boolean {
  return after === null &&
    sections.some((section) => section.kind === "rename" && section.path === path);
}

function describeChange({ path, before, after }: Change, { sections }: Done): string {
  const moved = sections.find((section) => section.kind === "rename" && section.to === path);
  if (moved) return `Renamed ${moved.path} to ${path}`;
  if (after === null) return `Deleted ${path}`;
  if (before === null) return `Created ${path}`;
  const mode = before.mode === after.mode
    ? ""
    : ` (mode ${before.mode.toString(8)} is now ${after.mode.toString(8)})`;
  return `Updated ${path}${mode}`;
}

function describePlacement({ hunk, from, to, how, moved }: Placement): string {
  const where = to < from
    ? `before line ${from}`
    : from === to
    ? `line ${from}`
    : `lines ${from}-${to}`;
  const notes: string[] = [];
  if (how === "trailing_space") notes.push("trailing space ignored");
  if (moved !== undefined && moved !== 0) {
    const count = Math.abs(moved);
    const word = moved > 0 ? "below" : "above";
    notes.push(`${count} ${count === 1 ? "line" : "lines"} ${word} where its header said`);
  }
  return `hunk ${hunk}: ${where}${notes.length > 0 ? `, ${notes.join(", ")}` : ""}`;
}

/** That nothing was written, and every reason. */
export function reportMisfits(misfits: readonly Misfit[]): string {
  const lines = misfits.slice(0, SHOWN).map((misfit) => `${misfit.message}.`);
  if (misfits.length > SHOWN) lines.push(`… and ${misfits.length - SHOWN} more.`);
  return `Nothing was written. Mend the patch and send the whole of it again.\n${
    lines.join("\n")
  }\n`;
}

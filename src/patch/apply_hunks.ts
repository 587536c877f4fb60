/**
 * One file: all hunks are placed against its original text, must not overlap, and are applied in one pass.
 * Context keeps the file's bytes; only added lines are new.
 */
import { BOM } from "./byte_text.ts";
import { endOfLine, type FileLines, splitFile } from "./lines.ts";
import { locateHunk, type NoPlace, type Place, sameEnd, statedLine } from "./locate.ts";
import type { Hunk, HunkLine } from "./patch.ts";

/** A hunk that has its place. */
export interface Placed {
  readonly hunk: Hunk;
  readonly place: Place;
  /** How far from its stated line, where one is stated. */
  readonly moved?: number;
}

/** Why a hunk of the file doesn't go in; `number` counts from 1. */
export interface HunkMisfit {
  readonly number: number;
  readonly hunk: Hunk;
  readonly why: NoPlace | { readonly kind: "overlap"; readonly other: number } | {
    kind: "no_change";
  };
}

/** The file's new text and where each hunk landed, or every hunk that has no place. */
export type HunksResult =
  | {
    readonly kind: "text";
    readonly text: string;
    readonly placed: readonly (Placed & { readonly from: number; readonly to: number })[];
  }
  | { readonly kind: "misfits"; readonly file: FileLines; readonly misfits: readonly HunkMisfit[] };

/** One replacement: lines `start` to `end` (exclusive, from 0) of the original become `added`. */
interface Edit {
  readonly number: number;
  readonly start: number;
  end: number;
  readonly removed: HunkLine[];
  readonly added: HunkLine[];
  /** Added lines carry the end that the patch shows. */
  readonly literal: boolean;
  /** The hunk has no old lines, whose ends could speak for or against those shown. */
  readonly alone: boolean;
}

/** Applies the hunks to a text (byte text). */
export function applyHunks(source: string, hunks: readonly Hunk[]): HunksResult {
  const file = splitFile(source);
  const misfits: HunkMisfit[] = [];
  const placed: (Placed | undefined)[] = [];
  let drift = 0;
  hunks.forEach((hunk, index) => {
    const place = locateHunk(hunk, file, drift);
    if (place.kind !== "place") {
      misfits.push({ number: index + 1, hunk, why: place });
      placed.push(undefined);
      return;
    }
    const stated = statedLine(hunk);
    if (stated !== undefined) drift = place.line - stated;
    placed.push({ hunk, place, ...(stated !== undefined ? { moved: drift } : {}) });
    if (!hunk.lines.some((line) => line.kind !== "context")) {
      misfits.push({ number: index + 1, hunk, why: { kind: "no_change" } });
    }
  });
  const edits = placed.flatMap((each, index) => each ? editsOf(each, index + 1, file) : [])
    .sort((a, b) => a.start - b.start || a.end - b.end);
  misfits.push(...overlaps(edits, hunks));
  if (misfits.length > 0) {
    return { kind: "misfits", file, misfits: misfits.sort((a, b) => a.number - b.number) };
  }
  const whole = placed as readonly Placed[];
  return { kind: "text", text: rebuild(file, edits), placed: withLines(whole, edits) };
}

/** The hunk's runs of removed and added lines, each with its lines of the file. */
function editsOf({ hunk, place }: Placed, number: number, file: FileLines): Edit[] {
  const edits: Edit[] = [];
  const alone = !hunk.lines.some((line) => line.kind !== "added");
  const literal = file.count === 0 || showsEnds(hunk, place, file);
  let at = place.line;
  let open: Edit | undefined;
  for (const line of hunk.lines) {
    if (line.kind === "context") {
      open = undefined;
      at++;
      continue;
    }
    if (!open) {
      open = { number, start: at, end: at, removed: [], added: [], literal, alone };
      edits.push(open);
    }
    if (line.kind === "added") open.added.push(line);
    else {
      open.removed.push(line);
      open.end = ++at;
    }
  }
  return edits;
}

/** Do the hunk's old lines show CR exactly where the file has it? Then its added lines mean what they show. */
function showsEnds(hunk: Hunk, place: Place, file: FileLines): boolean {
  const old = hunk.lines.filter((line) => line.kind !== "added");
  const kept = old.slice(0, old.length - place.dropped);
  return kept.length > 0 &&
    kept.every((line, at) => line.noNewline || sameEnd(file, place.line + at, line.text));
}

/** Changed spans must not overlap, and two insertions at one point have no order. */
function overlaps(edits: readonly Edit[], hunks: readonly Hunk[]): HunkMisfit[] {
  const found: HunkMisfit[] = [];
  let last: Edit | undefined;
  for (const edit of edits) {
    const clash = last && last.number !== edit.number &&
      (edit.start < last.end || edit.start === last.start && edit.end === last.end);
    if (last && clash) {
      const number = Math.max(edit.number, last.number);
      const other = Math.min(edit.number, last.number);
      if (!found.some((misfit) => misfit.number === number)) {
        found.push({ number, hunk: hunks[number - 1]!, why: { kind: "overlap", other } });
      }
    }
    if (!last || edit.end >= last.end) last = edit;
  }
  return found;
}

function rebuild(file: FileLines, edits: readonly Edit[]): string {
  const common = commonEnd(file);
  const parts: string[] = [];
  let at = 0;
  let open = false;
  for (const edit of edits) {
    const kept = file.text.slice(file.starts[at], file.starts[edit.start]);
    if (kept !== "") open = !kept.endsWith("\n");
    parts.push(kept);
    if (open && edit.added.length > 0) parts.push(common);
    const added = addedText(file, edit, common);
    if (added !== "") open = !added.endsWith("\n");
    parts.push(added);
    at = edit.end;
  }
  parts.push(file.text.slice(file.starts[at]));
  return restoreMark(file, edits[0], parts.join(""));
}

/** The added lines of one edit with their ends: the one shown, or that of the line replaced or of the neighbour. */
function addedText(file: FileLines, edit: Edit, common: string): string {
  const atEnd = edit.end === file.count;
  return edit.added.map((line, index) => {
    const cr = line.text.endsWith("\r");
    const bare = cr ? line.text.slice(0, -1) : line.text;
    if (atEnd && index === edit.added.length - 1 && staysOpen(file, edit, line)) {
      return line.noNewline ? line.text : bare;
    }
    if (edit.literal) return cr ? `${bare}\r\n` : `${bare}\n`;
    if (cr && edit.alone) return `${bare}\r\n`;
    return bare + (nearbyEnd(file, edit, index) || common);
  }).join("");
}

function nearbyEnd(file: FileLines, edit: Edit, index: number): string {
  if (edit.end > edit.start) {
    return endOfLine(file, Math.min(edit.start + index, edit.end - 1)) ||
      (edit.start > 0 ? endOfLine(file, edit.start - 1) : "");
  }
  if (edit.start > 0) return endOfLine(file, edit.start - 1);
  return file.count > 0 ? endOfLine(file, 0) : "";
}

/** Has the result no newline after this last added line? As marked; without any mark the file's state is kept. */
function staysOpen(file: FileLines, edit: Edit, line: HunkLine): boolean {
  if (line.noNewline) return true;
  const wasOpen = file.text !== "" && !file.text.endsWith("\n");
  return wasOpen && !edit.removed.some((removed) => removed.noNewline);
}

/** The end that most lines of the file have. */
function commonEnd(file: FileLines): string {
  let crlf = 0;
  let lf = 0;
  for (let index = 0; index < file.count; index++) {
    const end = endOfLine(file, index);
    if (end === "\r\n") crlf++;
    else if (end === "\n") lf++;
  }
  return crlf > lf ? "\r\n" : "\n";
}

/** A byte order mark stays the first thing in the file, unless the patch plainly takes it away. */
function restoreMark(file: FileLines, first: Edit | undefined, text: string): string {
  if (!file.bom || text === "") return text;
  const shown = first?.start === 0 && (first.removed[0]?.text.startsWith(BOM) ?? false);
  if (text.startsWith(BOM)) return text;
  return shown && first!.added.length > 0 ? text : BOM + text;
}

/** Where each hunk stands in the result. */
function withLines(placed: readonly Placed[], edits: readonly Edit[]) {
  const growth = new Map<number, number>();
  for (const edit of edits) {
    const grown = edit.added.length - (edit.end - edit.start);
    growth.set(edit.number, (growth.get(edit.number) ?? 0) + grown);
  }
  const order = placed.map((_, index) => index)
    .sort((a, b) => placed[a]!.place.line - placed[b]!.place.line);
  const starts: number[] = [];
  let shift = 0;
  for (const index of order) {
    starts[index] = placed[index]!.place.line + shift;
    shift += growth.get(index + 1) ?? 0;
  }
  return placed.map((each, index) => {
    const size = each.hunk.lines.filter((line) => line.kind !== "removed").length -
      each.place.dropped;
    return { ...each, from: starts[index]! + 1, to: starts[index]! + size };
  });
}

/**
 * Finds the one place in the original file where a hunk belongs (SPEC 6).
 *
 * The ladder: exactly, then with trailing white space ignored; the first rung with any place decides. One place is
 * taken, whatever the line number says. Of several, the one at the stated line, or at it plus the drift of the hunk
 * before; else the one that its `@@ text` points to; else the nearest, if it is within 10 lines and every other more
 * than 60 away (SPEC says 40; docs/decisions). "Nearest wins" without those distances edits the wrong copy in one case of five.
 */
import { BOM } from "./byte_text.ts";
import { endOfLine, type FileLines, placesOf, type Tier, withoutTrailingSpace } from "./lines.ts";
import type { Hunk } from "./patch.ts";

/** A hunk's place: the line (from 0) of the file where its first line stands. */
export interface Place {
  readonly kind: "place";
  readonly line: number;
  readonly tier: Tier;
  /** Lines at the end of the hunk that are separators, not context. */
  readonly dropped: number;
}

/** Why a hunk has no place. */
export type NoPlace =
  | { readonly kind: "not_found" }
  | { readonly kind: "ambiguous"; readonly places: readonly number[] }
  | { readonly kind: "no_anchor" }
  | { readonly kind: "truncated" };

const NEAR = 10;
const FAR = 60;

/** The hunk's place in the file, or why it has none; `drift` is how far the hunk before it was from its stated line. */
export function locateHunk(hunk: Hunk, file: FileLines, drift: number): Place | NoPlace {
  const block = oldBlock(hunk, file);
  if (block.length === 0) return insertionPlace(hunk, file, drift);
  for (let dropped = 0; dropped <= hunk.looseBlanks && dropped < block.length; dropped++) {
    const kept = block.slice(0, block.length - dropped);
    for (const tier of ["exact", "trailing_space"] as const) {
      const sought = tier === "exact" ? kept : kept.map(withoutTrailingSpace);
      if (tier !== "exact" && isSameSearch(file, kept, sought)) continue;
      const places = placesOf(file, tier, sought);
      if (places.length === 0) continue;
      const line = choose(places, { hunk, file, drift, size: kept.length });
      if (line === undefined) return { kind: "ambiguous", places };
      if (isCutOff(hunk, file, line + kept.length)) return { kind: "truncated" };
      return { kind: "place", line, tier, dropped };
    }
  }
  if (hunk.looseBlanks < block.length) return { kind: "not_found" };
  const place = insertionPlace(hunk, file, drift);
  return place.kind === "place" ? { ...place, dropped: block.length } : place;
}

/** Does neither the file nor the block end any line in blanks? */
function isSameSearch(file: FileLines, kept: readonly string[], sought: readonly string[]) {
  return file.keys("exact") === file.keys("trailing_space") &&
    sought.every((line, at) => line === kept[at]);
}

/** The context and removed lines as they are compared: without their ends, and without the file's byte order mark. */
export function oldBlock(hunk: Hunk, file: FileLines): string[] {
  return hunk.lines.filter((line) => line.kind !== "added").map((line) => {
    const text = file.bom && line.text.startsWith(BOM) ? line.text.slice(BOM.length) : line.text;
    return text.endsWith("\r") && !line.noNewline ? text.slice(0, -1) : text;
  });
}

/** Where the stated line is, from 0; a count of 0 means "after it". */
export function statedLine(hunk: Hunk): number | undefined {
  if (hunk.oldStart === undefined) return undefined;
  return hunk.oldCount === 0 ? hunk.oldStart : Math.max(hunk.oldStart - 1, 0);
}

/** A hunk of added lines alone: its place is what its header says, and only if that can be trusted. */
function insertionPlace(hunk: Hunk, file: FileLines, drift: number): Place | NoPlace {
  const at = (line: number): Place => ({ kind: "place", line, tier: "exact", dropped: 0 });
  if (file.count === 0) return at(0);
  if (hunk.atEnd && hunk.anchors.length === 0) return at(file.count);
  const stated = statedLine(hunk);
  if (stated === undefined || hunk.oldCount !== 0 || drift !== 0) return { kind: "no_anchor" };
  return stated <= file.count ? at(stated) : { kind: "not_found" };
}

interface Choice {
  readonly hunk: Hunk;
  readonly file: FileLines;
  readonly drift: number;
  readonly size: number;
}

function choose(places: readonly number[], choice: Choice): number | undefined {
  if (places.length === 1) return places[0];
  const { hunk, file, drift, size } = choice;
  const stated = statedLine(hunk);
  if (stated !== undefined) {
    const drifted = places.includes(stated + drift) ? stated + drift : undefined;
    if (places.includes(stated)) {
      return drifted === undefined || drift === 0 ? stated : undefined;
    }
    return drifted ?? nearest(places, stated);
  }
  const last = hunk.lines.findLast((line) => line.kind !== "added");
  if (hunk.atEnd || last?.noNewline) {
    const end = file.count - size;
    if (places.includes(end)) return end;
  }
  return hunk.anchors.length > 0 ? anchored(places, hunk.anchors, file) : undefined;
}

function nearest(places: readonly number[], stated: number): number | undefined {
  const near = places.filter((place) => Math.abs(place - stated) <= FAR);
  return near.length === 1 && Math.abs(near[0]! - stated) <= NEAR ? near[0] : undefined;
}

/**
 * The place that `@@ text` lines point to: each text must stand on exactly one line below the one before it. Then the
 * only place inside that line's block (what is indented deeper) is taken, or else the only one below it.
 */
function anchored(
  places: readonly number[],
  anchors: readonly string[],
  file: FileLines,
): number | undefined {
  let from = 0;
  for (const anchor of anchors) {
    const lines = file.keys("exact");
    const found: number[] = [];
    for (let at = from; at < lines.length; at++) if (lines[at]!.trim() === anchor) found.push(at);
    if (found.length !== 1) return undefined;
    from = found[0]!;
  }
  const below = places.filter((place) => place >= from);
  const end = blockEnd(file.keys("exact"), from);
  const inside = below.filter((place) => place < end);
  if (inside.length === 1) return inside[0];
  return below.length === 1 ? below[0] : undefined;
}

/** The first line after `from` that has text and is not indented deeper. */
function blockEnd(lines: readonly string[], from: number): number {
  const depth = indentOf(lines[from]!);
  let at = from + 1;
  while (at < lines.length && (lines[at]!.trim() === "" || indentOf(lines[at]!) > depth)) at++;
  return at;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * Is this last hunk of the text cut off? It is when it is shorter than its counts, unless its old lines end with the
 * file, or the one to three lines that the counts still promise are blank in the file (blank lines get lost at the end).
 */
function isCutOff(hunk: Hunk, file: FileLines, end: number): boolean {
  const missing = hunk.missing;
  if (missing === undefined || end >= file.count) return false;
  if (missing < 1 || missing > 3) return true;
  return file.keys("trailing_space").slice(end, end + missing).some((line) => line !== "");
}

/** Does the line of the patch show the same line end as line `index` of the file? */
export function sameEnd(file: FileLines, index: number, shown: string): boolean {
  const end = endOfLine(file, index);
  return end === "" || (end === "\r\n") === shown.endsWith("\r");
}

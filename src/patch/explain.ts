/** Says why a hunk has no place: what was expected, the nearest thing in the file, and how it differs. */
import { decodeText } from "./byte_text.ts";
import { type FileLines, placesOf, splitFile, withoutTrailingSpace } from "./lines.ts";
import { oldBlock, statedLine } from "./locate.ts";
import type { HunkMisfit } from "./apply_hunks.ts";
import type { Hunk, Misfit, MisfitKind } from "./patch.ts";

/** Places shown of an ambiguous hunk, and votes counted of a line that is everywhere. */
const SHOWN = 5;
const VOTES = 200;

/** The misfit as a sentence that names file, hunk, what was expected and what is there. */
export function explain(path: string, file: FileLines, misfit: HunkMisfit): Misfit {
  const { hunk, number } = misfit;
  const [kind, reason] = reasonOf(file, misfit);
  const message = `Hunk ${number} of "${path}" (patch line ${hunk.at}) ${reason}`;
  return { kind, message, at: hunk.at, path, hunk: number };
}

function reasonOf(file: FileLines, { hunk, why }: HunkMisfit): readonly [MisfitKind, string] {
  switch (why.kind) {
    case "ambiguous":
      return [
        "ambiguous",
        `fits at ${placesInWords(why.places)}: show more context lines, or the right line number`,
      ];
    case "no_anchor":
      return [
        "ambiguous",
        "only adds lines and names no place in the file: show the context lines around them",
      ];
    case "truncated":
      return ["truncated", "is cut off: its counts promise more lines. Send the whole patch again"];
    case "overlap":
      return ["overlap", `changes lines that hunk ${why.other} changes too: make them one hunk`];
    case "no_change":
      return ["no_change", 'changes nothing: it has no "+" or "-" line'];
    case "not_found":
      return ["context_not_found", `doesn't fit: ${whatIsThere(hunk, file)}`];
  }
}

function placesInWords(places: readonly number[]): string {
  const shown = places.slice(0, SHOWN).map((place) => place + 1).join(", ");
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : "";
  return `${places.length} places, lines ${shown}${more}`;
}

function whatIsThere(hunk: Hunk, file: FileLines): string {
  if (file.count === 0) return "the file is empty";
  const old = oldBlock(hunk, file);
  if (old.length === 0) {
    return `it inserts after line ${statedLine(hunk)}, and the file has ${file.count} lines`;
  }
  const landed = newBlockPlace(hunk, file);
  if (landed !== undefined) {
    return `its new lines are already there, at line ${landed + 1}`;
  }
  const nearest = describeNearest(old, file) ?? "none of its lines is in the file";
  return nearest + listHint(hunk, file);
}

/** Where in a text (byte text) the lines of `old` nearly stand, and the first that differs; nothing where none does. */
export function nearestLines(old: string, text: string): string | undefined {
  const lines = splitFile(old).keys("exact");
  return describeNearest(lines, splitFile(text));
}

function describeNearest(old: readonly string[], file: FileLines): string | undefined {
  const place = nearestPlace(old, file);
  if (place === undefined) return undefined;
  const keys = file.keys("exact");
  const differs = old.findIndex((line, at) => {
    const there = keys[place + at];
    return there === undefined || withoutTrailingSpace(there) !== withoutTrailingSpace(line);
  });
  const first = Math.max(differs, 0);
  const there = keys[place + first];
  const from = Math.max(place, 0) + 1;
  const to = Math.min(place + old.length, file.count);
  const found = there === undefined
    ? "the file ends"
    : `the file has ${quote(there)}${difference(old[first]!, there)}`;
  return `the nearest is lines ${from}-${to}, where ${
    quote(old[first]!)
  } was expected and at line ${place + first + 1} ${found}`;
}

/** A line with its tabs and blanks visible, at most 160 bytes of it. */
function quote(line: string): string {
  const clipped = line.length > 160 ? `${line.slice(0, 160)}…` : line;
  return JSON.stringify(decodeText(clipped.replace("…", "...")));
}

function difference(expected: string, there: string): string {
  if (expected.trim() !== there.trim()) {
    return expected.replace(/\s+/g, "") === there.replace(/\s+/g, "")
      ? " (only blanks differ)"
      : "";
  }
  return " (only the indentation differs)";
}

/** Where the lines that the hunk would leave stand already. */
function newBlockPlace(hunk: Hunk, file: FileLines): number | undefined {
  if (!hunk.lines.some((line) => line.kind === "added")) return undefined;
  const lines = hunk.lines.map((line) =>
    line.kind === "removed" ? undefined : withoutTrailingSpace(line.text)
  ).filter((line) => line !== undefined);
  return placesOf(file, "trailing_space", lines)[0];
}

/**
 * Where most of the lines would stand in order: each line votes for the starts that its equals (indentation aside)
 * in the file speak for.
 */
function nearestPlace(old: readonly string[], file: FileLines): number | undefined {
  const wanted = new Map<string, number[]>();
  old.forEach((line, at) => {
    const key = line.trim();
    if (key === "") return;
    const known = wanted.get(key);
    if (!known) wanted.set(key, [at]);
    else if (known.length < SHOWN) known.push(at);
  });
  // Most lines of the file are told apart by their length alone.
  const lengths = new Set([...wanted.keys()].map((key) => key.length));
  const seen = new Map<string, number>();
  const votes = new Map<number, number>();
  file.keys("exact").forEach((line, at) => {
    const key = line.trim();
    const positions = lengths.has(key.length) ? wanted.get(key) : undefined;
    if (!positions) return;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    if (count > VOTES) return;
    for (const position of positions) {
      votes.set(at - position, (votes.get(at - position) ?? 0) + 1);
    }
  });
  let best: number | undefined;
  for (const [place, count] of votes) {
    if (best === undefined || count > votes.get(best)!) best = place;
  }
  return best;
}

/** A Markdown list item needs two marks; models forget the first. */
function listHint(hunk: Hunk, file: FileLines): string {
  const keys = new Set(file.keys("trailing_space"));
  const lost = hunk.lines.some((line) =>
    line.kind === "removed" && line.text.startsWith(" ") &&
    !keys.has(withoutTrailingSpace(line.text)) && keys.has(withoutTrailingSpace(`-${line.text}`))
  );
  return lost
    ? ` (a list item "- x" needs its mark before it: " - x" keeps it, "-- x" removes it)`
    : "";
}

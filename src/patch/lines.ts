/** A file's lines, with their own ends, and where equal ones stand. */
import { BOM } from "./byte_text.ts";

/** How strictly a line of the patch is compared with one of the file; line ends never count. */
export type Tier = "exact" | "trailing_space";

/** A file as lines; `\n` alone ends one. */
export interface FileLines {
  /** The whole byte text, without its byte order mark. */
  readonly text: string;
  readonly bom: boolean;
  readonly count: number;
  /** Where line `index` (from 0) begins in `text`; `starts[count]` is the end. */
  readonly starts: readonly number[];
  /** What the lines are compared by. */
  keys(tier: Tier): readonly string[];
  /** The lines with this key, ascending. */
  find(tier: Tier, key: string): readonly number[];
}

/** Cuts a file (byte text) into lines. */
export function splitFile(source: string): FileLines {
  const bom = source.startsWith(BOM);
  const text = bom ? source.slice(BOM.length) : source;
  const starts: number[] = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  const count = starts.length - 1;
  const exact: string[] = [];
  for (let index = 0; index < count; index++) {
    exact.push(withoutEnd(text.slice(starts[index], starts[index + 1])));
  }
  const keys = new Map<Tier, readonly string[]>([["exact", exact]]);
  const indexes = new Map<Tier, Map<string, number[]>>();
  const lines: FileLines = {
    text,
    bom,
    count,
    starts,
    keys: (tier) => remember(keys, tier, () => exact.map(withoutTrailingSpace)),
    find: (tier, key) => remember(indexes, tier, () => indexOf(lines.keys(tier))).get(key) ?? [],
  };
  return lines;
}

function remember<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function indexOf(keys: readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  keys.forEach((key, at) => {
    const known = index.get(key);
    if (known) known.push(at);
    else index.set(key, [at]);
  });
  return index;
}

/** The line without `\n` or `\r\n`; a CR at the very end of a file without final newline is content. */
function withoutEnd(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.endsWith("\r\n") ? line.slice(0, -2) : line.slice(0, -1);
}

/** The end of line `index`: `"\n"`, `"\r\n"`, or `""` for a last line without newline. */
export function endOfLine(lines: FileLines, index: number): string {
  const end = lines.starts[index + 1]!;
  if (lines.text[end - 1] !== "\n") return "";
  return end - 2 >= lines.starts[index]! && lines.text[end - 2] === "\r" ? "\r\n" : "\n";
}

/** The line without the blanks, tabs, CRs and form feeds at its end (a loop: a pattern would be quadratic). */
export function withoutTrailingSpace(line: string): string {
  let end = line.length;
  while (end > 0 && " \t\r\f\v".includes(line[end - 1]!)) end--;
  return end === line.length ? line : line.slice(0, end);
}

/**
 * Every place where `block` stands in `keys`, ascending.
 *
 * Starts from the block's rarest line; where even that is common, goes through the file once
 * (Knuth–Morris–Pratt), so that a thousand equal lines cost no square.
 */
export function placesOf(lines: FileLines, tier: Tier, block: readonly string[]): number[] {
  const keys = lines.keys(tier);
  let rarest = 0;
  let known = lines.find(tier, block[0] ?? "");
  for (let at = 1; at < block.length && known.length > 1; at++) {
    const found = lines.find(tier, block[at]!);
    if (found.length < known.length) [rarest, known] = [at, found];
  }
  if (known.length * block.length > 4 * keys.length) return scan(keys, block);
  return known.map((at) => at - rarest).filter((place) =>
    place >= 0 && place + block.length <= keys.length &&
    block.every((line, at) => keys[place + at] === line)
  );
}

function scan(keys: readonly string[], block: readonly string[]): number[] {
  const back = [0];
  let size = 0;
  for (let at = 1; at < block.length; at++) {
    while (size > 0 && block[at] !== block[size]) size = back[size - 1]!;
    if (block[at] === block[size]) size++;
    back.push(size);
  }
  const places: number[] = [];
  size = 0;
  for (let at = 0; at < keys.length; at++) {
    while (size > 0 && keys[at] !== block[size]) size = back[size - 1]!;
    if (keys[at] === block[size]) size++;
    if (size === block.length) {
      places.push(at - size + 1);
      size = back[size - 1]!;
    }
  }
  return places;
}

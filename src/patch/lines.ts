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
  /** What the lines are compared by; both tiers have the same array where no line ends in blanks. */
  keys(tier: Tier): readonly string[];
  /** The lines as they stand in `text` are the keys themselves: it may be searched as a whole. */
  isPlain(tier: Tier): boolean;
  /** How many blocks were searched for so far. */
  readonly searches: { count: number };
  /** The lines with this key, ascending. */
  find(tier: Tier, key: string): readonly number[];
}

/** Cuts a file (byte text) into lines. */
export function splitFile(source: string): FileLines {
  const bom = source.startsWith(BOM);
  const text = bom ? source.slice(BOM.length) : source;
  const raw = text.split("\n");
  const open = raw.at(-1) !== "";
  if (!open) raw.pop();
  const starts: number[] = [0];
  for (const line of raw) starts.push(starts.at(-1)! + line.length + 1);
  if (open) starts[raw.length] = text.length;
  const hasCr = text.includes("\r\n");
  // A CR at the very end of a file without final newline is content.
  const isEnded = (index: number) => index < raw.length - 1 || !open;
  const exact = hasCr
    ? raw.map((line, at) => line.endsWith("\r") && isEnded(at) ? line.slice(0, -1) : line)
    : raw;
  const keys = new Map<Tier, readonly string[]>([["exact", exact]]);
  const indexes = new Map<readonly string[], Map<string, number[]>>();
  const lines: FileLines = {
    text,
    bom,
    count: raw.length,
    starts,
    keys: (tier) => remember(keys, tier, () => withoutBlanks(text, exact)),
    searches: { count: 0 },
    isPlain: (tier) => lines.keys(tier) === raw,
    find: (tier, key) => {
      const known = lines.keys(tier);
      return remember(indexes, known, () => indexOf(known)).get(key) ?? [];
    },
  };
  return lines;
}

function withoutBlanks(text: string, exact: readonly string[]): readonly string[] {
  return /[ \t\r\f\v](\n|$)/.test(text) ? exact.map(withoutTrailingSpace) : exact;
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
 * Every place where `block` stands in the file, ascending.
 *
 * The first few blocks are searched in the text as a whole. Later ones start from their rarest line by an index; where
 * even that is common, one goes through the file once (Knuth–Morris–Pratt), so that equal lines cost no square.
 */
export function placesOf(lines: FileLines, tier: Tier, block: readonly string[]): number[] {
  return (lines.isPlain(tier) ? searchText(lines, block) : undefined) ??
    searchIndex(lines, tier, block);
}

/** More blocks or places than this, or a longer block, and the index is worth its making. */
const FEW = 8;
const SHORT = 2000;

/** Searches the text as a whole; nothing where the index is there already or does it better. */
function searchText(lines: FileLines, block: readonly string[]): number[] | undefined {
  const { text, starts } = lines;
  const sought = block.join("\n");
  if (lines.searches.count++ > FEW || sought.length > SHORT) return undefined;
  const places: number[] = [];
  let from = 0;
  for (let tries = 0; tries <= FEW; tries++) {
    const at = text.indexOf(sought, from);
    if (at < 0) return places;
    const end = at + sought.length;
    const bounded = (at === 0 || text[at - 1] === "\n") && at < text.length &&
      (end === text.length || text[end] === "\n");
    if (bounded) places.push(lineAt(starts, at));
    from = at + 1;
  }
  return undefined;
}

/** The line that begins at `offset`. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function searchIndex(lines: FileLines, tier: Tier, block: readonly string[]): number[] {
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

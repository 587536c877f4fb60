/** Text in cells: how wide it is, where a row of the screen ends. */
import { eastAsianWidth } from "get-east-asian-width";

/** How a stretch of text looks; `plain` is the terminal's own. */
export type Style = "plain" | "dim" | "bold" | "code" | "red" | "green" | "yellow" | "cyan";

/** A stretch of text of one look. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One row of the screen. */
export type Row = readonly Span[];

const SGR: { readonly [style in Exclude<Style, "plain">]: string } = {
  dim: "2",
  bold: "1",
  code: "36",
  red: "31",
  green: "32",
  yellow: "33",
  cyan: "36",
};

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const ASCII = /^[\x20-\x7e]*$/;
const TAB = "    ";

/** What a reader sees as one character each. */
export function graphemesOf(text: string): string[] {
  return ASCII.test(text) ? [...text] : Array.from(SEGMENTER.segment(text), (it) => it.segment);
}

/**
 * The cells that `text`, which holds no line break, takes on the screen.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["abc", "字", "a➡️b", "👩‍👩‍👧", "e\u0301"].map(cellsOf), [3, 2, 4, 2, 1]);
 * ```
 */
export function cellsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + cellsOfGrapheme(grapheme), 0);
}

/** An emoji of many parts takes the room of one; VS16 makes a sign an emoji. */
function cellsOfGrapheme(grapheme: string): number {
  if (grapheme.includes("\ufe0f") || /^\p{Regional_Indicator}{2}/u.test(grapheme)) return 2;
  if (/^[\p{M}\p{Cf}\p{Cc}]+$/u.test(grapheme)) return 0;
  return eastAsianWidth(grapheme.codePointAt(0)!);
}

/** The cells of a row. */
export function cellsOfRow(row: Row): number {
  return row.reduce((sum, span) => sum + cellsOf(span.text), 0);
}

/** A row without the blanks at its end, which would only push the cursor to the next one. */
export function trimRow(row: Row): Row {
  const last = row.at(-1);
  if (!last?.text.endsWith(" ")) return row;
  const text = last.text.trimEnd();
  const rest = row.slice(0, -1);
  return text === "" ? trimRow(rest) : [...rest, { text, style: last.style }];
}

/** A row as it's written to the terminal. */
export function paintRow(row: Row, color: boolean): string {
  return row.map(({ text, style }) =>
    style === "plain" || !color || text === "" ? text : `\x1b[${SGR[style]}m${text}\x1b[0m`
  ).join("");
}

/** One row of one look. */
export function row(text: string, style: Style = "plain"): Row {
  return [{ text, style }];
}

/**
 * The rows that `spans` take, `columns` cells each at most: broken between words, inside of them only where one is
 * longer than a row. A row that has one behind it doesn't change when text is added at the end. `\t` is four blanks.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const texts = wrapSpans([{ text: "one two three", style: "plain" }], 8)
 *   .map((each) => each.map(({ text }) => text).join(""));
 * assertEquals(texts, ["one two ", "three"]);
 * ```
 */
export function wrapSpans(spans: readonly Span[], columns: number): Row[] {
  const width = Math.max(2, columns);
  const rows: Span[][] = [[]];
  let used = 0;
  function put(text: string, style: Style): void {
    const last = rows.at(-1)!;
    const end = last.at(-1);
    if (end?.style === style) last[last.length - 1] = { text: end.text + text, style };
    else last.push({ text, style });
  }
  for (const word of wordsOf(spans)) {
    const cells = word.reduce((sum, { text }) => sum + cellsOf(text.trimEnd()), 0);
    if (used > 0 && used + cells > width) {
      rows.push([]);
      used = 0;
    }
    for (const { text, style } of word) {
      for (const grapheme of used + cellsOf(text) <= width ? [text] : graphemesOf(text)) {
        const more = cellsOf(grapheme);
        // Blanks at the end of a full row are not seen; they don't start the next one.
        if (used + more > width && grapheme !== " ") {
          rows.push([]);
          used = 0;
        }
        put(grapheme, style);
        used += more;
      }
    }
  }
  return rows;
}

/**
 * Words with the blanks behind them, whatever look these have; a word may have several looks. Blanks at the very start
 * go with the first word.
 */
function wordsOf(spans: readonly Span[]): Span[][] {
  const words: Span[][] = [];
  let open = false;
  for (const { text, style } of spans) {
    for (const piece of text.replaceAll("\t", TAB).match(/ +|[^ ]+/g) ?? []) {
      const blank = piece.startsWith(" ");
      const last = words.at(-1);
      if (last && (open || blank)) last.push({ text: piece, style });
      else words.push([{ text: piece, style }]);
      open = !blank || last === undefined;
    }
  }
  return words;
}

/** Where the words of {@linkcode hanging} begin. */
const HANGING_INDENT = 31;
/** Below this many cells of room the words go under their head. */
const HANGING_ROOM = 24;

/**
 * Rows with `head` on the left and the words of `text` beside it, broken between words; under it where there is little room.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const texts = hanging("/undo", "put back what was", 40, { indent: 8 })
 *   .map((each) => each.map(({ text }) => text).join(""));
 * assertEquals(texts, ["  /undo put back what was"]);
 * ```
 */
export function hanging(
  head: string,
  text: string,
  columns: number,
  options: { readonly indent?: number; readonly style?: Style } = {},
): Row[] {
  const { indent = HANGING_INDENT, style = "plain" } = options;
  const beside = columns - indent >= HANGING_ROOM;
  const left = beside ? indent : 6;
  const first = `  ${head}`.padEnd(left);
  const rows = wrapSpans([{ text, style }], columns - left);
  const indented = rows.map((each, i): Row => [
    { text: beside && i === 0 ? first : " ".repeat(left), style },
    ...each,
  ]);
  return beside ? indented : [row(first, style), ...indented];
}

/** `text` cut to `columns` cells, with `…` where something was left out. */
export function fit(text: string, columns: number): string {
  if (cellsOf(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += cellsOf(grapheme);
    if (used > columns - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/** `text` with what could move the cursor, ring or turn text around written as an escape; line breaks and tabs stay. */
export function harmless(text: string): string {
  return text.replace(
    // deno-lint-ignore no-control-regex
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (it) => `\\x${it.codePointAt(0)!.toString(16).padStart(2, "0")}`,
  );
}

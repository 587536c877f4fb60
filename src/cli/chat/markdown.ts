/**
 * Prose of the model, lightly styled as it comes: not a character is taken away or added, some are coloured. What was
 * handed out once never changes, however the text was cut.
 *
 * ```
 * line    = fence / heading / quote / item / words
 * fence   = *SP ( "```" / "~~~" ) …        ; the lines up to the next fence are code
 * heading = 1*6"#" SP …
 * quote   = ">" …
 * item    = *SP ( "-" / "*" / 1*digit "." ) SP …
 * words   = *( text / "`" code "`" / "**" bold "**" )
 * ```
 */
import { harmless, type Row, type Span, type Style, wrapSpans } from "./layout.ts";

/** A line is styled anew with each slice, so a very long one goes on as a new one after so many characters. */
const SEGMENT = 2_000;

/** What may be a mark or not, which the next characters tell. */
const UNKNOWN_MARK = /(?<=^ *)(?:#{1,6}|`{1,2}|~{1,2}|-|\d{1,3}\.?)$|\*{1,2}$/;

/** Prose on its way to the screen. */
export interface Prose {
  /** Takes the next slice; returns the rows that no later slice can change. */
  push(slice: string, columns: number): Row[];
  /** The rows that are still being written; none at the start of a line. */
  open(columns: number): Row[];
  /** The text is over: returns what is left of it. */
  end(columns: number): Row[];
}

/**
 * A styler of prose.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const prose = createProse();
 * assertEquals(prose.push("Use `ma", 40), []);
 * assertEquals(prose.push("ke`.\n", 40), [[
 *   { text: "Use ", style: "plain" },
 *   { text: "`make`", style: "code" },
 *   { text: ".", style: "plain" },
 * ]]);
 * ```
 */
export function createProse(): Prose {
  let line = "";
  /** Characters of `line` that stand in rows already handed out. */
  let handedOut = 0;
  /** The mark that ends the code block we're in. */
  let fence: string | null = null;
  /** `line` goes on with one that was too long. */
  let continues = false;
  /** Half of a surrogate pair: what it begins isn't known yet. */
  let half = "";

  function rowsOf(columns: number): Row[] {
    return wrapSpans(dropFirst(styleLine(line, { fence, continues }), handedOut), columns);
  }

  /** The rows that are full, up to a mark whose look isn't known yet. */
  function takeFull(columns: number): Row[] {
    const known = UNKNOWN_MARK.exec(line)?.index ?? line.length;
    const taken: Row[] = [];
    for (const each of rowsOf(columns).slice(0, -1)) {
      // Tabs were widened before: a row's text is as long as what it stands for.
      const end = handedOut + each.reduce((sum, { text }) => sum + text.length, 0);
      if (end > known) break;
      handedOut = end;
      taken.push(each);
    }
    return taken;
  }

  function endLine(columns: number): Row[] {
    const rows = rowsOf(columns);
    const mark = continues ? undefined : /^ *(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || fence === mark)) fence = fence ? null : mark;
    line = "";
    handedOut = 0;
    continues = false;
    return rows;
  }

  return {
    push(slice, columns) {
      const rows: Row[] = [];
      const joined = half + slice;
      half = /[\ud800-\udbff]$/.exec(joined)?.[0] ?? "";
      const whole = joined.slice(0, joined.length - half.length);
      const pieces = harmless(whole).replaceAll("\t", "    ").split("\n");
      for (const [i, piece] of pieces.entries()) {
        if (i > 0) rows.push(...endLine(columns));
        for (let at = 0; at < piece.length;) {
          const room = SEGMENT - line.length;
          line += piece.slice(at, at + room);
          at += room;
          rows.push(...takeFull(columns));
          if (line.length >= SEGMENT) {
            line = line.slice(handedOut);
            handedOut = 0;
            continues = true;
          }
        }
      }
      return rows;
    },
    open: (columns) => line.length > handedOut ? rowsOf(columns) : [],
    end: (columns) => line.length > handedOut ? endLine(columns) : [],
  };
}

/** `spans` without their first `count` characters. */
function dropFirst(spans: readonly Span[], count: number): Span[] {
  const rest: Span[] = [];
  for (const { text, style } of spans) {
    if (count < text.length) rest.push({ text: text.slice(count), style });
    count = Math.max(0, count - text.length);
  }
  return rest;
}

/** Blanks at the start are handed out before it's known what follows, so they have no look. */
function styleLine(text: string, place: LinePlace): Span[] {
  const blanks = place.continues ? "" : /^ */.exec(text)![0];
  return [
    ...(blanks === "" ? [] : [{ text: blanks, style: "plain" as const }]),
    ...styleRest(text.slice(blanks.length), place),
  ];
}

/** Where a line stands. */
interface LinePlace {
  readonly fence: string | null;
  readonly continues: boolean;
}

function styleRest(line: string, place: LinePlace): Span[] {
  if (!place.continues && /^(?:```|~~~)/.test(line)) return [{ text: line, style: "dim" }];
  if (place.fence !== null) return [{ text: line, style: "code" }];
  if (place.continues) return styleWords(line, "plain");
  if (/^#{1,6} /.test(line)) return [{ text: line, style: "bold" }];
  if (line.startsWith(">")) return [{ text: line, style: "dim" }];
  const item = /^(?:[-*]|\d{1,3}\.) /.exec(line)?.[0];
  if (item !== undefined) {
    return [{ text: item, style: "cyan" }, ...styleWords(line.slice(item.length), "plain")];
  }
  return styleWords(line, "plain");
}

/** A mark opens at once, so that what is shown never waits for its end; an end of line closes it. */
function styleWords(text: string, base: Style): Span[] {
  const spans: Span[] = [];
  let style = base;
  let from = 0;
  function cut(until: number): void {
    if (until > from) spans.push({ text: text.slice(from, until), style });
    from = until;
  }
  for (const { 0: mark, index } of text.matchAll(/`+|\*\*/g)) {
    if (mark.startsWith("`")) {
      if (style === "code") {
        cut(index + mark.length);
        style = base;
      } else {
        cut(index);
        style = "code";
      }
    } else if (style === "bold") {
      cut(index + 2);
      style = base;
    } else if (style !== "code" && /\S/.test(text[index + 2] ?? "") && isBreak(text[index - 1])) {
      cut(index);
      style = "bold";
    }
  }
  cut(text.length);
  return spans;
}

function isBreak(before: string | undefined): boolean {
  return before === undefined || /[\s("'[]/.test(before);
}

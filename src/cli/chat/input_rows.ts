/** The message being written, in rows with the cursor's place; of a long one the part around the cursor. Pure. */
import { cellsOf, graphemesOf, harmless, type Row, row } from "./layout.ts";
import type { Draft } from "./line_editor.ts";

/** Rows of a draft, and where the cursor stands in them. */
export interface InputRows {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** How a draft is shown. */
export interface InputPlace {
  readonly columns: number;
  /** At most so many rows, notes about what is left out included. */
  readonly most: number;
  /** In front of the first row; the others are indented as far. */
  readonly label: string;
  /** Shown, dim, while nothing is written. */
  readonly hint: string;
}

/**
 * The rows of `draft`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const shown = inputRows({ text: "字字字", cursor: 3 }, { columns: 8, most: 5, label: "> ", hint: "" });
 * assertEquals(shown.cursor, { row: 1, column: 4 });
 * ```
 */
export function inputRows(draft: Draft, place: InputPlace): InputRows {
  const { columns, most, label, hint } = place;
  const indent = cellsOf(label);
  if (draft.text === "") {
    return {
      rows: [[{ text: label, style: "cyan" }, { text: hint, style: "dim" }]],
      cursor: { row: 0, column: indent },
    };
  }
  // One cell stays free for the cursor behind the last character.
  const { texts, cursor } = breakDraft(draft, Math.max(4, columns - indent - 1));
  const first = firstShown(texts.length, cursor.row, most);
  const last = Math.min(texts.length, first + most);
  const rows = texts.slice(first, last).map((text, i): Row => {
    const at = first + i;
    const cut = (i === 0 && first > 0) || (at === last - 1 && last < texts.length);
    const head = at === 0 ? label : cut ? "… ".padEnd(indent) : " ".repeat(indent);
    return [{ text: head, style: at === 0 ? "cyan" : "dim" }, { text, style: "plain" }];
  });
  const hidden = texts.length - rows.length;
  if (hidden > 0) {
    rows.push(row(`${" ".repeat(indent)}(${texts.length} rows, ${hidden} not shown)`, "dim"));
  }
  return { rows, cursor: { row: cursor.row - first, column: cursor.column + indent } };
}

function firstShown(count: number, at: number, most: number): number {
  if (count <= most) return 0;
  return Math.max(0, Math.min(at - Math.floor(most / 2), count - most));
}

/** The lines of a draft, each cut where a row is full. */
function breakDraft(
  draft: Draft,
  width: number,
): { readonly texts: readonly string[]; readonly cursor: { row: number; column: number } } {
  const texts: string[] = [];
  const cursor = { row: 0, column: 0 };
  let at = 0;
  for (const line of draft.text.split("\n")) {
    let text = "";
    let cells = 0;
    for (const grapheme of graphemesOf(line)) {
      const shown = grapheme === "\t" ? "    " : harmless(grapheme);
      const more = cellsOf(shown);
      if (cells + more > width) {
        texts.push(text);
        text = "";
        cells = 0;
      }
      if (at === draft.cursor) Object.assign(cursor, { row: texts.length, column: cells });
      text += shown;
      cells += more;
      at += grapheme.length;
    }
    if (at === draft.cursor) Object.assign(cursor, { row: texts.length, column: cells });
    texts.push(text);
    at += 1;
  }
  return { texts, cursor };
}

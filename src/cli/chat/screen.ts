/**
 * The live region at the bottom of the screen: everything above it belongs to the terminal's own scrollback and is
 * never touched again. One update is one string, so that nothing flickers.
 */
import { cellsOfRow, paintRow, type Row, trimRow } from "./layout.ts";

/** What the live region shows. */
export interface Frame {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** What the live region shows now, as far as the next update must know: the cells of each row, and the cursor. */
export interface Drawn {
  readonly cells: readonly number[];
  readonly cursor: Frame["cursor"];
}

/** Nothing drawn: the cursor stands at the start of an empty row. */
export const NOTHING_DRAWN: Drawn = { cells: [0], cursor: { row: 0, column: 0 } };

/** Terminals that know it show all of an update at once (mode 2026). */
const BEGIN = "\x1b[?2026h\x1b[?25l";
const END = "\x1b[?25h\x1b[?2026l";
/** Without line wrap a row that is wider than thought is cut and can't push the rows below it. */
const NO_WRAP = "\x1b[?7l";
const WRAP = "\x1b[?7h";

/** What takes the cursor to the first row of `drawn` and erases from there on; a narrower terminal has wrapped its rows. */
export function eraseDrawn(drawn: Drawn, columns: number): string {
  const { cells, cursor } = drawn;
  const height = (width: number) => Math.max(1, Math.ceil(width / columns));
  const above = cells.slice(0, cursor.row).reduce((sum, width) => sum + height(width), 0) +
    Math.floor(cursor.column / Math.max(1, columns));
  return `\r${above > 0 ? `\x1b[${above}A` : ""}\x1b[J`;
}

/** The string that puts `rows` above the live region for good and draws `frame` anew. */
export function drawFrame(
  drawn: Drawn,
  update: {
    readonly above: readonly Row[];
    readonly frame: Frame;
    readonly columns: number;
    readonly color: boolean;
  },
): { readonly output: string; readonly drawn: Drawn } {
  const { frame, columns, color } = update;
  const { cursor } = frame;
  const above = update.above.map(trimRow);
  const rows = frame.rows.map(trimRow);
  const down = rows.length - 1 - cursor.row;
  const output = BEGIN + eraseDrawn(drawn, columns) +
    above.map((each) => `${paintRow(each, color)}\r\n`).join("") +
    NO_WRAP + rows.map((each) => paintRow(each, color)).join("\r\n") + WRAP +
    (down > 0 ? `\x1b[${down}A` : "") + "\r" +
    (cursor.column > 0 ? `\x1b[${cursor.column}C` : "") + END;
  // What was too wide was cut: it takes one row all the same.
  const cells = rows.map((each) => Math.min(columns, cellsOfRow(each)));
  return { output, drawn: { cells, cursor } };
}

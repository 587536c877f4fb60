/** A call as one block: hollow while it is still being written, full when it runs, then its output and its end. */
import { linesForDisplay } from "../../permission/display.ts";
import { createPlainText } from "../../text/ansi.ts";
import type { JsonObject, ToolCall, ToolResult } from "../../vocab.ts";
import { fit, type Row, row, type Style } from "./layout.ts";

/** Rows of a value or an output that a block shows. */
const SHOWN = 12;
/** Rows of a change that a block shows. */
const CHANGE_SHOWN = 24;
/** Of an output that is longer: so many of its first lines, the rest of its last. */
const SHOWN_FIRST = 3;
/** Rows of what is still coming in. */
const SHOWN_LIVE = 5;
/** Characters kept of a value that is still coming in. */
const TAIL = 4_000;

/** A call that is still being written. */
export interface OpenCall {
  readonly name: string;
  readonly args: readonly OpenArgument[];
}

/** A value that is still being written: the end of it, and how much came. */
export interface OpenArgument {
  readonly key: string;
  readonly tail: string;
  readonly length: number;
}

/** `call` with a piece more of the value of `key`. */
export function withPiece(call: OpenCall, key: string, text: string): OpenCall {
  return {
    ...call,
    args: call.args.map((each) =>
      each.key === key
        ? { key, tail: (each.tail + text).slice(-TAIL), length: each.length + text.length }
        : each
    ),
  };
}

/** The rows of a call that doesn't run yet. */
export function openCallRows(call: OpenCall, columns: number): Row[] {
  const rows: Row[] = [[{ text: "○ ", style: "dim" }, { text: call.name, style: "dim" }]];
  for (const { key, tail, length } of call.args) {
    const lines = linesForDisplay(tail.replace(/\n$/, ""));
    const single = lines.length === 1 && length <= TAIL;
    const head = single ? `  ${key}: ${lines[0]}` : `  ${key}: ${length} characters so far`;
    rows.push(row(fit(head, columns), "dim"));
    if (!single) {
      rows.push(...lines.slice(-SHOWN_LIVE).map((line) => row(fit(`  │ ${line}`, columns), "dim")));
    }
  }
  return rows;
}

/** The rows of a call that starts to run: what exactly it does. */
export function startRows(call: ToolCall, columns: number): Row[] {
  const [headline, ...more] = headLines(call);
  const name = { text: `● ${call.name} `, style: "cyan" } as const;
  const room = columns - call.name.length - 3;
  const rows: Row[] = [[name, { text: fit(headline ?? "", room), style: "bold" }]];
  // A line that doesn't fit is shown again, whole.
  const lines = headline !== undefined && fit(headline, room) !== headline
    ? [headline, ...more]
    : more;
  rows.push(...chop(lines, columns, 20).map((text) => row(text, "bold")));
  rows.push(...changeRows(call, columns));
  return rows;
}

/** The command, line by line, or the telling argument. */
function headLines(call: ToolCall): string[] {
  const { command, path, pattern } = call.arguments;
  const telling = command ?? pattern ?? path;
  return telling === undefined ? [] : linesForDisplay(String(telling).trimEnd());
}

/** Lines over the width go on, indented, on the next row: nothing of a command is hidden. */
function chop(lines: readonly string[], columns: number, most: number): string[] {
  const room = Math.max(10, columns - 4);
  const rows = lines.flatMap((line) => {
    const pieces: string[] = [];
    let rest = line;
    do {
      const piece = fit(rest, room);
      const kept = piece === rest ? rest : piece.slice(0, -1);
      pieces.push(`    ${kept}`);
      rest = rest.slice(kept.length);
    } while (rest !== "");
    return pieces;
  });
  return rows.length > most
    ? [...rows.slice(0, most), `    … ${rows.length - most} more lines`]
    : rows;
}

/** What a call changes in files, in colour. */
export function changeRows(call: ToolCall, columns: number, most = CHANGE_SHOWN): Row[] {
  const lines = changeLines(call.arguments);
  const rows = lines.slice(0, most).map(([mark, text]) =>
    row(fit(`  ${mark}${linesForDisplay(text).join("")}`, columns), STYLES[mark] ?? "dim")
  );
  if (lines.length > most) rows.push(row(`  … ${lines.length - most} more lines`, "dim"));
  return rows;
}

const STYLES: { readonly [mark: string]: Style } = { "+": "green", "-": "red", "@": "cyan" };

function changeLines(args: JsonObject): [string, string][] {
  const linesOf = (value: unknown): string[] =>
    typeof value === "string" && value !== "" ? value.replace(/\n$/, "").split("\n") : [];
  if (typeof args.patch === "string") {
    return linesOf(args.patch).map((line) => {
      if (/^(\+\+\+|---|\*\*\*) /.test(line)) return ["", line];
      return [line[0] ?? " ", line.slice(1)];
    });
  }
  const added = linesOf(args.content ?? args.new).map((line): [string, string] => ["+", line]);
  return [...linesOf(args.old).map((line): [string, string] => ["-", line]), ...added];
}

/** The rows of a result: some of its output, and how it ended. */
export function resultRows(
  result: ToolResult,
  ms: number,
  place: { readonly columns: number; readonly quiet: boolean },
): Row[] {
  const lines = plainLines(result.output);
  const shown = place.quiet && result.exit === 0 ? [] : clipLines(lines);
  const mark = result.exit === 0 ? row("  ✓", "green") : row("  ✗", "red");
  const size = lines.length === 1 ? "1 line" : `${lines.length} lines`;
  return [
    ...shown.map((line) => row(fit(`  │ ${line}`, place.columns), "dim")),
    [...mark, { text: ` exit ${result.exit} · ${seconds(ms)} · ${size}`, style: "dim" }],
  ];
}

/** The last rows of an output that is still coming. */
export function liveOutputRows(tail: string, columns: number): Row[] {
  return plainLines(tail).slice(-SHOWN_LIVE).map((line) => row(fit(`  │ ${line}`, columns), "dim"));
}

function plainLines(output: string): string[] {
  const plain = createPlainText();
  const text = plain.push(output) + plain.end();
  if (text === "") return [];
  return linesForDisplay(text.replace(/\n$/, "").replaceAll("\t", "    "));
}

function clipLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN) return lines;
  const last = SHOWN - SHOWN_FIRST - 1;
  return [
    ...lines.slice(0, SHOWN_FIRST),
    `… ${lines.length - SHOWN_FIRST - last} lines …`,
    ...lines.slice(-last),
  ];
}

/** `0.42 s`, `12 s`, `3 min 5 s`. */
export function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor(ms / 1000) % 60} s`;
}

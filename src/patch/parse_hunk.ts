/** Reads one hunk: where it ends is the hard part, since neither its counts nor its marks can be trusted. */
import { decodeText } from "./byte_text.ts";
import { readName, samePath } from "./names.ts";
import type { Hunk, HunkLine, Misfit } from "./patch.ts";

/** Where reading stands in the lines of a patch. */
export interface Cursor {
  readonly lines: readonly string[];
  at: number;
  /** A Markdown fence is open, so that a closing one ends a hunk. */
  fenced: boolean;
  readonly misfits: Misfit[];
}

const NUMBERS = /^@@\s*-(\d+)(?:,(\d+))?\s+\+(\d+)(?:,(\d+))?\s*(?:@@|$)/;

interface Header {
  readonly oldStart?: number;
  readonly oldCount?: number;
  /** What the counts promise; 1 where one is left out. */
  readonly promised?: readonly [number, number];
  readonly explicit: boolean;
  readonly anchors: readonly string[];
}

/** The body's lines and how far it goes. */
interface Body {
  readonly lines: readonly HunkLine[];
  readonly end: number;
  readonly looseBlanks: number;
}

/** Stands at `@@`; the hunk, or nothing (and a misfit) where its lines can't be read. The cursor goes past it. */
export function readHunk(cursor: Cursor, path: string): Hunk | undefined {
  const at = cursor.at + 1;
  const header = readHeader(cursor.lines[cursor.at]!);
  cursor.at++;
  const body = (header.promised && countedBody(cursor, header.promised)) ??
    openBody(cursor, path);
  if (!body) return undefined;
  cursor.at = body.end;
  if (body.lines.length === 0) {
    const message = `The hunk of "${path}" at patch line ${at} has no lines`;
    cursor.misfits.push({ kind: "bad_hunk", message, at, path });
    return undefined;
  }
  const misplaced = markerInside(body.lines.slice(0, body.lines.length - body.looseBlanks));
  if (misplaced) {
    const message =
      `In the hunk of "${path}" at patch line ${at} a "\\ No newline" line stands below a line that isn't the last`;
    cursor.misfits.push({ kind: "bad_hunk", message, at, path });
    return undefined;
  }
  const missing = missingLines(cursor, header, body.lines);
  return {
    at,
    lines: body.lines,
    anchors: header.anchors,
    looseBlanks: body.looseBlanks,
    ...(header.oldStart !== undefined ? { oldStart: header.oldStart } : {}),
    ...(header.oldCount !== undefined ? { oldCount: header.oldCount } : {}),
    ...(missing !== undefined ? { missing } : {}),
  };
}

function readHeader(line: string): Header {
  const match = NUMBERS.exec(line);
  if (!match) {
    const text = line.replace(/^@@/, "").replace(/@@\s*$/, "").trim();
    const anchor = /^(\.{3}|…|-\S*\s+\+\S*)?$/.test(text) ? [] : [text];
    return { explicit: false, anchors: anchor };
  }
  const [, start, oldCount, , newCount] = match;
  return {
    oldStart: Number(start),
    ...(oldCount !== undefined ? { oldCount: Number(oldCount) } : {}),
    promised: [Number(oldCount ?? 1), Number(newCount ?? 1)],
    explicit: oldCount !== undefined && newCount !== undefined,
    anchors: [],
  };
}

/** The body by its counts: only if they fit the marks and a boundary follows. */
function countedBody(cursor: Cursor, promised: readonly [number, number]): Body | undefined {
  const lines: HunkLine[] = [];
  let [oldLeft, newLeft] = promised;
  let at = cursor.at;
  while (oldLeft > 0 || newLeft > 0) {
    const line = lineOf(cursor.lines[at]);
    // A hunk without any line is no hunk, so that right below "@@" these are its lines.
    if (!line || lines.length > 0 && isFileHeader(cursor, at)) return undefined;
    at = takeLine(cursor, lines, line, at);
    if (line.kind !== "added") oldLeft--;
    if (line.kind !== "removed") newLeft--;
    if (oldLeft < 0 || newLeft < 0) return undefined;
  }
  return lines.length > 0 && isBoundary(cursor, at)
    ? { lines, end: at, looseBlanks: 0 }
    : undefined;
}

/** The body up to the next boundary, whatever the counts say. */
function openBody(cursor: Cursor, path: string): Body | undefined {
  const lines: HunkLine[] = [];
  let at = cursor.at;
  let bad: number | undefined;
  while (at < cursor.lines.length && !isEnd(cursor, at)) {
    const line = lineOf(cursor.lines[at]);
    if (!line) bad ??= at;
    at = line ? takeLine(cursor, lines, line, at) : at + 1;
  }
  if (bad !== undefined) {
    const shown = JSON.stringify(decodeText(cursor.lines[bad]!.slice(0, 80)));
    const message = `The line ${shown} (patch line ${
      bad + 1
    }) in a hunk of "${path}" has no mark: begin it with " ", "-" or "+"`;
    cursor.misfits.push({ kind: "bad_hunk", message, at: bad + 1, path });
    cursor.at = at;
    return undefined;
  }
  return { lines, end: at, looseBlanks: blanksAtEnd(cursor, at, lines.length) };
}

/** Takes the line and the `\` line that may follow it; returns where the next one stands. */
function takeLine(cursor: Cursor, lines: HunkLine[], line: HunkLine, at: number): number {
  const marked = cursor.lines[at + 1]?.startsWith("\\") ?? false;
  lines.push(marked ? { ...line, noNewline: true } : line);
  return at + (marked ? 2 : 1);
}

function lineOf(line: string | undefined): HunkLine | undefined {
  if (line === undefined) return undefined;
  if (line === "" || line === "\r") return { kind: "context", text: line };
  switch (line[0]) {
    case " ":
      return { kind: "context", text: line.slice(1) };
    case "-":
      return { kind: "removed", text: line.slice(1) };
    case "+":
      return { kind: "added", text: line.slice(1) };
    default:
      return undefined;
  }
}

/** Blank lines without even their space at the end of the body. */
function blanksAtEnd(cursor: Cursor, end: number, most: number): number {
  let count = 0;
  while (count < most && cursor.lines[end - 1 - count] === "") count++;
  return count;
}

/** Do `--- ` and `+++ ` here begin a file, rather than show a removed `-- ` and an added `++ ` line? */
export function isFileHeader(cursor: Cursor, at: number): boolean {
  const [first, second, third] = [0, 1, 2].map((step) => cursor.lines[at + step] ?? "");
  if (!first!.startsWith("--- ") || !second!.startsWith("+++ ")) return false;
  const [oldName, newName] = [readName(first!.slice(4)), readName(second!.slice(4))];
  if (third !== "" && !third!.startsWith("@@")) return false;
  return oldName === "/dev/null" || newName === "/dev/null" ||
    samePath(oldName, newName) !== undefined ||
    oldName.startsWith("a/") && newName.startsWith("b/");
}

/** A line that can't belong to a hunk, whatever the hunk's counts say. */
function isEnd(cursor: Cursor, at: number): boolean {
  const line = cursor.lines[at]!;
  if (/^(@@|diff -|Index: |Only in )/.test(line)) return true;
  if (cursor.fenced && /^(```|~~~)\s*$/.test(line)) return true;
  if (/^-- ?$/.test(line) && /^\d+\.\d+/.test(cursor.lines[at + 1] ?? "")) return true;
  return isFileHeader(cursor, at) || isHalfHeader(cursor, at);
}

/** Is this `+++ ` line what is left of a file's header that lost its `--- ` line, rather than an added `++ ` line? */
function isHalfHeader(cursor: Cursor, at: number): boolean {
  const [above, line, below] = [-1, 0, 1].map((step) => cursor.lines[at + step] ?? "");
  return /^\+\+\+ \S*[/.]\S*\s*$/.test(line!) && below!.startsWith("@@") &&
    !above!.startsWith("--- ");
}

/** May a hunk whose counts are used up end here? After blank lines, prose may follow too. */
function isBoundary(cursor: Cursor, from: number): boolean {
  let at = from;
  while (cursor.lines[at] === "") at++;
  const line = cursor.lines[at];
  if (line === undefined || isEnd(cursor, at)) return true;
  if (line.startsWith("--- ") && (cursor.lines[at + 1] ?? "+++ ").startsWith("+++ ")) return true;
  return at > from && !/^[ +\-\\]/.test(line);
}

/** A marker below a line that is neither the last of the old lines nor of the new ones. */
function markerInside(lines: readonly HunkLine[]): boolean {
  return lines.some((line, index) =>
    line.noNewline && line.kind !== "context" &&
    lines.slice(index + 1).some((later) => later.kind === line.kind || later.kind === "context")
  );
}

/**
 * How many old lines the counts promise beyond the body, when the patch's text ends with it after a `+` or `-` line:
 * the mark of a cut-off patch. Nothing where the body is as long as promised or counts were left out.
 */
function missingLines(
  cursor: Cursor,
  header: Header,
  lines: readonly HunkLine[],
): number | undefined {
  if (!header.explicit || !header.promised || lines.at(-1)?.kind === "context") return undefined;
  if (!isTextEnd(cursor)) return undefined;
  const oldCount = lines.filter((line) => line.kind !== "added").length;
  const newCount = lines.filter((line) => line.kind !== "removed").length;
  const [oldPromised, newPromised] = header.promised;
  if (oldCount >= oldPromised && newCount >= newPromised) return undefined;
  return Math.max(oldPromised - oldCount, 0);
}

/** Is nothing of the patch left after the cursor? */
function isTextEnd(cursor: Cursor): boolean {
  for (let at = cursor.at; at < cursor.lines.length; at++) {
    if (/^(@@|diff -|--- |\+\+\+ )/.test(cursor.lines[at]!)) return false;
  }
  return true;
}

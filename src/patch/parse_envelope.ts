/**
 * Reads the envelope that some models send instead of a unified diff.
 *
 * ```text
 * envelope = "*** Begin Patch" { add | delete | update } "*** End Patch"
 * add      = "*** Add File: " path { "+" line }
 * delete   = "*** Delete File: " path
 * update   = "*** Update File: " path [ "*** Move to: " path ] { hunk }
 * hunk     = { "@@" [ anchor ] } body [ "*** End of File" ]        the first "@@" may be left out
 * body     = { " " context | "-" removed | "+" added | "" blank context }
 * ```
 *
 * Words before and after it, fences and a shell's here-document around it are passed over.
 */
import { decodeText } from "./byte_text.ts";
import { cleanPath } from "./names.ts";
import type { Hunk, HunkLine, Misfit, MisfitKind, Parsed, Section } from "./patch.ts";

interface Reader {
  readonly lines: readonly string[];
  at: number;
  readonly misfits: Misfit[];
}

const FILE_LINE = /^\*\*\* (Add|Delete|Update) File:[ \t]*(.*?)[ \t]*$/;
const MOVE_LINE = /^\*\*\* Move to:[ \t]*(.*?)[ \t]*$/;

/** What the envelope in these lines says, or everything that is wrong with it. */
export function parseEnvelope(lines: readonly string[]): Parsed {
  const start = lines.findIndex((line) => line.trimEnd() === "*** Begin Patch");
  const reader: Reader = { lines, at: start + 1, misfits: [] };
  const sections: Section[] = [];
  while (reader.at < lines.length && !isEndPatch(reader)) {
    const section = readSection(reader);
    if (section) sections.push(section);
  }
  if (reader.at >= lines.length) {
    refuse(reader, "truncated", `The patch is cut off: there is no "*** End Patch" line`);
  } else if (sections.length === 0 && reader.misfits.length === 0) {
    refuse(reader, "empty_patch", "The patch is empty: it names no file");
  }
  if (reader.misfits.length > 0) return { kind: "misfits", misfits: reader.misfits };
  return { kind: "patch", sections };
}

function refuse(reader: Reader, kind: MisfitKind, message: string, path?: string): void {
  reader.misfits.push({ kind, message, at: reader.at + 1, ...(path ? { path } : {}) });
}

function isEndPatch(reader: Reader): boolean {
  return reader.lines[reader.at]?.trimEnd() === "*** End Patch";
}

/** Stands at a `*** … File:` line, or at one that has no business here. */
function readSection(reader: Reader): Section | undefined {
  const at = reader.at + 1;
  const line = reader.lines[reader.at]!;
  const match = FILE_LINE.exec(line);
  if (!match) {
    if (line.trim() !== "") {
      const shown = JSON.stringify(decodeText(line.slice(0, 80)));
      refuse(reader, "bad_header", `${shown} stands where a "*** … File: PATH" line is due`);
      while (reader.at < reader.lines.length && !isStructure(reader)) reader.at++;
      if (reader.at === at - 1) reader.at++;
      return undefined;
    }
    reader.at++;
    return undefined;
  }
  reader.at++;
  const path = cleanPath(decodeText(match[2]!));
  if (match[1] === "Add") return { kind: "create", at, path, hunks: readAdded(reader, path) };
  if (match[1] === "Delete") return { kind: "delete", at, path, hunks: [], blind: true };
  const move = MOVE_LINE.exec(reader.lines[reader.at] ?? "");
  if (move) reader.at++;
  const hunks = readHunks(reader, path);
  if (move) return { kind: "rename", at, path, to: cleanPath(decodeText(move[1]!)), hunks };
  if (hunks.length === 0) {
    refuse(reader, "no_hunks", `The section of "${path}" has no lines: nothing says what changes`);
  }
  return { kind: "update", at, path, hunks };
}

function isStructure(reader: Reader): boolean {
  const line = reader.lines[reader.at]!;
  return FILE_LINE.test(line) || isEndPatch(reader);
}

/** Stands below `*** Add File:`. */
function readAdded(reader: Reader, path: string): Hunk[] {
  const at = reader.at;
  const lines: HunkLine[] = [];
  for (; reader.at < reader.lines.length && !isStructure(reader); reader.at++) {
    const line = reader.lines[reader.at]!;
    if (line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1) });
    else if (line.trim() !== "") refuseLine(reader, path, `begin it with "+"`);
  }
  return lines.length > 0 ? [{ at, lines, anchors: [], looseBlanks: 0 }] : [];
}

function refuseLine(reader: Reader, path: string, what: string): void {
  const shown = JSON.stringify(decodeText(reader.lines[reader.at]!.slice(0, 80)));
  const place = `(patch line ${reader.at + 1})`;
  refuse(reader, "bad_hunk", `The line ${shown} ${place} of "${path}" has no mark: ${what}`, path);
}

/** Stands below the head of an update. */
function readHunks(reader: Reader, path: string): Hunk[] {
  const hunks: Hunk[] = [];
  while (reader.at < reader.lines.length && !isStructure(reader)) {
    const hunk = readHunk(reader, path);
    if (hunk) hunks.push(hunk);
  }
  return hunks;
}

/** Stands at `@@`, or at the first line of a hunk without it. */
function readHunk(reader: Reader, path: string): Hunk | undefined {
  const at = reader.at + 1;
  const anchors: string[] = [];
  for (; reader.lines[reader.at]?.startsWith("@@"); reader.at++) {
    const text = reader.lines[reader.at]!.slice(2).replace(/@@\s*$/, "").trim();
    // Line numbers of the other format say nothing here that the lines don't.
    if (text !== "" && !/^-\d+(,\d+)? \+\d+/.test(text)) anchors.push(text);
  }
  const lines: HunkLine[] = [];
  let blanks = 0;
  let atEnd = false;
  for (; reader.at < reader.lines.length && !isStructure(reader); reader.at++) {
    const line = reader.lines[reader.at]!;
    if (line.startsWith("@@")) break;
    if (line.trimEnd() === "*** End of File") {
      atEnd = true;
      reader.at++;
      break;
    }
    blanks = line === "" ? blanks + 1 : 0;
    const kind = KINDS[line[0] ?? " "];
    if (kind) lines.push({ kind, text: line.slice(1) });
    else if (!line.startsWith("\\")) refuseLine(reader, path, `begin it with " ", "-" or "+"`);
  }
  if (lines.length === blanks && anchors.length === 0) return undefined;
  if (lines.length === 0) {
    refuse(reader, "bad_hunk", `The hunk of "${path}" at patch line ${at} has no lines`, path);
  }
  const hunk = { at, lines, anchors, looseBlanks: blanks };
  return atEnd ? { ...hunk, atEnd } : hunk;
}

const KINDS: Readonly<Record<string, HunkLine["kind"]>> = {
  " ": "context",
  "-": "removed",
  "+": "added",
};

/**
 * Reads a unified diff as models and tools write it (SPEC 6).
 *
 * ```text
 * patch    = { prose | fence | section | envelope }
 * section  = [ "diff --git " names { git-line } ] [ "--- " name "+++ " name ] { hunk }
 * git-line = "old mode " | "new mode " | "new file mode " | "deleted file mode " | "rename from " | "rename to "
 *          | "copy from " | "copy to " | "similarity index " | "dissimilarity index " | "index "
 * hunk     = "@@ -" start [ "," count ] " +" start [ "," count ] " @@" [ text ] body     numbered
 *          | "@@" [ anything but numbers ] [ "@@" ] body                                 bare
 * body     = { " " context | "-" removed | "+" added | "\" no newline above | "" blank context }
 * fence    = "```" [ word ]          in column 0; the patch ends at the closing one
 * envelope = "*** Begin Patch" …     parse_envelope.ts
 * ```
 *
 * Counts are used only where they fit the body and a boundary follows (`parse_hunk.ts`).
 */
import { BOM, decodeText } from "./byte_text.ts";
import { cleanPath, readGitNames, readName, samePath, withoutPrefix } from "./names.ts";
import { type GitLines, isWithoutPrefix, type RawSection, resolveSection } from "./sections.ts";
import { parseEnvelope } from "./parse_envelope.ts";
import { type Cursor, isFileHeader, readHunk } from "./parse_hunk.ts";
import type { Hunk, Misfit, MisfitKind, Parsed, Section } from "./patch.ts";

/**
 * What the patch (byte text) says, or everything that is wrong with its text. Reads nothing but the text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const parsed = parsePatch("--- a/x\n+++ b/x\n@@\n-old\n+new\n");
 * assertEquals(parsed.kind === "patch" && parsed.sections.map((s) => [s.kind, s.path]), [["update", "x"]]);
 * ```
 */
export function parsePatch(text: string): Parsed {
  const lines = linesOf(text);
  if (lines.some((line) => line.trimEnd() === "*** Begin Patch")) return parseEnvelope(lines);
  const cursor: Cursor = { lines, at: 0, fenced: false, misfits: [] };
  const raw: RawSection[] = [];
  while (cursor.at < lines.length) {
    const section = readPiece(cursor);
    if (section) raw.push(section);
  }
  const bare = raw.some(isWithoutPrefix);
  const sections: Section[] = [];
  for (const section of raw) {
    const resolved = resolveSection(section, bare);
    if ("message" in resolved) cursor.misfits.push(resolved);
    else sections.push(resolved);
  }
  if (cursor.misfits.length > 0) return { kind: "misfits", misfits: cursor.misfits };
  if (sections.length > 0) return { kind: "patch", sections };
  return { kind: "misfits", misfits: [nothingFound(text)] };
}

/** The lines, without their ends; a patch that was carried with CRLF loses one CR a line. */
function linesOf(text: string): string[] {
  const lines = (text.startsWith(BOM) ? text.slice(BOM.length) : text).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const header = lines.find((line) => /^(--- |\+\+\+ |diff --git |\*\*\* )/.test(line));
  const carried = header?.endsWith("\r") ?? false;
  return carried ? lines.map((line) => line.endsWith("\r") ? line.slice(0, -1) : line) : lines;
}

/** Stands outside of sections: at prose, a fence, or the first line of a section. */
function readPiece(cursor: Cursor): RawSection | undefined {
  const { lines, at } = cursor;
  const line = lines[at]!;
  const next = lines[at + 1] ?? "";
  if (line.startsWith("```") || line.startsWith("~~~")) cursor.fenced = !cursor.fenced;
  else if (line.startsWith("diff --git ")) return readGitSection(cursor);
  else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
    return readSection(cursor, {});
  } else if (line.startsWith("*** ") && next.startsWith("--- ")) {
    refuse(cursor, "wrong_format", "This is a context diff");
  } else if (line.startsWith("@@@") || /^diff --(cc|combined) /.test(line)) {
    refuse(cursor, "wrong_format", "This is the combined diff of a merge");
  } else if (line.startsWith("<<<<<<< SEARCH")) {
    refuse(cursor, "wrong_format", "These are SEARCH/REPLACE blocks");
  } else if (/^(GIT binary patch|Binary files .* differ)/.test(line)) {
    report(cursor, "binary", "Binary files can't be patched: write them another way");
  } else if (line.startsWith("--- ")) {
    report(cursor, "bad_header", `The line "--- …" has no "+++ …" line below it`);
  } else if (line.startsWith("+++ ")) {
    report(cursor, "bad_header", `The line "+++ …" has no "--- …" line above it`);
  } else if (line.startsWith("@@")) {
    report(cursor, "bad_header", `A hunk stands before any "--- …" and "+++ …" lines`);
    skipHunks(cursor);
    return;
  }
  cursor.at++;
  return;
}

function skipHunks(cursor: Cursor): void {
  while (cursor.lines[cursor.at]?.startsWith("@@")) readHunk(cursor, "");
}

/** Another kind of patch: nothing below it can be read. */
function refuse(cursor: Cursor, kind: MisfitKind, what: string): void {
  report(cursor, kind, `${what}: send a unified diff with "--- a/FILE", "+++ b/FILE" and "@@"`);
  cursor.at = cursor.lines.length;
}

function report(cursor: Cursor, kind: MisfitKind, message: string, path?: string): void {
  cursor.misfits.push({ kind, message, at: cursor.at + 1, ...(path ? { path } : {}) });
}

/** Stands at `diff --git`. */
function readGitSection(cursor: Cursor): RawSection {
  const git: GitLines = {};
  const names = readGitNames(cursor.lines[cursor.at]!.slice("diff --git ".length));
  if (names) git.names = names;
  const at = cursor.at++;
  while (cursor.at < cursor.lines.length && readGitLine(cursor.lines[cursor.at]!, git)) cursor.at++;
  if (isNamePair(cursor) && isSameFile(cursor, git)) {
    return { ...readSection(cursor, git), at: at + 1 };
  }
  return { at: at + 1, git, ...readHunks(cursor, names ? withoutPrefix(names[1]) : "") };
}

/** Do the names below `diff --git` belong to it, rather than to a section of their own? */
function isSameFile(cursor: Cursor, { names, from, to }: GitLines): boolean {
  const own = [...names ?? [], from, to].filter((name) => name !== undefined)
    .flatMap((name) => [cleanPath(name), withoutPrefix(name)]);
  if (own.length === 0) return true;
  const [oldName, newName] = namesAt(cursor);
  return [oldName, newName].some((name) => name !== null && own.includes(withoutPrefix(name)));
}

/** What each of git's lines says. */
const GIT_LINES: readonly (readonly [string, (git: GitLines, rest: string) => void])[] = [
  ["old mode", (git, rest) => git.oldMode = rest],
  ["new mode", (git, rest) => git.mode = rest],
  ["new file mode", (git, rest) => Object.assign(git, { created: true, mode: rest })],
  ["deleted file mode", (git, rest) => Object.assign(git, { deleted: true, oldMode: rest })],
  ["rename from", (git, rest) => git.from = readName(rest)],
  ["rename to", (git, rest) => git.to = readName(rest)],
  ["copy from", (git, rest) => Object.assign(git, { from: readName(rest), copied: true })],
  ["copy to", (git, rest) => git.to = readName(rest)],
  ["index", (git, rest) => git.oldMode ??= / (\d{6})$/.exec(rest)?.[1] ?? "100644"],
  ["similarity index", () => {}],
  ["dissimilarity index", () => {}],
  ["GIT binary patch", (git) => git.binary = true],
  ["Binary files", (git) => git.binary = true],
];

/** Takes one of git's lines into `git`; false where it is none. */
function readGitLine(line: string, git: GitLines): boolean {
  const text = line.trimEnd();
  const found = GIT_LINES.find(([word]) => text === word || text.startsWith(`${word} `));
  found?.[1](git, text.slice(found[0].length + 1));
  return found !== undefined;
}

function isNamePair(cursor: Cursor): boolean {
  return (cursor.lines[cursor.at]?.startsWith("--- ") ?? false) &&
    (cursor.lines[cursor.at + 1]?.startsWith("+++ ") ?? false);
}

/** Stands at `--- `. */
function readSection(cursor: Cursor, git: GitLines): RawSection {
  const at = cursor.at + 1;
  const [oldName, newName] = namesAt(cursor);
  cursor.at += 2;
  const shown = oldName !== null && newName !== null ? samePath(oldName, newName) : undefined;
  const names = { old: oldName, new: newName };
  return { at, git, names, ...readHunks(cursor, shown ?? withoutPrefix(newName ?? oldName ?? "")) };
}

/** The two names at the cursor; `null` is `/dev/null`. */
function namesAt(cursor: Cursor): readonly [string | null, string | null] {
  const [oldName, newName] = [0, 1].map((step) => {
    const name = readName(cursor.lines[cursor.at + step]!.slice(4));
    return name === "/dev/null" ? null : name;
  });
  return [oldName ?? null, newName ?? null];
}

/** Stands below the headers of a section; blank lines between hunks are passed over. */
function readHunks(cursor: Cursor, name: string): Pick<RawSection, "hunks" | "broken"> {
  const hunks: Hunk[] = [];
  const before = cursor.misfits.length;
  for (;;) {
    let at = cursor.at;
    while (cursor.lines[at] === "") at++;
    const line = cursor.lines[at];
    if (line === undefined || !line.startsWith("@@") || line.startsWith("@@@")) break;
    cursor.at = at;
    const hunk = readHunk(cursor, name);
    if (hunk) hunks.push(hunk);
  }
  const stray = cursor.lines[cursor.at];
  if (hunks.length === 0 && stray !== undefined && /^[ +-]./.test(stray) && !isNamePair(cursor)) {
    report(cursor, "no_hunks", `The lines of "${name}" have no "@@" line above them`, name);
    while (/^[ +\-\\]/.test(cursor.lines[cursor.at] ?? "") && !isFileHeader(cursor, cursor.at)) {
      cursor.at++;
    }
  }
  return { hunks, broken: cursor.misfits.length > before };
}

function nothingFound(text: string): Misfit {
  const escaped = !text.trimEnd().includes("\n") && /\\n(\+\+\+|@@|---) ?/.test(text);
  const start = decodeText(text.slice(0, 60)).split("\n")[0]!;
  const message = escaped
    ? `The patch came as one line with "\\n" written out: send real line breaks`
    : `No patch was found${
      start === "" ? "" : ` (it starts with ${JSON.stringify(start)})`
    }: send a unified diff with "--- a/FILE", "+++ b/FILE" and "@@"`;
  return { kind: escaped ? "wrong_format" : "empty_patch", message, at: 1 };
}

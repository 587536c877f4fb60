/**
 * File names as patches write them.
 *
 * ```text
 * name   = path [TAB anything] | path blanks timestamp | '"' C-quoted '"' anything
 * prefix = one letter and "/" (a/ b/, and git's i/ w/ c/ o/ 1/ 2/), on both names or on neither
 * ```
 */
import { decodeText } from "./byte_text.ts";

const TIMESTAMP = /[ \t]+\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[+-]\d{4}| ?Z)?$/;
const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

/** The name in what follows `--- ` or `+++ ` (byte text), as text; prefixes stay. */
export function readName(rest: string): string {
  if (rest.startsWith('"')) return decodeText(unquote(rest));
  const name = rest.split("\t", 1)[0]!.trimEnd();
  // Where the tab was lost, the time stamp is told by its form.
  return decodeText(name.replace(TIMESTAMP, "").trimEnd());
}

/** A name in git's C-style quotes, up to the closing quote. */
function unquote(quoted: string): string {
  let name = "";
  for (let at = 1; at < quoted.length && quoted[at] !== '"'; at++) {
    if (quoted[at] !== "\\") {
      name += quoted[at];
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(quoted.slice(at + 1, at + 4))?.[0];
    if (octal) {
      name += String.fromCharCode(parseInt(octal, 8));
      at += 3;
    } else {
      at++;
      name += ESCAPES[quoted[at] ?? ""] ?? quoted[at] ?? "";
    }
  }
  return name;
}

/** The two names of `diff --git A B` (byte text after the words), or nothing where it can't be told. */
export function readGitNames(rest: string): readonly [string, string] | undefined {
  if (rest.includes('"')) {
    const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest.trimEnd());
    return quoted ? [readName(quoted[1]!), readName(quoted[2]!)] : undefined;
  }
  const text = rest.trimEnd();
  // Names may hold blanks: the right split is the one where both sides are one file.
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) {
    const pair = [readName(text.slice(0, at)), readName(text.slice(at + 1))] as const;
    if (samePath(pair[0], pair[1])) return pair;
  }
  const middle = text.indexOf(" b/");
  return middle > 0
    ? [readName(text.slice(0, middle)), readName(text.slice(middle + 1))]
    : undefined;
}

const PREFIX = /^[abciow12][/\\]/;

/**
 * The one path that a pair of header names stands for, or nothing when they name different files.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(samePath("a/src/x.c", "b/src/x.c"), "src/x.c");
 * assertEquals(samePath("a/x.c", "a/x.c"), "a/x.c");
 * assertEquals(samePath("a/x.c", "b/y.c"), undefined);
 * ```
 */
export function samePath(oldName: string, newName: string): string | undefined {
  const oldBare = withoutPrefix(oldName);
  const newBare = withoutPrefix(newName);
  // "a/../x" is the file above, behind a prefix, and not the "x" that resolving it gives.
  if (oldBare === newBare && oldBare.startsWith("../")) return newBare;
  const oldPath = cleanPath(oldName);
  const newPath = cleanPath(newName);
  if (oldPath === newPath) return newPath;
  if (oldBare === newBare) return newBare;
  // One prefix alone, and the `.orig` of an editor's backup, still name one file.
  if (oldPath === newBare || oldBare === newPath) return oldPath === newBare ? oldPath : newPath;
  if (oldPath === `${newPath}.orig`) return newPath;
  return oldBare === `${newBare}.orig` ? newBare : undefined;
}

/** The clean path without its one-letter prefix; `a//x` is the absolute `/x`. */
export function withoutPrefix(name: string): string {
  return cleanPath(PREFIX.test(name) ? name.slice(2) : name);
}

/** The path with `\` as `/`, without `./`, doubled slashes and resolvable `..`; an absolute path stays absolute. */
export function cleanPath(path: string): string {
  const absolute = /^[/\\]/.test(path);
  const parts: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !absolute) parts.push(part);
  }
  return (absolute ? "/" : "") + parts.join("/");
}

/** `@path` in a message: completed while it's typed, replaced by the file's text when it's sent. */
import { FileError, type Files } from "../../system/system.ts";
import { absolute } from "../command.ts";
import type { Draft } from "./line_editor.ts";

/** A file longer than this isn't put into a message: the model can read it in pieces. */
const MOST_BYTES = 262_144;

/** A word that stands at the start or behind a blank; quotes and dots at its end aren't part of a name. */
const MENTION = /(?<=^|\s)@([^\s@]*[^\s@.,;:!?)"'])/g;

/** What a message became. */
export interface Expanded {
  readonly text: string;
  /** What couldn't be put in, one sentence each. */
  readonly notices: readonly string[];
}

/** `text` with the text of each file that an `@path` names behind it. A word that names no file stays a word. */
export async function expandMentions(text: string, cwd: string, files: Files): Promise<Expanded> {
  const paths = [...new Set(Array.from(text.matchAll(MENTION), (match) => match[1]!))];
  const parts = [text];
  const notices: string[] = [];
  for (const path of paths) {
    const found = await readMention(path, cwd, files);
    if (found.kind === "text") parts.push(`<file path="${path}">\n${found.text}\n</file>`);
    else if (found.kind === "refused") notices.push(found.why);
  }
  return { text: parts.join("\n\n"), notices };
}

type Mention =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly why: string };

async function readMention(path: string, cwd: string, files: Files): Promise<Mention> {
  const full = absolute(path, { cwd });
  try {
    const info = await files.stat(full);
    if (info.kind !== "file") return { kind: "none" };
    if (info.size > MOST_BYTES) {
      return { kind: "refused", why: `"${path}" is too long to put in (${info.size} bytes)` };
    }
    const bytes = await files.readFile(full);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { kind: "text", text: text.replace(/\n$/, "") };
  } catch (error) {
    if (error instanceof FileError) return { kind: "none" };
    if (error instanceof TypeError) return { kind: "refused", why: `"${path}" isn't text` };
    throw error;
  }
}

/** What Tab makes of the word before the cursor: the draft, and the candidates where there are several. */
export interface Completion {
  readonly draft: Draft;
  readonly candidates: readonly string[];
}

/**
 * The draft with `word`, which ends at the cursor, completed by the longest start that all `candidates` share.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const draft = { text: "see @ma", cursor: 7 };
 * assertEquals(completeWord(draft, "@ma", ["@main.ts", "@makefile"]), {
 *   draft,
 *   candidates: ["@main.ts", "@makefile"],
 * });
 * assertEquals(completeWord(draft, "@ma", ["@main.ts"]).draft, { text: "see @main.ts ", cursor: 13 });
 * ```
 */
export function completeWord(
  draft: Draft,
  word: string,
  candidates: readonly string[],
): Completion {
  const [first] = candidates;
  if (first === undefined) return { draft, candidates };
  let shared = first;
  for (const each of candidates) {
    while (!each.startsWith(shared)) shared = shared.slice(0, -1);
  }
  if (candidates.length === 1 && !shared.endsWith("/")) shared += " ";
  if (shared.length < word.length) return { draft, candidates };
  const start = draft.cursor - word.length;
  const text = draft.text.slice(0, start) + shared + draft.text.slice(draft.cursor);
  return {
    draft: { text, cursor: start + shared.length },
    candidates: candidates.length === 1 ? [] : candidates,
  };
}

/** The `@path`s that begin with `word` (an `@` and what is typed of a path), sorted; folders end in `/`. */
export async function mentionCandidates(
  word: string,
  cwd: string,
  files: Files,
): Promise<readonly string[]> {
  const typed = word.slice(1);
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed.slice(folder.length);
  try {
    const names = await files.readDir(absolute(folder, { cwd }));
    return names
      .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
      .map(({ name, kind }) => `@${folder}${name}${kind === "directory" ? "/" : ""}`)
      .sort();
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}

/** A message being written: text and cursor, and what each key makes of them. Pure. */
import type { Key } from "./keys.ts";
import { cellsOf, graphemesOf } from "./layout.ts";

/** What is being written; `cursor` is an index into `text`, between characters as a reader sees them. */
export interface Draft {
  readonly text: string;
  readonly cursor: number;
}

/** Nothing written yet. */
export const EMPTY: Draft = { text: "", cursor: 0 };

/** A draft with the cursor at its end. */
export function draftOf(text: string): Draft {
  return { text, cursor: text.length };
}

/** `draft` with `text` put in at the cursor. */
export function insert(draft: Draft, text: string): Draft {
  const { text: old, cursor } = draft;
  return {
    text: old.slice(0, cursor) + text + old.slice(cursor),
    cursor: cursor + text.length,
  };
}

/**
 * What `key` makes of `draft`; undefined where the key edits nothing (Enter, Esc, Up in the first line, …).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const left = edit({ text: "a👩‍👧", cursor: 6 }, { kind: "key", name: "left" });
 * assertEquals(left, { text: "a👩‍👧", cursor: 1 });
 * ```
 */
export function edit(draft: Draft, key: Key): Draft | undefined {
  if (key.kind !== "key") return insert(draft, key.text);
  const { text, cursor } = draft;
  const to = (at: number): Draft => ({ text, cursor: at });
  const cut = (from: number, until: number): Draft => ({
    text: text.slice(0, from) + text.slice(until),
    cursor: from,
  });
  switch (key.name) {
    case "newline":
      return insert(draft, "\n");
    case "backspace":
      return cut(before(text, cursor), cursor);
    case "delete":
      return cut(cursor, after(text, cursor));
    case "left":
      return to(before(text, cursor));
    case "right":
      return to(after(text, cursor));
    case "word-left":
      return to(wordBefore(text, cursor));
    case "word-right":
      return to(wordAfter(text, cursor));
    case "home":
      return to(lineStart(text, cursor));
    case "end":
      return to(lineEnd(text, cursor));
    case "delete-word":
      return cut(wordBefore(text, cursor), cursor);
    case "kill-to-start":
      return cut(lineStart(text, cursor), cursor);
    case "kill-to-end":
      return cut(cursor, lineEnd(text, cursor));
    case "up":
      return vertical(draft, lineStart(text, cursor) - 1);
    case "down":
      return lineEnd(text, cursor) === text.length
        ? undefined
        : vertical(draft, lineEnd(text, cursor) + 1);
    default:
      return undefined;
  }
}

function before(text: string, cursor: number): number {
  const start = lineStart(text, cursor);
  if (start === cursor) return Math.max(0, cursor - 1);
  return cursor - graphemesOf(text.slice(start, cursor)).at(-1)!.length;
}

function after(text: string, cursor: number): number {
  const end = lineEnd(text, cursor);
  if (end === cursor) return Math.min(text.length, cursor + 1);
  return cursor + graphemesOf(text.slice(cursor, end))[0]!.length;
}

function wordBefore(text: string, cursor: number): number {
  return cursor -
    /(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*$/u.exec(text.slice(0, cursor))![0].length;
}

function wordAfter(text: string, cursor: number): number {
  return cursor + /^\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u.exec(text.slice(cursor))![0].length;
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

/** The cursor in the line around `at`, in the cell where it stands now or before; undefined without such a line. */
function vertical(draft: Draft, at: number): Draft | undefined {
  const { text, cursor } = draft;
  if (at < 0) return undefined;
  const wanted = cellsOf(text.slice(lineStart(text, cursor), cursor));
  const start = lineStart(text, at);
  let place = start;
  let cells = 0;
  for (const grapheme of graphemesOf(text.slice(start, lineEnd(text, at)))) {
    cells += cellsOf(grapheme);
    if (cells > wanted) break;
    place += grapheme.length;
  }
  return { text, cursor: place };
}

/** Earlier messages, the newest last, and the place in them; `draft` is what was being written when it began. */
export interface Recall {
  readonly at: number;
  readonly draft: Draft;
}

/** The message `step` before (-1) or after (1) the one that is shown; undefined where there is none. */
export function recall(
  history: readonly string[],
  now: { readonly recall: Recall | null; readonly draft: Draft },
  step: -1 | 1,
): { readonly recall: Recall | null; readonly draft: Draft } | undefined {
  const at = (now.recall?.at ?? history.length) + step;
  const kept = now.recall?.draft ?? now.draft;
  if (at < 0 || at > history.length || (now.recall === null && step > 0)) return undefined;
  if (at === history.length) return { recall: null, draft: kept };
  return { recall: { at, draft: kept }, draft: draftOf(history[at]!) };
}

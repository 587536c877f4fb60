/**
 * Reasoning inside the text: `<think>…</think>` (SPEC 3).
 *
 * Only at the start of the message or of a line of prose (and right after a `</think>` that began there); never inside
 * a frame or a value. What follows `</think>` stands as if the reasoning had not been there. Without its closing tag
 * the rest of the message is reasoning.
 */

export const THINK_OPEN = "<think>";
export const THINK_CLOSE = "</think>";

/** A run of a message's text, in its place. */
export type ThinkPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string };

/** Tells reasoning from text in slices. */
export interface ThinkSplitter {
  push(slice: string): readonly ThinkPart[];
  /** What was held: the beginning of a tag that never became one. */
  end(): readonly ThinkPart[];
  /** Characters held back now; all of them are ASCII. */
  readonly pending: number;
}

/**
 * A splitter for text that is prose all over (the native protocols, or the prose of a text protocol).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const splitter = createThinkSplitter();
 * assertEquals(splitter.push("<thi"), []);
 * assertEquals(splitter.push("nk>Hm.</think>Yes, <think>"), [
 *   { kind: "reasoning", text: "Hm." },
 *   { kind: "text", text: "Yes, <think>" },
 * ]);
 * ```
 */
export function createThinkSplitter(): ThinkSplitter {
  /** The beginning of a tag, not yet whole. */
  let held = "";
  let inside = false;
  let lineStart = true;

  function emit(parts: ThinkPart[], kind: ThinkPart["kind"], text: string): void {
    if (text !== "") parts.push({ kind, text });
  }

  // "<think>Hm.</think>Yes"
  //  ^                  ^
  function prose(parts: ThinkPart[], text: string): string {
    const at = findOpening(text, lineStart);
    emit(parts, "text", text.slice(0, at));
    if (at > 0) lineStart = text[at - 1] === "\n";
    const rest = text.slice(at);
    if (!rest.startsWith(THINK_OPEN)) return hold(rest);
    inside = true;
    return rest.slice(THINK_OPEN.length);
  }

  // "<think>Hm.</think>Yes"
  //         ^
  function reasoning(parts: ThinkPart[], text: string): string {
    const close = text.indexOf(THINK_CLOSE);
    const at = close < 0 ? text.length - heldSuffix(text, THINK_CLOSE) : close;
    emit(parts, "reasoning", text.slice(0, at));
    if (close < 0) return hold(text.slice(at));
    inside = false;
    lineStart = true;
    return text.slice(close + THINK_CLOSE.length);
  }

  function hold(text: string): string {
    held = text;
    return "";
  }

  return {
    push(slice) {
      const parts: ThinkPart[] = [];
      let text = held + slice;
      held = "";
      while (text !== "") text = inside ? reasoning(parts, text) : prose(parts, text);
      return parts;
    },
    end() {
      const parts: ThinkPart[] = [];
      emit(parts, inside ? "reasoning" : "text", held);
      held = "";
      return parts;
    },
    get pending() {
      return held.length;
    },
  };
}

/** Where `<think>` stands at a line's start, or what may become one at the end of `text`; else the length of `text`. */
function findOpening(text: string, lineStart: boolean): number {
  let at = lineStart ? 0 : text.indexOf("\n") + 1;
  while (at < text.length && (at > 0 || lineStart)) {
    if (text[at] === "<" && opens(text, at)) return at;
    const newline = text.indexOf("\n", at);
    if (newline < 0) break;
    at = newline + 1;
  }
  return text.length;
}

function opens(text: string, at: number): boolean {
  const seen = text.slice(at, at + THINK_OPEN.length);
  return THINK_OPEN.startsWith(seen);
}

/** The length of the longest end of `text` that `tag` begins with, the whole tag aside. */
export function heldSuffix(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

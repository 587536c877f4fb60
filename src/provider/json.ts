/** JSON from strangers: values narrowed one step at a time, and several values in one text. */
import type { Json, JsonObject } from "../vocab.ts";

/** The value as an object, or undefined: arrays and null are none. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

/** The value as an array; anything else is an empty one. */
export function asArray(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string with something in it, or undefined: `""` and null say nothing in a stream. */
export function asText(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value as a finite number, or undefined. */
export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The JSON value that `text` is, or undefined. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Several JSON values written one after the other. */
export interface JsonSequence {
  readonly values: readonly Json[];
  /** What follows the last whole value, without white space round it; `""` where nothing does. */
  readonly rest: string;
}

/**
 * The objects and arrays at the start of `text`, one after the other, and what is left. Some servers put two chunks
 * on one data line (`{…}{…}`), others forget the blank line between events.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseJsonSequence('{"a":"}"} [1]\n[DONE]'), { values: [{ a: "}" }, [1]], rest: "[DONE]" });
 * ```
 */
export function parseJsonSequence(text: string): JsonSequence {
  const values: Json[] = [];
  let start = 0;
  for (;;) {
    const end = endOfValue(text, start);
    const value = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (end === undefined || value === undefined) return { values, rest: text.slice(start).trim() };
    values.push(value);
    start = end;
  }
}

/** The end of the bracketed value that starts at `start`, white space before it skipped; undefined where none ends. */
function endOfValue(text: string, start: number): number | undefined {
  const marks = /["{}[\]]|[^\s"{}[\]]/g;
  let depth = 0;
  marks.lastIndex = start;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    switch (mark[0]) {
      case "{":
      case "[":
        depth++;
        break;
      case "}":
      case "]":
        depth--;
        if (depth <= 0) return marks.lastIndex;
        break;
      case '"':
        marks.lastIndex = endOfString(text, marks.lastIndex);
        break;
    }
    if (depth === 0) return undefined;
  }
  return undefined;
}

/** Just past the quote that closes the string whose inside starts at `at`; the text's end where none does. */
function endOfString(text: string, at: number): number {
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = quote;
    while (slashes > at && text[slashes - 1] === "\\") slashes--;
    at = quote + 1;
    if ((quote - slashes) % 2 === 0) return at;
  }
}

/**
 * What the concatenated `arguments` of a native call mean (SPEC 3):
 *
 * ```text
 * ""  null                  {}                       calls without parameters
 * {…}                       the object
 * "{\"a\": 1}"              the object in the string (Granite encodes twice)
 * {…}{…}  both the same     the object               proxies that send delta, then the whole again
 * {"a":{"a": 1}             the last delta           the same, the first part left unfinished
 * anything else             a fault: never repaired, never run
 * ```
 */
import type { Json, JsonObject, ToolCall } from "../vocab.ts";

/** What the arguments of a call say, or why they say nothing. */
export type ArgumentsReading =
  | { readonly kind: "object"; readonly value: JsonObject }
  /** `fault` goes on after "its arguments …". */
  | { readonly kind: "fault"; readonly fault: string };

/**
 * The object that `text` means; `last` is the last non-empty delta of it. The doubled forms are looked at only when the whole
 * does not parse, since they can't be told from valid data by their shape.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(readArguments("", ""), { kind: "object", value: {} });
 * assertEquals(readArguments('{"a":1}{"a":1}', '{"a":1}'), { kind: "object", value: { a: 1 } });
 * assertEquals(readArguments('{"a":1}{"b":2}', '{"b":2}').kind, "fault");
 * ```
 */
export function readArguments(text: string, last: string): ArgumentsReading {
  if (text.trim() === "") return { kind: "object", value: {} };
  const whole = parse(text);
  if (whole.kind === "value") return objectOf(whole.value, true);
  const once = undouble(text, last);
  return once === undefined ? { kind: "fault", fault: whole.fault } : objectOf(once, true);
}

/** Is `text` JSON from end to end? What parses so can't be the beginning of anything else, a bare number aside. */
export function isWholeJson(text: string): boolean {
  const parsed = parse(text);
  return parsed.kind === "value" && typeof parsed.value !== "number";
}

/** The text by which a model would write the arguments of `call`. */
export function writeArguments(call: ToolCall): string {
  return JSON.stringify(call.arguments);
}

function objectOf(value: Json, mayBeString: boolean): ArgumentsReading {
  if (value === null) return { kind: "object", value: {} };
  if (Array.isArray(value)) return notAnObject("an array");
  if (typeof value === "object") return { kind: "object", value };
  if (typeof value !== "string" || !mayBeString) return notAnObject(`a ${typeof value}`);
  const inner = parse(value);
  return inner.kind === "value" ? objectOf(inner.value, false) : notAnObject("a string");
}

function notAnObject(what: string): ArgumentsReading {
  return { kind: "fault", fault: `are ${what} and not a JSON object` };
}

/** The value that a text holds twice, or that its last delta says whole after an unfinished start. */
function undouble(text: string, last: string): Json | undefined {
  const half = text.slice(0, text.length / 2);
  if (half + half === text) return valueOf(half);
  const before = text.slice(0, text.length - last.length);
  return last.startsWith(before) ? valueOf(last) : undefined;
}

function valueOf(text: string): Json | undefined {
  const parsed = parse(text);
  return parsed.kind === "value" ? parsed.value : undefined;
}

function parse(text: string): { kind: "value"; value: Json } | { kind: "fault"; fault: string } {
  try {
    return { kind: "value", value: JSON.parse(text) as Json };
  } catch (error) {
    return { kind: "fault", fault: `are not valid JSON (${(error as Error).message})` };
  }
}

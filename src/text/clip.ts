/** Clipping of output that is too long for a model, which says what it cut (SPEC 2.8). */
import { utf8Ceil, utf8Floor } from "./utf8.ts";

/** The default cap on a tool's output, in bytes (SPEC 2.8, `CST_TOOL_OUT_CAP`). */
export const DEFAULT_OUTPUT_CAP = 24_000;

/** How many of `cap` bytes the head gets; the tail gets the rest. */
export function headShare(cap: number): number {
  return Math.floor(cap * 0.6);
}

/** The line that stands where `bytes` bytes were left out; `spill` names the file that has them all. */
export function leftOutLine(bytes: number, spill?: string): string {
  const where = spill === undefined ? "" : `; the whole output is in "${spill}"`;
  return `[... ${bytes} bytes left out here${where} ...]`;
}

/**
 * The text with lone surrogates replaced and, if it has more than `cap` bytes of UTF-8, only its first 60 % and last
 * 40 % with one line between that says how many bytes were left out. Only whole characters are kept.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(clipOutput("short", 10), "short");
 * assertEquals(clipOutput("0123456789abcdef", 10), "012345\n[... 6 bytes left out here ...]\ncdef");
 * ```
 */
export function clipOutput(text: string, cap: number, options: { spill?: string } = {}): string {
  const whole = text.toWellFormed();
  const bytes = new TextEncoder().encode(whole);
  if (bytes.length <= cap) return whole;
  const head = bytes.subarray(0, utf8Floor(bytes, headShare(cap)));
  const tail = bytes.subarray(utf8Ceil(bytes, bytes.length - (cap - headShare(cap))));
  const leftOut = bytes.length - head.length - tail.length;
  return joinClipped(decode(head), leftOutLine(leftOut, options.spill), decode(tail));
}

/** Head, line and tail, the line standing alone. */
export function joinClipped(head: string, line: string, tail: string): string {
  const before = head === "" || head.endsWith("\n") ? head : head + "\n";
  return `${before}${line}\n${tail}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

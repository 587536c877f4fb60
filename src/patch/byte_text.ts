/**
 * Byte texts: strings with one code unit a byte, so that any file can be cut and joined as text without decoding it.
 * (`TextDecoder("latin1")` is windows-1252 and wouldn't do.)
 */

/** The byte order mark of UTF-8, as byte text. */
export const BOM = "\u00EF\u00BB\u00BF";

/**
 * What windows-1252, the decoder that is there, makes of the bytes 0x80 to 0x9F, in order. (Asking the decoder for them
 * takes 3 ms of every start.)
 */
const WINDOWS_1252 =
  "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
  "\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178";

/**
 * The bytes as byte text. (Built on the system's decoders: making strings from single codes takes 17 ms a megabyte.)
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const bytes = new Uint8Array([0x63, 0xE9, 0x0A, 0x80]);
 * assertEquals(bytesOf(byteTextOf(bytes)), bytes);
 * ```
 */
export function byteTextOf(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // As long as the bytes: ASCII, unless a lone bad byte became U+FFFD.
  if (text.length === bytes.length && !text.includes("\uFFFD")) return text;
  return new TextDecoder("windows-1252").decode(bytes)
    .replace(/[^\0-\xFF]/g, (char) => String.fromCharCode(0x80 + WINDOWS_1252.indexOf(char)));
}

/** The bytes that a byte text stands for. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Text as the byte text of its UTF-8. */
export function encodeText(text: string): string {
  return byteTextOf(new TextEncoder().encode(text));
}

/** A byte text as text for people; bytes that aren't UTF-8 become U+FFFD. */
export function decodeText(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(text));
}

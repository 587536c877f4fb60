/**
 * Byte texts: strings with one code unit a byte, so that any file can be cut and joined as text without decoding it.
 * (`TextDecoder("latin1")` is windows-1252 and wouldn't do.)
 */

const SLICE = 8192;

/** The byte order mark of UTF-8, as byte text. */
export const BOM = "\u00EF\u00BB\u00BF";

/**
 * The bytes as byte text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const bytes = new Uint8Array([0x63, 0xE9, 0x0A, 0x80]);
 * assertEquals(bytesOf(byteTextOf(bytes)), bytes);
 * ```
 */
export function byteTextOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + SLICE)));
  }
  return parts.join("");
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

/**
 * Byte texts: strings with one code unit a byte, so that any file can be cut and joined as text without decoding it.
 * (`TextDecoder("latin1")` is windows-1252 and wouldn't do.)
 */

/** The byte order mark of UTF-8, as byte text. */
export const BOM = "\u00EF\u00BB\u00BF";

/** Where windows-1252, the decoder that is there, departs from one code unit a byte. */
const DEPARTURES: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0x20 }, (_, at) => {
    const byte = 0x80 + at;
    const decoded = new TextDecoder("windows-1252").decode(new Uint8Array([byte]));
    return [decoded, String.fromCharCode(byte)] as const;
  }).filter(([decoded, own]) => decoded !== own),
);

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
    .replace(/[^\0-\xFF]/g, (char) => DEPARTURES.get(char) ?? char);
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

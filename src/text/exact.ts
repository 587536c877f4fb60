/**
 * Exact text: any bytes as text, and back without loss. A byte that is no UTF-8 stands as the lone surrogate U+DC00 + byte,
 * which no UTF-8 gives, so what is searched and replaced in the text is searched and replaced in the bytes.
 */
import { createSliceDecoder, type Utf8Decoder } from "./utf8.ts";

const LONE = 0xdc00;
/** How many units one call may make a string of: more arguments than the stack holds are an error. */
const UNITS = 8192;

/**
 * A decoder of bytes that come in slices, cut anywhere, to exact text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const decoder = createExactDecoder();
 * assertEquals(decoder.push(Uint8Array.of(0x61, 0xff, 0xc3)), "a\udcff");
 * assertEquals(decoder.push(Uint8Array.of(0xa9)), "é");
 * assertEquals(exactBytesOf("a\udcffé"), Uint8Array.of(0x61, 0xff, 0xc3, 0xa9));
 * ```
 */
export function createExactDecoder(): Utf8Decoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return createSliceDecoder((bytes) => {
    const text = decoder.decode(bytes);
    return text.includes("\uFFFD") ? decodeMixed(bytes) : text;
  });
}

/** Decodes what may hold bytes that are no UTF-8. (`TextDecoder` tells neither where they stood nor what they were.) */
function decodeMixed(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    const code = bytes[at]! < 0x80 ? bytes[at]! : codeAt(bytes, at);
    if (code > 0xffff) {
      units[count++] = 0xd7c0 + (code >> 10);
      units[count++] = 0xdc00 + (code & 0x3ff);
    } else {
      units[count++] = code;
    }
    at += isLone(code) ? 1 : lengthOf(code);
  }
  let text = "";
  for (let from = 0; from < count; from += UNITS) {
    text += String.fromCharCode(...units.subarray(from, Math.min(count, from + UNITS)));
  }
  return text;
}

/** The character at `at`; for a byte where none is whole and in its shortest form (RFC 3629), what stands for it. */
function codeAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const alone = LONE + first;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return alone;
  let code = first & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) {
    // Past the end there is no byte and so no character.
    const byte = bytes[next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return alone;
    code = code << 6 | byte & 0x3f;
  }
  const isSurrogate = code >= 0xd800 && code < 0xe000;
  return lengthOf(code) !== length || code > 0x10ffff || isSurrogate ? alone : code;
}

function lengthOf(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

function isLone(code: number): boolean {
  return code >= LONE + 0x80 && code <= LONE + 0xff;
}

/** The bytes that an exact text stands for. */
export function exactBytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!;
    if (code < 0x80) {
      bytes[length++] = code;
    } else if (isLone(code)) {
      bytes[length++] = code - LONE;
    } else {
      length = writeCharacter(code, bytes, length);
    }
    at += code > 0xffff ? 2 : 1;
  }
  return bytes.subarray(0, length);
}

/** Writes a character of two bytes or more; returns where the next one goes. (`TextEncoder` takes 1 µs for each.) */
function writeCharacter(code: number, bytes: Uint8Array, at: number): number {
  const length = lengthOf(code);
  for (let back = 1; back < length; back++) {
    bytes[at + length - back] = 0x80 | code >> 6 * (back - 1) & 0x3f;
  }
  bytes[at] = 0xf00 >> length & 0xff | code >> 6 * (length - 1);
  return at + length;
}

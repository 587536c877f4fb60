/** UTF-8 over slices of strings, and places where UTF-8 may be cut. */

/** One slice as text without lone surrogates and as its bytes: the same characters in both. */
export interface Utf8Slice {
  readonly text: string;
  /** A view of the encoder's own buffer, which the next slice overwrites. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Turns slices of text into UTF-8, however the slices are cut. */
export interface Utf8Encoder {
  push(slice: string): Utf8Slice;
  /** What was held: U+FFFD if the text ends in half a surrogate pair, else nothing. */
  end(): Utf8Slice;
}

/**
 * An encoder for text that comes in slices: a slice may end in half a surrogate pair (a server may write `\ud83d` in
 * one event and `\ude00` in the next), which waits for its other half. A half that stays alone becomes U+FFFD.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const encoder = createUtf8Encoder();
 * assertEquals(encoder.push("a\ud83d").text, "a");
 * assertEquals([...encoder.push("\ude00").bytes], [0xf0, 0x9f, 0x98, 0x80]);
 * ```
 */
export function createUtf8Encoder(): Utf8Encoder {
  const encoder = new TextEncoder();
  // A fresh array for each slice of 64 KiB costs 20 times what writing into one buffer does.
  let buffer = new Uint8Array(1024);
  let half = "";

  function encode(slice: string): Utf8Slice {
    const text = slice.toWellFormed();
    if (text.length * 3 > buffer.length) buffer = new Uint8Array(text.length * 3);
    const { written } = encoder.encodeInto(text, buffer);
    return { text, bytes: buffer.subarray(0, written) };
  }

  return {
    push(slice) {
      const joined = half + slice;
      half = endsInHighSurrogate(joined) ? joined.slice(-1) : "";
      return encode(half === "" ? joined : joined.slice(0, -1));
    },
    end() {
      const last = encode(half);
      half = "";
      return last;
    },
  };
}

function endsInHighSurrogate(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}

/** Turns UTF-8 into text, however the bytes are cut; what is no UTF-8 becomes U+FFFD, and a BOM stays. */
export interface Utf8Decoder {
  push(bytes: Uint8Array): string;
  /** What was held: U+FFFD if the bytes end inside a character, else nothing. */
  end(): string;
}

/**
 * A decoder for bytes that come in slices. It holds the beginning of a character itself, since `TextDecoder` with
 * `stream: true` costs four times as much as without.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const decoder = createUtf8Decoder();
 * assertEquals(decoder.push(Uint8Array.of(0x61, 0xc3)), "a");
 * assertEquals(decoder.push(Uint8Array.of(0xa9)), "é");
 * ```
 */
export function createUtf8Decoder(): Utf8Decoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return createSliceDecoder((bytes) => decoder.decode(bytes));
}

/** A decoder that gives whole characters to `decode`. */
export function createSliceDecoder(decode: (bytes: Uint8Array) => string): Utf8Decoder {
  let held: Uint8Array = NOTHING;

  return {
    push(bytes) {
      const joined = held.length === 0 ? bytes : concat(held, bytes);
      const end = wholeCharacters(joined);
      if (end === joined.length) {
        held = NOTHING;
        return decode(joined);
      }
      held = joined.slice(end);
      return decode(joined.subarray(0, end));
    },
    end() {
      if (held === NOTHING) return "";
      const text = decode(held);
      held = NOTHING;
      return text;
    },
  };
}

const NOTHING = new Uint8Array(0);

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** How many of `bytes` stand before a last character that isn't whole. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Bytes of `text` in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return bytes;
}

/** The last place at or before `at` where `bytes` may be cut without splitting a character. */
export function utf8Floor(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  let place = at;
  while (place > 0 && at - place < 3 && isContinuation(bytes[place]!)) place--;
  return isContinuation(bytes[place]!) ? at : place;
}

/** The first place at or after `at` where `bytes` may be cut without splitting a character. */
export function utf8Ceil(bytes: Uint8Array, at: number): number {
  let place = Math.max(0, at);
  while (place < bytes.length && place - at < 3 && isContinuation(bytes[place]!)) place++;
  return place;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** UTF-8 over slices of strings, and places where UTF-8 may be cut. */

/** One slice as text without lone surrogates and as its bytes: the same characters in both. */
export interface Utf8Slice {
  readonly text: string;
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
  let half = "";

  function encode(text: string): Utf8Slice {
    const whole = text.isWellFormed() ? text : text.toWellFormed();
    return { text: whole, bytes: encoder.encode(whole) };
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

/** The text with each lone surrogate replaced by U+FFFD: text that UTF-8 can carry. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
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

/** How many tokens a text is, about: the server's own count is better and replaces it with every message. */

/** What a text of a conversation costs on average, over code, English and command output. */
const BYTES_A_TOKEN = 4;

/**
 * The estimated number of tokens of `text`: a quarter of its bytes, rounded up.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["", "four", "fives", "字字"].map(estimateTokens), [0, 1, 2, 2]);
 * ```
 */
export function estimateTokens(text: string): number {
  return Math.ceil(byteLength(text) / BYTES_A_TOKEN);
}

/** The number of UTF-8 bytes of `text`, without writing them. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair stands for 2 of its 4 bytes; half a pair alone is written as U+FFFD, 3 bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

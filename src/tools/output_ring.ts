/** The head and the tail of an output of any size, in bounded memory (SPEC 2.8). */
import { headShare, joinClipped, leftOutLine } from "../text/clip.ts";
import { utf8Ceil, utf8Floor } from "../text/utf8.ts";

const PASSING = 65_536;

/** Takes an output in slices and keeps what a model is shown of it. */
export interface OutputRing {
  push(text: string): void;
  /** The same for text that is UTF-8 already, whole characters only. */
  pushBytes(bytes: Uint8Array): void;
  /** Bytes that were pushed. */
  readonly total: number;
  /** Whether something is left out. */
  readonly isCut: boolean;
  /** What is shown: all, or head, line and tail; `spill` names the file that has all of it. */
  text(spill?: string): string;
}

/**
 * A ring that shows what `clipOutput` would show of the same text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const ring = createOutputRing(10);
 * for (const slice of ["0123", "456789ab", "cdef"]) ring.push(slice);
 * assertEquals(ring.text(), "012345\n[... 6 bytes left out here ...]\ncdef");
 * ```
 */
export function createOutputRing(cap: number): OutputRing {
  const encoder = new TextEncoder();
  /** Encoded text on its way to head and tail: one buffer for all, since a flood's garbage adds up. */
  const passing = new Uint8Array(PASSING);
  const head = new Uint8Array(cap);
  const tail = new Uint8Array(cap - headShare(cap));
  let total = 0;

  /** The last bytes of all, from oldest to newest. */
  function unrolled(): Uint8Array {
    const at = total % tail.length;
    const bytes = new Uint8Array(tail.length);
    bytes.set(tail.subarray(at), 0);
    bytes.set(tail.subarray(0, at), tail.length - at);
    return bytes;
  }

  /** Writes the bytes where the output's offset says, round and round. */
  function roll(bytes: Uint8Array): void {
    const kept = bytes.subarray(Math.max(0, bytes.length - tail.length));
    const at = (total + bytes.length - kept.length) % tail.length;
    const first = Math.min(kept.length, tail.length - at);
    tail.set(kept.subarray(0, first), at);
    tail.set(kept.subarray(first), 0);
  }

  function pushBytes(bytes: Uint8Array): void {
    if (total < cap) head.set(bytes.subarray(0, cap - total), total);
    if (tail.length > 0) roll(bytes);
    total += bytes.length;
  }

  return {
    pushBytes,
    push(text) {
      for (let at = 0; at < text.length;) {
        const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), passing);
        pushBytes(passing.subarray(0, written));
        at += read;
      }
    },
    get total() {
      return total;
    },
    get isCut() {
      return total > cap;
    },
    text(spill) {
      if (total <= cap) return decode(head.subarray(0, total));
      const before = head.subarray(0, utf8Floor(head, headShare(cap)));
      const last = tail.length > 0 ? unrolled() : tail;
      const after = last.subarray(utf8Ceil(last, 0));
      const leftOut = total - before.length - after.length;
      return joinClipped(decode(before), leftOutLine(leftOut, spill), decode(after));
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

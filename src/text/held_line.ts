/** The beginning of a line whose end hasn't come yet. */

/** Bytes that wait for the rest of their line. */
export interface HeldLine {
  /** Bytes held. */
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** The whole line: what was held and `rest`; nothing is held any more. */
  take(rest: Uint8Array): Uint8Array;
  clear(): void;
}

/** Nothing held yet. Appending byte by byte costs time in proportion to the line, not to its square. */
export function createHeldLine(): HeldLine {
  let buffer = new Uint8Array(256);
  let length = 0;

  function append(bytes: Uint8Array): void {
    if (length + bytes.length > buffer.length) {
      const larger = new Uint8Array(Math.max(buffer.length * 2, length + bytes.length));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(bytes, length);
    length += bytes.length;
  }

  return {
    get length() {
      return length;
    },
    append,
    take(rest) {
      if (length === 0) return rest;
      append(rest);
      const line = buffer.slice(0, length);
      length = 0;
      return line;
    },
    clear() {
      length = 0;
    },
  };
}

/** Cuts what a server says into writes. */

/** Takes text and writes bytes. */
export interface Pacer {
  push(text: string): void;
  /** Writes what is left over. */
  flush(): void;
}

/**
 * Writes `chunk` bytes at a time, cut anywhere; with 0, each text as it comes.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const writes: string[] = [];
 * const pacer = createPacer({ chunk: 3, write: (b) => writes.push(new TextDecoder().decode(b)) });
 * pacer.push("abcde");
 * pacer.flush();
 * assertEquals(writes, ["abc", "de"]);
 * ```
 */
export function createPacer(
  options: { chunk: number; write(bytes: Uint8Array): void },
): Pacer {
  const encoder = new TextEncoder();
  let held = new Uint8Array();
  return {
    push(text) {
      const bytes = encoder.encode(text);
      if (options.chunk === 0) return options.write(bytes);
      const all = new Uint8Array(held.length + bytes.length);
      all.set(held);
      all.set(bytes, held.length);
      let at = 0;
      for (; all.length - at >= options.chunk; at += options.chunk) {
        options.write(all.slice(at, at + options.chunk));
      }
      held = all.slice(at);
    },
    flush() {
      if (held.length > 0) options.write(held);
      held = new Uint8Array();
    },
  };
}

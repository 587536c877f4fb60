/** Seeded chance: the same seed text gives the same numbers, on every machine. */

/** A source of numbers in [0, 1). */
export type Random = () => number;

/**
 * A generator whose numbers depend on `seed` alone (FNV-1a into mulberry32; for simulation, never for secrets).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(createRandom("a")(), createRandom("a")());
 * ```
 */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) {
    state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193) >>> 0;
  }
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

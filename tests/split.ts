/** What is fed in slices must not depend on where the slices are cut: a helper that tries the cuts. */
import { assertEquals } from "@std/assert";

/** Numbers in [0, 1) that depend on `seed` alone (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The slices of `input` between the `cuts`, which rise. */
export function cutAt<T extends string | Uint8Array>(input: T, cuts: readonly number[]): T[] {
  const ends = [...cuts, input.length];
  return ends.map((end, i) => input.slice(i === 0 ? 0 : ends[i - 1], end) as T);
}

/** Slices of one length, the last one shorter. */
export function chunksOf<T extends string | Uint8Array>(input: T, size: number): T[] {
  const cuts: number[] = [];
  for (let at = size; at < input.length; at += size) cuts.push(at);
  return cutAt(input, cuts);
}

/** Rising random places inside an input of `length`, about `count` of them. */
export function randomCuts(random: () => number, length: number, count: number): number[] {
  const places = new Set<number>();
  for (let i = 0; i < count; i++) places.add(Math.floor(random() * (length + 1)));
  return [...places].sort((a, b) => a - b);
}

/** The events with neighbours joined that are parts of one text, reasoning or argument: slices decide how many parts there are. */
export function joinEvents<E>(events: readonly E[]): E[] {
  const joined: E[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (isPart(last) && isPart(event) && label(last) === label(event)) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else if (!isPart(event) || event.text !== "") joined.push(event);
  }
  return joined;
}

interface Part {
  readonly kind: string;
  readonly text: string;
  readonly id?: string;
  readonly key?: string;
}

function isPart(event: unknown): event is Part {
  if (typeof event !== "object" || event === null) return false;
  const { kind, text } = event as { kind?: unknown; text?: unknown };
  return ["text", "reasoning", "piece"].includes(String(kind)) && typeof text === "string";
}

function label(part: Part): string {
  return JSON.stringify([part.kind, part.id, part.key]);
}

/** How thoroughly {@linkcode assertSplitInvariant} tries. */
export interface SplitOptions {
  readonly seed?: number;
  /** Random ways of cutting; 100 unless told. */
  readonly random?: number;
  /** Every how many units the input is cut in two; 1 (everywhere) unless told, for long inputs more. */
  readonly stride?: number;
}

/**
 * Asserts that `run` gives the same events for every way of cutting `input`: in two at every place, each unit alone
 * (bytes of a `Uint8Array`, code units of a string: surrogate pairs are cut too), with empty slices, and at seeded
 * random places. `run` gets the slices of one whole input and starts afresh each time.
 */
export function assertSplitInvariant<T extends string | Uint8Array, E>(
  input: T,
  run: (slices: readonly T[]) => readonly E[],
  options: SplitOptions = {},
): void {
  const expected = joinEvents(run([input]));
  const wanted = JSON.stringify(expected);

  function tryCuts(cuts: readonly number[]): void {
    const events = joinEvents(run(cutAt(input, cuts)));
    if (JSON.stringify(events) === wanted) return;
    const shown = cuts.length > 40 ? `${cuts.slice(0, 40).join(" ")} …` : cuts.join(" ");
    assertEquals(events, expected, `Cut at ${shown} of ${input.length}: the events differ`);
    throw new Error(`Cut at ${shown}: the events differ in what JSON shows only`);
  }

  for (let at = 0; at <= input.length; at += options.stride ?? 1) tryCuts([at]);
  tryCuts(Array.from({ length: Math.max(0, input.length - 1) }, (_, i) => i + 1));
  const random = seededRandom(options.seed ?? 1);
  for (let round = 0; round < (options.random ?? 100); round++) {
    tryCuts(randomCuts(random, input.length, 1 + Math.floor(random() * 12)));
  }
}

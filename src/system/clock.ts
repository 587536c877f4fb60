/** Time and chance as the machine gives them, behind {@linkcode Clock}. */
import { setImmediate } from "node:timers";
import type { Clock } from "./system.ts";

/**
 * The real clock.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * const clock = createClock();
 * const before = clock.monotonic();
 * await clock.sleep(1);
 * assert(clock.monotonic() > before);
 * ```
 */
export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep,
    random: () => Math.random(),
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // A timer of 0 ms comes after 2 ms; this one with the next turn of the event loop.
    const timer = ms > 0 ? setTimeout(done, ms) : undefined;
    if (timer === undefined) setImmediate(done);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

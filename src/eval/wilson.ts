/** The interval in which a pass rate lies. */

/** Both ends of an interval, as shares from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the normal distribution: 95 % lie between it and its opposite. */
const Z = 1.959963984540054;

/**
 * The 95 % Wilson score interval of `passes` out of `n` (E. B. Wilson, 1927, without continuity correction); the whole
 * of 0 to 1 when `n` is 0.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const { low, high } = wilson(12, 12);
 * assertEquals([low.toFixed(3), high.toFixed(3)], ["0.758", "1.000"]);
 * ```
 */
export function wilson(passes: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const share = passes / n;
  const spread = Z * Z / n;
  const middle = share + spread / 2;
  const half = Z * Math.sqrt(share * (1 - share) / n + spread / (4 * n));
  return {
    low: Math.max(0, (middle - half) / (1 + spread)),
    high: Math.min(1, (middle + half) / (1 + spread)),
  };
}

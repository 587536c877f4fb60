/** How long to wait before a request is sent again (SPEC 4). */

/** The longest wait that a server may ask for; beyond it the request fails at once. */
export const MAX_RETRY_AFTER_MS = 60_000;

const BASE_MS = 500;
const CAP_MS = 30_000;

/** The wait in ms before retry number `retry` (from 0): 0.5 s, doubled each time, 30 s at most, of which a random half is taken off. */
export function backoffMs(retry: number, random: number): number {
  return Math.min(CAP_MS, BASE_MS * 2 ** retry) * (1 - random / 2);
}

/**
 * The wait in ms that a server asks for, or undefined: `Retry-After` in seconds or as an HTTP date (RFC 9110,
 * 10.2.3), before it `retry-after-ms`. A date that is past means now.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const now = Date.UTC(2026, 0, 1);
 * assertEquals(retryAfterMs(new Headers({ "retry-after": "2" }), now), 2000);
 * assertEquals(retryAfterMs(new Headers({ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }), now), 5000);
 * assertEquals(retryAfterMs(new Headers({ "retry-after": "soon" }), now), undefined);
 * ```
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const ms = headers.get("retry-after-ms")?.trim();
  if (ms && /^\d+(\.\d+)?$/.test(ms)) return Number(ms);
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) || !/[a-z]/i.test(value) ? undefined : Math.max(0, date - now);
}

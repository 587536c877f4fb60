import { assertEquals } from "@std/assert";
import { backoffMs, retryAfterMs } from "../../src/provider/backoff.ts";

Deno.test("Waits double from half a second to thirty, and chance takes off half at most", () => {
  const retries = [0, 1, 2, 3, 4, 5, 6, 7, 100];
  const longest = retries.map((retry) => backoffMs(retry, 0));
  assertEquals(longest, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assertEquals(retries.map((retry) => backoffMs(retry, 1)), longest.map((ms) => ms / 2));
});

const now = Date.UTC(2026, 0, 1);
const rows: readonly {
  readonly headers: Record<string, string>;
  readonly ms: number | undefined;
}[] = [
  { headers: {}, ms: undefined },
  { headers: { "retry-after": "0" }, ms: 0 },
  { headers: { "retry-after": " 30 " }, ms: 30_000 },
  { headers: { "retry-after": "1.5" }, ms: 1500 },
  { headers: { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, ms: 60_000 },
  { headers: { "retry-after": "Wed, 31 Dec 2025 23:59:00 GMT" }, ms: 0 },
  { headers: { "retry-after": "-5" }, ms: undefined },
  { headers: { "retry-after": "in a while" }, ms: undefined },
  { headers: { "retry-after": "7", "retry-after-ms": "250" }, ms: 250 },
];
for (const { headers, ms } of rows) {
  Deno.test(`The wait that a server asks for is read: ${JSON.stringify(headers)}`, () => {
    assertEquals(retryAfterMs(new Headers(headers), now), ms);
  });
}

import { assertEquals } from "@std/assert";
import { wilson } from "../../src/eval/wilson.ts";

Deno.test("wilson() gives the published 95 % intervals", () => {
  // Newcombe (1998), table I, method 3, and its closed form at the ends.
  const rows = [
    [81, 263, "0.2553", "0.3662"],
    [15, 148, "0.0624", "0.1605"],
    [0, 20, "0.0000", "0.1611"],
    [1, 29, "0.0061", "0.1718"],
    [29, 29, "0.8830", "1.0000"],
  ] as const;
  for (const [passes, n, low, high] of rows) {
    const interval = wilson(passes, n);
    assertEquals([interval.low.toFixed(4), interval.high.toFixed(4)], [low, high]);
  }
  assertEquals(wilson(0, 0), { low: 0, high: 1 });
});

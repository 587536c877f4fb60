import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { clipOutput } from "../../src/text/clip.ts";
import { createOutputRing } from "../../src/tools/output_ring.ts";

Deno.test("createOutputRing() shows what clipOutput() shows, whatever the slices and the cap", () => {
  const slice = fc.string({ unit: fc.constantFrom("a", "\n", "é", "€", "😀"), maxLength: 30 });
  fc.assert(
    fc.property(
      fc.array(slice, { maxLength: 30 }),
      fc.integer({ min: 1, max: 200 }),
      (slices, cap) => {
        const ring = createOutputRing(cap);
        for (const text of slices) ring.push(text);
        const whole = slices.join("");
        assertEquals(ring.text("/s/1.out"), clipOutput(whole, cap, { spill: "/s/1.out" }));
        assertEquals(ring.total, new TextEncoder().encode(whole).length);
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("createOutputRing() takes a slice that is longer than all it keeps", () => {
  const text = Array.from({ length: 9000 }, (_, i) => `line ${i}\n`).join("");
  const ring = createOutputRing(1000);
  ring.push("first\n");
  ring.push(text);
  ring.push("last\n");
  assertEquals(ring.text(), clipOutput(`first\n${text}last\n`, 1000));
});

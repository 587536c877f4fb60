import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createExactDecoder, exactBytesOf } from "../../src/text/exact.ts";

/** Decodes the bytes cut at the places. */
function decode(bytes: Uint8Array, cuts: readonly number[]): string {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)];
  const decoder = createExactDecoder();
  const pieces = places.map((from, at) => decoder.push(bytes.subarray(from, places[at + 1])));
  return pieces.join("") + decoder.end();
}

const ROWS: readonly (readonly [string, readonly number[], string])[] = [
  ["UTF-8", [...new TextEncoder().encode("aé€😀\ufffd\ufeff")], "aé€😀\ufffd\ufeff"],
  ["characters beside a bad byte", [0xff, ...new TextEncoder().encode("é€😀")], "\udcffé€😀"],
  ["a character that is cut off", [0xe2, 0x82, 0x61], "\udce2\udc82a"],
  ["the end inside a character", [0x61, 0xf0, 0x9f], "a\udcf0\udc9f"],
  ["longer forms", [0xc0, 0xaf, 0xe0, 0x80, 0xaf], "\udcc0\udcaf\udce0\udc80\udcaf"],
  ["a surrogate", [0xed, 0xb2, 0x80], "\udced\udcb2\udc80"],
  ["past U+10FFFF", [0xf4, 0x90, 0x80, 0x80], "\udcf4\udc90\udc80\udc80"],
  ["the last character", [0xf4, 0x8f, 0xbf, 0xbf, 0xff], "\u{10ffff}\udcff"],
];

for (const [title, bytes, text] of ROWS) {
  Deno.test(`exact text of ${title} is the same at every cut, and gives the bytes back`, () => {
    const whole = Uint8Array.from(bytes);
    for (let cut = 0; cut <= whole.length; cut++) assertEquals(decode(whole, [cut]), text);
    assertEquals(exactBytesOf(text), whole);
  });
}

/** Bytes among which characters, whole and in pieces, are frequent. */
const anyBytes = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.string({ unit: "binary", maxLength: 3 }).map((text) => new TextEncoder().encode(text)),
    fc.constantFrom([0xe2, 0x82], [0xf0, 0x9f], [0xed, 0xa0, 0x80], [0xc3]),
  ),
).map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

Deno.test("exact text gives back whatever bytes it was made of, however they were cut", () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat()), (bytes, cuts) => {
      const text = decode(bytes, cuts);
      assertEquals(exactBytesOf(text), bytes);
      assertEquals(text, decode(bytes, []));
    }),
    { numRuns: 500 },
  );
});

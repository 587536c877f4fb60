import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { clipOutput, headShare } from "../../src/text/clip.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

Deno.test("clipOutput() leaves what fits and repairs lone surrogates", () => {
  assertEquals(clipOutput("", 0), "");
  assertEquals(clipOutput("0123456789", 10), "0123456789");
  assertEquals(clipOutput("a\ud800b", 5), "a\ufffdb");
});

Deno.test("clipOutput() keeps 60 % and 40 % and says how many bytes are missing", () => {
  const text = Array.from({ length: 10_000 }, (_, i) => `line ${i}\n`).join("");
  const clipped = clipOutput(text, 24_000, { spill: "/tmp/c1.txt" });
  const [head, tail] = clipped.split(
    /\[\.\.\. \d+ bytes left out here; the whole output is in "\/tmp\/c1\.txt" \.\.\.\]\n/,
  );
  assertEquals(head!.replace(/\n$/, ""), text.slice(0, 14_400).replace(/\n$/, ""));
  assertEquals(tail, text.slice(-9_600));
  assert(clipped.includes(`[... ${text.length - 24_000} bytes left out here`));
});

Deno.test("clipOutput() never cuts a character and counts exactly", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 40 }), (text, cap) => {
      const whole = text.toWellFormed();
      const clipped = clipOutput(whole, cap);
      if (bytesOf(whole) <= cap) return assertEquals(clipped, whole);
      const match = /^([\s\S]*?)\n?\[\.\.\. (\d+) bytes left out here \.\.\.\]\n([\s\S]*)$/.exec(
        clipped,
      );
      assert(match, clipped);
      const [, head, count, tail] = match;
      assert(whole.startsWith(head!) && whole.endsWith(tail!));
      assert(bytesOf(head!) <= headShare(cap) && bytesOf(head! + tail!) <= cap);
      const newlineKept = head !== "" && whole.startsWith(head + "\n") &&
        bytesOf(head!) + 1 + Number(count) + bytesOf(tail!) === bytesOf(whole);
      assertEquals(
        bytesOf(head!) + Number(count) + bytesOf(tail!) + (newlineKept ? 1 : 0),
        bytesOf(whole),
      );
    }),
  );
});

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  createUtf8Decoder,
  createUtf8Encoder,
  utf8Ceil,
  utf8Floor,
  utf8Length,
} from "../../src/text/utf8.ts";
import { assertSplitInvariant } from "../split.ts";

function encodeSlices(slices: readonly string[]): number[][] {
  const encoder = createUtf8Encoder();
  const bytes = slices.flatMap((slice) => [...encoder.push(slice).bytes]);
  return [[...bytes, ...encoder.end().bytes]];
}

Deno.test("createUtf8Encoder() gives the same bytes for every way of cutting the text", () => {
  for (const text of ["", "aé€😀b", "\ud83d", "\ude00x", "a\ud83d\ud83d\ude00\ude00", "😀😀"]) {
    assertSplitInvariant(text, encodeSlices);
    assertEquals(encodeSlices([text]), [[...new TextEncoder().encode(text)]]);
  }
});

Deno.test("createUtf8Encoder() gives text and bytes of the same characters", () => {
  const encoder = createUtf8Encoder();
  for (const [slice, whole] of [["a\ud83d", "a"], ["\ude00\ud800", "😀"], ["b\ud83d", "\ufffdb"]]) {
    const { text, bytes } = encoder.push(slice!);
    assertEquals([text, new TextDecoder().decode(bytes)], [whole, whole]);
  }
  assertEquals(encoder.end().text, "\ufffd");
});

Deno.test("utf8Length() counts what the encoder writes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string(), (a, b) => {
    const text = a + "\ud800" + b + a.slice(1);
    assertEquals(utf8Length(text), new TextEncoder().encode(text).length);
  }));
});

Deno.test("utf8Floor() and utf8Ceil() find the nearest whole character", () => {
  const bytes = new TextEncoder().encode("aé😀");
  const places = [...bytes, 0].map((_, at) => at);
  assertEquals(places.map((at) => utf8Floor(bytes, at)), [0, 1, 1, 3, 3, 3, 3, 7]);
  assertEquals(places.map((at) => utf8Ceil(bytes, at)), [0, 1, 3, 3, 7, 7, 7, 7]);
});

function decodeSlices(slices: readonly Uint8Array[]): string[] {
  const decoder = createUtf8Decoder();
  return [slices.map((slice) => decoder.push(slice)).join("") + decoder.end()];
}

Deno.test("createUtf8Decoder() decodes any bytes as TextDecoder does, however they are cut", () => {
  const whole = new TextEncoder().encode("\ufeffaé€😀\0");
  const bad = Uint8Array.of(0x61, 0xf0, 0x9f, 0x98, 0x41, 0x80, 0xc3, 0xe2, 0x82, 0xff, 0xf0, 0x9f);
  for (const bytes of [whole, bad, whole.slice(0, -2), new Uint8Array(0)]) {
    const expected = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    assertEquals(decodeSlices([bytes]), [expected]);
    assertSplitInvariant(bytes, decodeSlices);
  }
});

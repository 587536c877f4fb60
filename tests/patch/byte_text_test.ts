import { assertEquals } from "@std/assert";
import { bytesOf, byteTextOf, decodeText, encodeText } from "../../src/patch/byte_text.ts";

Deno.test("Every byte becomes one code unit and comes back, alone and among others", () => {
  for (let byte = 0; byte < 256; byte++) {
    for (const bytes of [[byte], [0x61, byte], [byte, 0xC3, 0xA9], [0xEF, 0xBB, 0xBF, byte]]) {
      const text = byteTextOf(new Uint8Array(bytes));
      assertEquals([...text].map((char) => char.charCodeAt(0)), bytes);
      assertEquals([...bytesOf(text)], bytes);
    }
  }
});

Deno.test("Text goes through UTF-8 unharmed", () => {
  for (const text of ["", "a", "\uFEFFé😀\u2028\0", "caf\u0301"]) {
    assertEquals(decodeText(encodeText(text)), text);
  }
});

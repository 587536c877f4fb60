import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createPlainText } from "../../src/text/ansi.ts";

function plainOf(slices: readonly string[]): string {
  const plain = createPlainText();
  return slices.map((slice) => plain.push(slice)).join("") + plain.end();
}

const ROWS: readonly (readonly [title: string, input: string, output: string])[] = [
  ["colours", "\x1b[1;31mred\x1b[0m and \x1b[38;2;1;2;3mtrue\x1b[m\n", "red and true\n"],
  ["a progress bar", "\rget 1%\rget 50%\rget 100%\nready\n", "get 100%\nready\n"],
  ["a progress bar that ends in a return", "1%\r2%\r", "2%"],
  ["a return with nothing after it", "kept\r\x1b[0m", "kept"],
  ["Windows line ends", "a\r\nb\r\n\r\n", "a\r\nb\r\n\r\n"],
  ["two returns before the line end", "a\r\r\n", "a\r\n"],
  ["an erased line", "working\x1b[2K\x1b[1Gdone\n", "done\n"],
  ["an erased rest of the line", "working\r\x1b[Kdone\n", "done\n"],
  ["an erased end of the line, the cursor at its end", "kept\x1b[K\n", "kept\n"],
  ["a spinner", "|\b/\b-\b\\\bok\n", "ok\n"],
  ["overstrike", "N\bNA\bAM\bM\n", "NAM\n"],
  ["backspace over an emoji", "😀\bx\n", "x\n"],
  ["a title and a link", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\\n", "ab\n"],
  ["a character set and the keypad", "\x1b(Ba\x1b=b\x1b>\n", "ab\n"],
  ["a title without an end", "\x1b]0;title\nnext\n", "␛]0;title\nnext\n"],
  ["an escape at the end", "a\x1b[3", "a␛[3"],
  ["NUL, DEL, BEL and form feed", "a\0b\x7fc\x07d\fe\n", "a␀b␡cd␌e\n"],
  ["tabs and no end", "a\tb", "a\tb"],
  ["nothing", "", ""],
];

for (const [title, input, output] of ROWS) {
  Deno.test(`createPlainText() reads ${title}, however it is cut`, () => {
    assertEquals(plainOf([input]), output);
    assertEquals(plainOf([...input.split("")]), output);
    for (let at = 1; at < input.length; at++) {
      assertEquals(plainOf([input.slice(0, at), input.slice(at)]), output, `cut at ${at}`);
    }
  });
}

const piece = fc.constantFrom(
  "\r",
  "\n",
  "\b",
  "\x1b",
  "[",
  "]",
  "K",
  "2K",
  "1G",
  "0;t",
  "\x07",
  "\\",
  "(",
  "B",
  "m",
  "a",
  "é",
  "😀",
  "\0",
  "31",
);

Deno.test("createPlainText() gives the same for every cut, and no control characters", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(), (pieces, seed) => {
      const input = pieces.join("");
      const whole = plainOf([input]);
      const at = seed % (input.length + 1);
      assertEquals(plainOf([input.slice(0, at), input.slice(at)]), whole);
      assertEquals(plainOf(input.split("")), whole);
      assert(
        [...whole].every((char) => char >= " " || "\n\r\t".includes(char)),
        JSON.stringify(whole),
      );
    }),
    { numRuns: 500 },
  );
});

Deno.test("createPlainText() holds little of an endless line or an endless title", () => {
  for (const endless of ["x".repeat(1000), "\x1b]" + "y".repeat(999)]) {
    const plain = createPlainText();
    let out = 0;
    for (let i = 0; i < 1000; i++) out += plain.push(i === 0 ? endless : "y".repeat(1000)).length;
    assert(out > 1_000_000 - 20_000, String(out));
  }
});

Deno.test("createPlainText() cuts a long line at the same places whatever the slices are", () => {
  const line = "abcdefghij".repeat(3000) + "\rend\n";
  const whole = plainOf([line]);
  assertEquals(plainOf(line.match(/[^]{1,777}/g)!), whole);
  assertEquals(plainOf(line.split("")), whole);
});

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Row } from "../../../src/cli/chat/layout.ts";
import { createProse } from "../../../src/cli/chat/markdown.ts";

/** All rows of slices, one after the other. */
function rowsOf(slices: readonly string[], columns: number): Row[] {
  const prose = createProse();
  return [...slices.flatMap((slice) => prose.push(slice, columns)), ...prose.end(columns)];
}

const textOf = (row: Row) => row.map(({ text }) => text).join("");
const styled = (row: Row) =>
  row.map(({ text, style }) => style === "plain" ? text : `<${style}>${text}</>`).join("");

const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["# Title\n", ["<bold># Title</>"]],
  ["> quoted", ["<dim>> quoted</>"]],
  ["- item `x`", ["<cyan>- </>item <code>`x`</>"]],
  ["12. item", ["<cyan>12. </>item"]],
  ["a **b c** d", ["a <bold>**b c**</> d"]],
  ["2 ** 3 and a**b", ["2 ** 3 and a**b"]],
  ["`a ** b`", ["<code>`a ** b`</>"]],
  ["open `code\nnext", ["open <code>`code</>", "next"]],
  ["```ts\nlet a = `b`;\n```\nafter", [
    "<dim>```ts</>",
    "<code>let a = `b`;</>",
    "<dim>```</>",
    "after",
  ]],
  ["~~~\n```\n~~~\n**b**", ["<dim>~~~</>", "<dim>```</>", "<dim>~~~</>", "<bold>**b**</>"]],
  ["\n\nx\n", ["", "", "x"]],
  ["a\tb", ["a    b"]],
  ["a\x1b[31mb", ["a\\x1b[31mb"]],
];

Deno.test("Prose is coloured, and not a character is taken away", () => {
  for (const [text, rows] of ROWS) {
    assertEquals(rowsOf([text], 60).map(styled), rows, JSON.stringify(text));
  }
});

const MARKUP = fc.string({
  unit: fc.constantFrom(
    "a",
    "bb ",
    " ",
    "`",
    "**",
    "```",
    "\n",
    "# ",
    "- ",
    "字",
    "> ",
    "👩‍👧",
    "\t",
    "~",
    "*",
    "-",
    "1",
    ".",
    "#",
    "🇩🇪",
    "🇩",
    "\u200d",
    "\u0301",
    "\ufe0f",
    "\x1b[31m",
  ),
  maxLength: 120,
});

Deno.test("Rows don't depend on where the text is cut", () => {
  fc.assert(
    fc.property(MARKUP, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const whole = rowsOf([text], columns);
      assertEquals(rowsOf(text.split(""), columns), whole);
      assertEquals(rowsOf(text.match(/[\s\S]{1,7}/g) ?? [], columns), whole);
    }),
    { numRuns: Number(Deno.env.get("RUNS") ?? 400) },
  );
});

Deno.test("Blanks behind a word stay with it, also where the mark behind them isn't known yet", () => {
  const text = "字**```a`````` **a";
  const whole = rowsOf([text], 8);
  assertEquals(whole.map(textOf), ["字**```a", "`````` ", "**a"]);
  for (let at = 1; at < text.length; at++) {
    assertEquals(rowsOf([text.slice(0, at), text.slice(at)], 8), whole);
  }
});

Deno.test("A row that ends in what may be a mark waits until that is known", () => {
  const prose = createProse();
  assertEquals(prose.push("\t\t**", 9).map(textOf), []);
  assertEquals(prose.open(9).map(textOf), ["        *", "*"]);
  assertEquals(prose.push("a", 9).map(styled), ["        <bold>*</>"]);
  assertEquals(prose.end(9).map(styled), ["<bold>*a</>"]);
});

Deno.test("A very long line comes whole, cut anywhere", () => {
  const line = Array.from({ length: 3_000 }, (_, i) => `w${i} `).join("");
  const whole = rowsOf([line], 40);
  assertEquals(whole.map(textOf).join(""), line);
  assertEquals(rowsOf(line.match(/[\s\S]{1,997}/g)!, 40), whole);
});

Deno.test("The rows that are being written are what is left over", () => {
  const prose = createProse();
  assertEquals(prose.push("one two three", 8).map(textOf), ["one two "]);
  assertEquals(prose.open(8).map(textOf), ["three"]);
  assertEquals(prose.push("\n", 8).map(textOf), ["three"]);
  assertEquals(prose.open(8), []);
});

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  cellsOf,
  cellsOfRow,
  fit,
  graphemesOf,
  harmless,
  type Span,
  trimRow,
  wrapSpans,
} from "../../../src/cli/chat/layout.ts";
import { sharedData } from "../../shared_data.ts";

const WIDTHS: readonly (readonly [string, number])[] = [
  ["", 0],
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["字", 2],
  ["한글", 4],
  ["ｆｕｌｌ", 8],
  ["👍", 2],
  ["👍🏽", 2],
  ["👩‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["🇩🇪\u200d", 2],
  ["❤️", 2],
  ["❤", 1],
  ["\u200b", 0],
  ["…", 1],
];

Deno.test("A text takes the cells that a terminal gives it", () => {
  for (const [text, cells] of WIDTHS) assertEquals(cellsOf(text), cells, JSON.stringify(text));
});

Deno.test("Case I13: a sign that VS16 makes an emoji takes 2 cells", async () => {
  const place = sharedData("cases/I13/widths.json");
  if (!place) return;
  for (const { text, cells } of JSON.parse(await Deno.readTextFile(place))) {
    assertEquals(cellsOf(text), cells, text);
  }
});

const SPANS = fc.array(
  fc.record({
    text: fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "b", " ", "字", "👩‍👧", "é") }),
      fc.string({ unit: "grapheme" }).map((it) => harmless(it).replace(/[\n\t]/g, "")),
    ),
    style: fc.constantFrom("plain", "bold"),
  }),
  { maxLength: 6 },
) as fc.Arbitrary<Span[]>;
const textOf = (spans: readonly Span[]) => spans.map(({ text }) => text).join("");

Deno.test("Wrapped rows hold all of the text, and none is wider than asked but for blanks at its end", () => {
  fc.assert(
    fc.property(SPANS, fc.integer({ min: 2, max: 30 }), (spans, columns) => {
      const rows = wrapSpans(spans, columns);
      assertEquals(rows.map(textOf).join(""), textOf(spans));
      for (const row of rows) {
        assertEquals(cellsOfRow(trimRow(row)) <= columns, true, JSON.stringify(row));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("A row that has one behind it stays when text is added at the end", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "b", "c", " ", "字") });
  fc.assert(
    fc.property(words, words, fc.integer({ min: 4, max: 20 }), (before, more, columns) => {
      const first = wrapSpans([{ text: before, style: "plain" }], columns).slice(0, -1);
      const then = wrapSpans([{ text: before + more, style: "plain" }], columns);
      assertEquals(then.slice(0, first.length), first);
    }),
    { numRuns: 500 },
  );
});

Deno.test("A text that is cut ends in … and is as wide as asked at most", () => {
  assertEquals([fit("abc", 3), fit("abcd", 3), fit("字字", 3), fit("字", 1)], [
    "abc",
    "ab…",
    "字…",
    "…",
  ]);
});

Deno.test("What moves the cursor or turns text around is shown as an escape", () => {
  assertEquals(harmless("a\x1b[2Jb\r\u202ec\n\td\x9b"), "a\\x1b[2Jb\\x0d\\x202ec\n\td\\x9b");
});

Deno.test("Characters are what a reader sees as one", () => {
  assertEquals(graphemesOf("a👩‍👧e\u0301"), ["a", "👩‍👧", "e\u0301"]);
});

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Key, KeyName } from "../../../src/cli/chat/keys.ts";
import { type Draft, draftOf, edit, EMPTY } from "../../../src/cli/chat/line_editor.ts";
import { inputRows } from "../../../src/cli/chat/input_rows.ts";
import { cellsOf } from "../../../src/cli/chat/layout.ts";
import { createPrompt } from "../../../src/cli/chat/prompt.ts";

/** `a|b`: the cursor stands at the bar. */
const at = (marked: string): Draft => ({
  text: marked.replace("|", ""),
  cursor: marked.indexOf("|"),
});
const shown = ({ text, cursor }: Draft) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const press = (name: KeyName): Key => ({ kind: "key", name });

const ROWS: readonly (readonly [string, KeyName, string | undefined])[] = [
  ["ab|", "backspace", "a|"],
  ["|ab", "backspace", "|ab"],
  ["a👩‍👧|b", "backspace", "a|b"],
  ["e\u0301|", "backspace", "|"],
  ["a\n|b", "backspace", "a|b"],
  ["|字a", "delete", "|a"],
  ["a|\nb", "delete", "a|b"],
  ["a|", "delete", "a|"],
  ["a字|", "left", "a|字"],
  ["|字a", "right", "字|a"],
  ["a\n|b", "left", "a|\nb"],
  ["one two|", "word-left", "one |two"],
  ["one.two|", "word-left", "one.|two"],
  ["|one two", "word-right", "one| two"],
  ["one two  |", "delete-word", "one |"],
  ["a\nb c|d", "home", "a\n|b cd"],
  ["a|b\nc", "end", "ab|\nc"],
  ["a\nbc|d", "kill-to-start", "a\n|d"],
  ["a|b\nc", "kill-to-end", "a|\nc"],
  ["abc\nd|", "up", "a|bc\nd"],
  ["字字\nab|", "up", "字|字\nab"],
  ["abc|\nd", "down", "abc\nd|"],
  ["ab|", "up", undefined],
  ["ab|", "down", undefined],
  ["a|b", "newline", "a\n|b"],
  ["a|b", "enter", undefined],
  ["a|b", "escape", undefined],
];

Deno.test("Each key makes of a draft what it should", () => {
  for (const [before, name, after] of ROWS) {
    const edited = edit(at(before), press(name));
    assertEquals(edited && shown(edited), after, `${JSON.stringify(before)} ${name}`);
  }
});

Deno.test("A paste is put in at the cursor as one piece", () => {
  const edited = edit(at("a|b"), { kind: "paste", text: "1\n2" });
  assertEquals(edited && shown(edited), "a1\n2|b");
});

const KEYS = fc.array(fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }).map((text): Key => ({
    kind: "text",
    text,
  })),
  fc.constantFrom<KeyName>(
    "backspace",
    "delete",
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "newline",
    "word-left",
    "word-right",
    "delete-word",
    "kill-to-start",
    "kill-to-end",
  ).map(press),
));

Deno.test("The cursor never leaves the text, and the rows of any draft fit and hold the cursor", () => {
  fc.assert(
    fc.property(
      KEYS,
      fc.integer({ min: 8, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      (keys, columns, most) => {
        const draft = keys.reduce((now, key) => edit(now, key) ?? now, EMPTY);
        assertEquals(draft.cursor >= 0 && draft.cursor <= draft.text.length, true);
        const { rows, cursor } = inputRows(draft, { columns, most, label: "> ", hint: "" });
        assertEquals(rows.length <= most + 1, true);
        assertEquals(cursor.row >= 0 && cursor.row < rows.length, true);
        for (const row of rows.slice(0, most)) {
          const cells = row.reduce((sum, { text }) => sum + cellsOf(text), 0);
          assertEquals(cells <= columns, true);
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("Up and Down walk through earlier messages and come back to what was being written", () => {
  const prompt = createPrompt(["first", "second"]);
  const read = () => prompt.draft().text;
  const seen: string[] = [];
  prompt.take({ kind: "text", text: "new" });
  for (const name of ["up", "up", "up", "down", "down", "down"] as const) {
    prompt.take(press(name));
    seen.push(read());
  }
  assertEquals(seen, ["second", "first", "first", "second", "new", "new"]);
});

Deno.test("What is given back, lent or put aside isn't lost", () => {
  const prompt = createPrompt([]);
  prompt.take({ kind: "text", text: "half" });
  prompt.lend("make");
  assertEquals(prompt.draft(), draftOf("make"));
  prompt.returned();
  assertEquals(prompt.draft(), draftOf("half"));
  prompt.giveBack("queued");
  assertEquals(prompt.draft(), draftOf("queued\nhalf"));
  prompt.putAside();
  assertEquals(prompt.draft(), EMPTY);
  prompt.take(press("up"));
  assertEquals(prompt.draft().text, "queued\nhalf");
});

Deno.test("Of 200 lines the ones around the cursor are shown, and how many there are", () => {
  const draft = draftOf(Array.from({ length: 200 }, (_, i) => `line ${i}`).join("\n"));
  const { rows, cursor } = inputRows(draft, { columns: 40, most: 4, label: "> ", hint: "" });
  assertEquals(rows.map((row) => row.map(({ text }) => text).join("")), [
    "… line 196",
    "  line 197",
    "  line 198",
    "  line 199",
    "  (200 rows, 196 not shown)",
  ]);
  assertEquals(cursor, { row: 3, column: 10 });
});

import { assertEquals } from "@std/assert";
import { joinDeltas } from "../../src/agent/join_deltas.ts";
import type { Delta } from "../../src/vocab.ts";

const text = (it: string): Delta => ({ kind: "text", text: it });
const reasoning = (it: string, field: "reasoning" | "reasoning_content"): Delta => ({
  kind: "reasoning",
  text: it,
  field,
});

Deno.test("joinDeltas() joins neighbours of one kind and field and keeps the order of all others", () => {
  const details: Delta = { kind: "reasoning", text: "d", field: "reasoning", details: [1] };
  const call: Delta = { kind: "tool_call", slot: 0, arguments: "{" };
  const finish: Delta = { kind: "finish", reason: "stop" };
  const rows: readonly (readonly [readonly Delta[], readonly Delta[]])[] = [
    [[], []],
    [[text("a")], [text("a")]],
    [[text("a\ud83d"), text("\ude00b"), finish], [text("a😀b"), finish]],
    [[text("a"), call, text("b"), text("c")], [text("a"), call, text("bc")]],
    [
      [
        reasoning("a", "reasoning"),
        reasoning("b", "reasoning"),
        reasoning("c", "reasoning_content"),
      ],
      [reasoning("ab", "reasoning"), reasoning("c", "reasoning_content")],
    ],
    [[reasoning("a", "reasoning"), details, details], [
      reasoning("a", "reasoning"),
      details,
      details,
    ]],
  ];
  for (const [given, joined] of rows) assertEquals(joinDeltas(given), joined);
});

/** However a server numbers, names and cuts its calls, the same calls come out. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/vocab.ts";
import { decodeSlices, sumUp } from "./decoded.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly pieces: readonly string[];
}

/** The habits of one server. */
interface Habits {
  readonly index: "counted" | "gaps" | "always_0" | "absent" | "null" | "minus_1";
  readonly later: "absent" | "empty" | "null" | "repeated";
  readonly together: boolean;
  readonly trailing: boolean;
}

const INDEX: { readonly [habit in Habits["index"]]: (n: number) => JsonObject } = {
  counted: (n) => ({ index: n }),
  gaps: (n) => ({ index: 3 * n + 1 }),
  always_0: () => ({ index: 0 }),
  absent: () => ({}),
  null: () => ({ index: null }),
  minus_1: () => ({ index: -1 }),
};

function laterNames(call: Call, later: Habits["later"]): { id: JsonObject; name: JsonObject } {
  switch (later) {
    case "absent":
      return { id: {}, name: {} };
    case "empty":
      return { id: { id: "" }, name: { name: "" } };
    case "null":
      return { id: { id: null }, name: { name: null } };
    case "repeated":
      return { id: { id: call.id }, name: { name: call.name } };
  }
}

/** The deltas in which such a server writes these calls. */
function write(calls: readonly Call[], habits: Habits): JsonObject[] {
  return calls.flatMap((call, n) => {
    const index = INDEX[habits.index](n);
    const later = laterNames(call, habits.later);
    const pieces = habits.trailing ? [...call.pieces, ""] : call.pieces;
    return [
      { ...index, id: call.id, function: { name: call.name, arguments: pieces[0] ?? "" } },
      ...pieces.slice(1).map((piece): JsonObject => ({
        ...index,
        ...later.id,
        function: { ...later.name, arguments: piece },
      })),
    ];
  });
}

function body(deltas: readonly JsonObject[], together: boolean): string {
  const lists: Json[][] = together ? [[...deltas]] : deltas.map((delta) => [delta]);
  return lists.map((list) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: list } }] })}\n\n`
  ).join("");
}

Deno.test("Calls come out as they went in, whatever the habits of the server", () => {
  const name = fc.constantFrom("run", "read_file", "write_file");
  const call = fc.record({
    name,
    pieces: fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 }),
  });
  const calls = fc.array(call, { minLength: 1, maxLength: 5 }).map((list) =>
    list.map((it, n): Call => ({ ...it, id: `c${n}` }))
  );
  const habits = fc.record<Habits>({
    index: fc.constantFrom("counted", "gaps", "always_0", "absent", "null", "minus_1"),
    later: fc.constantFrom("absent", "empty", "null", "repeated"),
    together: fc.boolean(),
    trailing: fc.boolean(),
  });
  fc.assert(
    fc.property(calls, habits, (calls, habits) => {
      const bytes = new TextEncoder().encode(body(write(calls, habits), habits.together));
      const { deltas, facts } = decodeSlices([bytes]);
      assertEquals(
        sumUp(deltas, facts).calls,
        calls.map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join("") })),
      );
    }),
    { numRuns: 400 },
  );
});

Deno.test("Pieces of two calls may alternate where the server numbers them", () => {
  const pieces = ['{"a"', ':"1"', "}"];
  const one: Call = { id: "a", name: "run", pieces };
  const two: Call = { id: "b", name: "run", pieces };
  const [first, second] = [
    write([one], HABITS),
    write([two], HABITS).map((it) => ({ ...it, index: 1 })),
  ];
  const mixed = first.flatMap((delta, i) => [delta, second[i]!]);
  const { deltas, facts } = decodeSlices([new TextEncoder().encode(body(mixed, false))]);
  assertEquals(sumUp(deltas, facts).calls.map((call) => call.arguments), [
    pieces.join(""),
    pieces.join(""),
  ]);
});

const HABITS: Habits = { index: "counted", later: "absent", together: false, trailing: false };

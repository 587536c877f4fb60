import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { AgentEvent } from "../../src/vocab.ts";
import { UsageError } from "../../src/errors.ts";
import { compilePatterns, createRedactor, MASK, type Redactor } from "../../src/session/redact.ts";
import { createEventMasker, maskRecord } from "../../src/session/redact_values.ts";
import { runCall } from "./samples.ts";

const KEY = "sk-live-0123456789abcdef";

function streamed(redactor: Redactor, pieces: readonly string[]): string {
  const stream = redactor.createStream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

Deno.test("known values and patterns are masked, short values are not", () => {
  const redactor = createRedactor([KEY, "short"], [/^password=\S+$/, /card \d{4}/i]);
  const rows: [string, string][] = [
    [`a ${KEY}${KEY} b`, `a ${MASK}${MASK} b`],
    [`"${KEY}x"`, `"${MASK}x"`],
    ["short", "short"],
    ["x\npassword=12345\ny", `x\n${MASK}\ny`],
    ["Card 1234, CARD 5678", `${MASK}, ${MASK}`],
    [MASK, MASK],
    ["", ""],
  ];
  for (const [text, masked] of rows) assertEquals(redactor.mask(text), masked);
});

Deno.test("a value is masked however the text is cut in two, and what begins no value goes on at once", () => {
  const redactor = createRedactor([KEY, "sk-live-0123", "cdef-and-more"], [/tok_\w+/]);
  const text = `one ${KEY} two sk-live-0123 sk-li tok_12 ${KEY}-and-more\nlast tok_9 sk-`;
  for (let at = 0; at <= text.length; at++) {
    assertEquals(streamed(redactor, [text.slice(0, at), text.slice(at)]), redactor.mask(text));
  }
  assertEquals(streamed(redactor, [...text]), redactor.mask(text));
  const stream = createRedactor([KEY]).createStream();
  assertEquals(["a", "s", "sk", "x"].map((piece) => stream.push(piece)), ["a", "", "s", "skx"]);
});

Deno.test("streams mask as the whole text is masked, whatever the values and cuts", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 8, maxLength: 12 });
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 30 }));
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 3 }), pieces, (secrets, parts) => {
      const redactor = createRedactor(secrets);
      assertEquals(streamed(redactor, parts), redactor.mask(parts.join("")));
    }),
    { numRuns: 300 },
  );
});

Deno.test("a line without end is let go, so that memory stays bounded", () => {
  const stream = createRedactor([], [/tok_\w+/]).createStream();
  assertEquals(stream.push("x".repeat(4096)), "");
  assertEquals(stream.push("x").length, 4097);
});

Deno.test("every string of a record is masked, its shape kept", () => {
  const redactor = createRedactor([KEY]);
  const call = { ...runCall("c1", `echo ${KEY}`), extra: { [KEY]: [KEY, 1, null] } };
  assertEquals(maskRecord(redactor, { kind: "call", call }), {
    kind: "call",
    call: { ...runCall("c1", `echo ${MASK}`), extra: { [MASK]: [MASK, 1, null] } },
  });
});

Deno.test("events are masked across pieces, and what is held comes before another kind", () => {
  const masker = createEventMasker(createRedactor([KEY]));
  const half = KEY.slice(0, 10);
  const events: AgentEvent[] = [
    { kind: "text", text: `a ${half}` },
    { kind: "text", text: `${KEY.slice(10)} b ${half}` },
    { kind: "piece", id: "c1", key: "k", text: half },
    { kind: "piece", id: "c1", key: "l", text: KEY.slice(10) },
    { kind: "tool_output", id: "c1", text: half },
    { kind: "notice", message: `x ${KEY}` },
    { kind: "text", text: half },
  ];
  assertEquals([...events.flatMap((event) => masker.push(event)), ...masker.end()], [
    { kind: "text", text: "a " },
    { kind: "text", text: `${MASK} b ` },
    { kind: "text", text: half },
    { kind: "piece", id: "c1", key: "k", text: half },
    { kind: "piece", id: "c1", key: "l", text: KEY.slice(10) },
    { kind: "tool_output", id: "c1", text: half },
    { kind: "notice", message: `x ${MASK}` },
    { kind: "text", text: half },
  ]);
});

Deno.test("a pattern that is none is a usage error", () => {
  assertEquals(compilePatterns(["a+"]), [/a+/gmu]);
  assertThrows(
    () => compilePatterns(["("]),
    UsageError,
    `Cannot read the pattern "(" of "--redact"`,
  );
});

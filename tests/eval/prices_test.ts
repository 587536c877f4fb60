import { assertEquals, assertThrows } from "@std/assert";
import { ConfigError } from "../../src/errors.ts";
import { costOf, parsePrices } from "../../src/eval/prices.ts";
import { findProvider } from "../../src/provider/catalog.ts";

const MILLION = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

Deno.test("costOf() takes the file's price, else the catalog's, else knows none", () => {
  const listed = findProvider("minimax");
  const known = listed.price!.input + listed.price!.output;
  const file = { "minimax:x": { input: 1, output: 2 }, "minimax": { input: 3, output: 4 } };
  assertEquals(costOf("minimax", MILLION, {}), known);
  assertEquals(costOf(`minimax:${listed.model}`, MILLION, {}), known);
  assertEquals(costOf("minimax", MILLION, file), 7);
  assertEquals(costOf("minimax:x", MILLION, file), 3);
  for (const model of ["minimax:y", "sim", "custom:m", "ollama"]) {
    assertEquals(costOf(model, MILLION, {}), null, model);
  }
});

Deno.test("costOf() counts cached tokens at their own price", () => {
  const prices = { "a:b": { input: 10, cachedInput: 1, output: 0 } };
  assertEquals(costOf("a:b", { ...MILLION, cachedTokens: 500_000 }, prices), 5.5);
});

Deno.test("parsePrices() says which price is wrong", () => {
  const rows = [
    ["{", 'Cannot read the prices "p.json": they are not JSON'],
    ['{"a:b":{"input":1}}', 'Cannot read the prices "p.json": "a:b" needs "input" and "output"'],
  ] as const;
  for (const [text, message] of rows) {
    assertThrows(() => parsePrices(text, "p.json"), ConfigError, message);
  }
});

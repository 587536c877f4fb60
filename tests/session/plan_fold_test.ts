import { assert, assertEquals } from "@std/assert";
import { createFold, type Fold } from "../../src/session/fold.ts";
import { planFold } from "../../src/session/plan_fold.ts";
import { result, runCall } from "./samples.ts";

/** A session of `outputs.length` messages with one call each; call k has record number 3k + 1. */
function sessionOf(outputs: readonly string[], inputTokens: number): Fold {
  const fold = createFold();
  outputs.forEach((output, k) => {
    fold.push({ n: 3 * k + 1, kind: "call", call: runCall("c1") });
    fold.push({ n: 3 * k + 2, ...result("c1", output) });
    const usage = { inputTokens, outputTokens: 0 };
    const end = { how: "complete", finishReason: "stop", usage } as const;
    fold.push({ n: 3 * k + 3, kind: "message", kept: "", ...end });
  });
  return fold;
}

const TOKENS_5000 = "x".repeat(20_000);
const TEN = Array.from({ length: 10 }, () => TOKENS_5000);

function numbersOf(fold: Fold, limit: number, force = false): number[] | undefined {
  return planFold(fold, limit, { force })?.calls.map(({ n }) => n);
}

Deno.test("below four fifths of the limit nothing is folded, from there on the oldest results", () => {
  assertEquals(numbersOf(sessionOf(TEN, 74_000), 100_000), undefined);
  assertEquals(sessionOf(TEN, 75_000).contextTokens(), 80_000);
  assertEquals(numbersOf(sessionOf(TEN, 75_000), 100_000), [1, 4, 7, 10, 13, 16]);
});

Deno.test("folding stops when half of the limit is free again", () => {
  assertEquals(numbersOf(sessionOf(TEN, 45_000), 62_000), [1, 4, 7, 10]);
});

Deno.test("the last 20,000 tokens are kept, half of a small context", () => {
  assertEquals(numbersOf(sessionOf(TEN, 200_000), 200_000, true), [1, 4, 7, 10, 13, 16]);
  assertEquals(numbersOf(sessionOf(TEN, 20_000), 20_000, true), [1, 4, 7, 10, 13, 16, 19, 22]);
});

Deno.test("force folds everything old, small and folded results are passed over", () => {
  const fold = sessionOf([TOKENS_5000, "small", ...TEN], 10);
  assertEquals(numbersOf(fold, 1_000_000), undefined);
  assertEquals(numbersOf(fold, 1_000_000, true), [1, 7, 10, 13, 16, 19, 22]);
  fold.push({ n: 99, kind: "folded", calls: [{ n: 1 }, { n: 7 }] });
  assertEquals(numbersOf(fold, 1_000_000, true), [10, 13, 16, 19, 22]);
  assertEquals(numbersOf(sessionOf(["a", "b"], 10), 10, true), undefined);
});

Deno.test("a folded result is one line that says where the whole is, and the count falls", () => {
  const fold = sessionOf(TEN, 75_000);
  const before = fold.contextTokens();
  const plan = planFold(fold, 100_000);
  assert(plan);
  fold.push({ n: 99, ...plan });
  const [first] = fold.turns();
  assert(first?.kind === "assistant");
  assertEquals(first.results, [{
    id: "c1",
    name: "run",
    exit: 0,
    output:
      "[20000 bytes of old output left out, exit 0; record 1 of the session has them. Call run again if you need them]\n",
  }]);
  assert(fold.contextTokens() < before - 29_000, String(fold.contextTokens()));
  assertEquals(planFold(fold, 100_000), undefined);
});

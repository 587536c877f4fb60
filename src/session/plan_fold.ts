/**
 * Which old results give way when the context fills up: one `folded` record names them, the fold shows them as one
 * line each, the whole text stays in the file.
 */
import type { Turn } from "../vocab.ts";
import type { Fold } from "./fold.ts";
import type { SessionRecord } from "./records.ts";
import { byteLength, estimateTokens } from "./tokens.ts";

/** Folding begins when the next request would fill this share of the context. */
const FULL = 0.8;
/** It goes on until this share is left, so that the server's prompt cache isn't lost at every step. */
const ROOMY = 0.5;
/** The last tokens that are never folded; half the context where that is less. */
const KEPT_TOKENS = 20_000;
/** A result below this is not worth a line that says that it was left out. */
const SMALL_BYTES = 512;

/**
 * The record that folds old results, oldest first, or undefined where nothing is to be done: the next request is below
 * 80 % of `limit` (the model's context, in tokens) or there is nothing old to fold. With `force` (the server said that
 * the context is too long) everything old is folded, whatever the count says.
 */
export function planFold(
  fold: Pick<Fold, "turns" | "results" | "contextTokens">,
  limit: number,
  options: { readonly force?: boolean } = {},
): (SessionRecord & { kind: "folded" }) | undefined {
  const used = fold.contextTokens();
  if (!options.force && used < FULL * limit) return undefined;
  const turns = fold.turns();
  const keptFrom = firstKept(turns, Math.min(KEPT_TOKENS, limit / 2));
  const calls: { n: number }[] = [];
  let left = used;
  for (const { n, turn, index, folded } of fold.results()) {
    if (turn >= keptFrom || (!options.force && left <= ROOMY * limit)) break;
    const output = outputOf(turns[turn], index);
    if (folded || byteLength(output) < SMALL_BYTES) continue;
    calls.push({ n });
    left -= estimateTokens(output);
  }
  return calls.length > 0 ? { kind: "folded", calls } : undefined;
}

/** The first of the last turns that hold `kept` tokens together; a turn that reaches further back is kept whole. */
function firstKept(turns: readonly Turn[], kept: number): number {
  let tokens = 0;
  for (let at = turns.length - 1; at > 0; at--) {
    tokens += tokensOf(turns[at]!);
    if (tokens >= kept) return at;
  }
  return 0;
}

/** Arguments are counted with the text in text protocols, where they stand in it; elsewhere beside it. */
function tokensOf(turn: Turn): number {
  if (turn.kind === "user") return estimateTokens(turn.text);
  const calls = turn.calls.reduce((sum, call) => sum + callTokens(call.arguments), 0);
  const results = turn.results.reduce((sum, { output }) => sum + estimateTokens(output), 0);
  return Math.max(estimateTokens(turn.text), calls) + results;
}

function callTokens(args: object): number {
  return estimateTokens(JSON.stringify(args));
}

function outputOf(turn: Turn | undefined, index: number): string {
  return turn?.kind === "assistant" ? turn.results[index]?.output ?? "" : "";
}

/** What a decoded stream adds up to, for comparing whole values. */
import type { Delta, Usage } from "../../src/vocab.ts";
import { createDecoder, type StreamFacts } from "../../src/provider/chat_completions.ts";

export interface Decoded {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
  readonly finish: string | null;
  readonly usage: Usage | null;
  readonly error: string | null;
  readonly done: boolean;
  readonly shape: StreamFacts["shape"];
  readonly notes: readonly string[];
}

/** The deltas of a body that comes in these slices, and the facts afterwards. */
export function decodeSlices(
  slices: readonly Uint8Array[],
): { readonly deltas: readonly Delta[]; readonly facts: StreamFacts } {
  const decoder = createDecoder();
  const deltas = slices.flatMap((slice) => [...decoder.push(slice)]);
  return { deltas: [...deltas, ...decoder.end()], facts: decoder.facts };
}

/** The sum of a stream. */
export function sumUp(deltas: readonly Delta[], facts: StreamFacts): Decoded {
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const delta of deltas) {
    if (delta.kind !== "tool_call") continue;
    const call = calls[delta.slot] ??= { id: "", name: "", arguments: "" };
    call.id += delta.id ?? "";
    call.name += delta.name ?? "";
    call.arguments += delta.arguments ?? "";
  }
  return {
    text: deltas.map((delta) => delta.kind === "text" ? delta.text : "").join(""),
    reasoning: deltas.map((delta) => delta.kind === "reasoning" ? delta.text : "").join(""),
    calls,
    finish: facts.finishReason,
    usage: facts.usage,
    error: facts.error?.message ?? null,
    done: facts.done,
    shape: facts.shape,
    notes: facts.notes,
  };
}

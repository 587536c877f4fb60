/**
 * One chunk of a chat completion → deltas. Unknown keys, `role`, `id`, `object` and `delta.name` (MiniMax writes its
 * own name there) are not looked at; `undefined`, null and `""` all mean "nothing" (QUIRKS 2–5).
 */
import type { Delta, Json, JsonObject, ReasoningField, Usage } from "../vocab.ts";
import { asArray, asNumber, asObject, asText } from "./json.ts";
import { readServerError } from "./server_error.ts";
import { createToolSlots, type ToolSlots } from "./tool_slots.ts";

/** Reads the chunks of one message, in order. */
export interface ChunkReader {
  read(chunk: JsonObject): readonly Delta[];
}

/**
 * The reader of one message's chunks.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const choice = { index: 0, delta: { reasoning: "hm", content: "Hi" }, finish_reason: "MAX_TOKENS" };
 * assertEquals(createChunkReader().read({ choices: [choice] }), [
 *   { kind: "reasoning", text: "hm", field: "reasoning" },
 *   { kind: "text", text: "Hi" },
 *   { kind: "finish", reason: "length" },
 * ]);
 * ```
 */
export function createChunkReader(): ChunkReader {
  const slots = createToolSlots();
  // Once deltas spoke, a `message` beside or after them repeats the whole text (Perplexity, MiniMax).
  let deltasSpoke = false;

  function readChoice(choice: JsonObject): readonly Delta[] {
    const delta = asObject(choice.delta);
    const spoken = delta ? readSpeech(delta, slots) : [];
    deltasSpoke ||= spoken.length > 0;
    const message = asObject(choice.message);
    const whole = message && !delta && !deltasSpoke ? readSpeech(message, slots) : [];
    const finish = readFinish(choice.finish_reason);
    // The usual chunk holds a token and nothing else.
    return whole.length + finish.length === 0 ? spoken : [...spoken, ...whole, ...finish];
  }

  return {
    read(chunk) {
      const choices = firstChoices(chunk);
      const usage = readUsage(chunk, choices);
      const error = readServerError(chunk);
      const deltas = choices.length === 1 ? readChoice(choices[0]!) : choices.flatMap(readChoice);
      if (!usage && !error) return deltas;
      return [
        ...deltas,
        ...(usage ? [{ kind: "usage", usage } as const] : []),
        ...(error ? [{ kind: "error", ...error } as const] : []),
      ];
    },
  };
}

/** The entries for choice 0: a server may send several entries for it in one chunk; other choices were never asked for. */
function firstChoices(chunk: JsonObject): JsonObject[] {
  const first: JsonObject[] = [];
  for (const [position, entry] of asArray(chunk.choices).entries()) {
    const choice = asObject(entry);
    if (choice && (asNumber(choice.index) ?? position) === 0) first.push(choice);
  }
  return first;
}

/** Reasoning, then text, then calls: the order in which a model speaks. */
function readSpeech(delta: JsonObject, slots: ToolSlots): readonly Delta[] {
  const deltas = [...readReasoning(delta), ...readContent(delta.content)];
  if (delta.refusal !== undefined) deltas.push(...textDelta(asText(delta.refusal)));
  const calls = callPieces(delta);
  if (calls !== undefined) deltas.push(...slots.read(calls));
  return deltas;
}

/** The pieces of calls; `function_call` is the one call of the form before `tool_calls`. */
function callPieces(delta: JsonObject): Json | undefined {
  const { tool_calls: pieces, function_call: legacy } = delta;
  const single = asArray(pieces).length === 0 ? asObject(legacy) : undefined;
  return single ? { index: 0, function: single } : pieces;
}

function textDelta(text: string | undefined): readonly Delta[] {
  return text === undefined ? [] : [{ kind: "text", text }];
}

/** The same text often stands in two of the three fields: the first that has any is taken. */
function readReasoning(delta: JsonObject): readonly Delta[] {
  const details = asArray(delta.reasoning_details);
  for (const field of ["reasoning_content", "reasoning"] as const) {
    const text = asText(delta[field]);
    if (text !== undefined) return [reasoningDelta(text, field, details)];
  }
  if (details.length === 0) return [];
  const text = details.map((entry) => {
    const detail = asObject(entry);
    return asText(detail?.text) ?? asText(detail?.summary) ?? "";
  }).join("");
  return [reasoningDelta(text, "reasoning_details", details)];
}

function reasoningDelta(text: string, field: ReasoningField, details: readonly Json[]): Delta {
  return { kind: "reasoning", text, field, ...(details.length > 0 ? { details } : {}) };
}

/** A string, or Mistral's parts: `{type:"text"}`, `{type:"thinking", thinking:[{type:"text"}]}`. */
function readContent(content: Json | undefined): readonly Delta[] {
  if (!Array.isArray(content)) return textDelta(asText(content));
  return content.flatMap((entry) => {
    const part = asObject(entry);
    if (!part) return textDelta(asText(entry));
    if (part.thinking === undefined) {
      return [...textDelta(asText(part.text)), ...textDelta(asText(part.refusal))];
    }
    const text = asText(part.thinking) ?? partsText(asArray(part.thinking));
    return text === "" ? [] : [reasoningDelta(text, "reasoning", [])];
  });
}

function partsText(parts: readonly Json[]): string {
  return parts.map((part) => asText(asObject(part)?.text) ?? asText(part) ?? "").join("");
}

/** Spellings of the two reasons that cut a message, and of the one for calls; any other value is passed on. */
const REASONS: Readonly<Record<string, string>> = {
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  safety: "content_filter",
  sensitive: "content_filter",
  recitation: "content_filter",
  prohibited_content: "content_filter",
  content_filtered: "content_filter",
  blocklist: "content_filter",
  spii: "content_filter",
  guardrail_intervened: "content_filter",
  tool_call: "tool_calls",
};

/** Reasons that say that the server failed, not that the model ended. */
const FAILURES = new Set([
  "error",
  "abort",
  "aborted",
  "cancelled",
  "canceled",
  "timeout",
  "network_error",
  "internal_error",
  "server_error",
  "insufficient_system_resource",
]);

function readFinish(value: Json | undefined): readonly Delta[] {
  const said = asText(value);
  if (said === undefined || said === "null") return [];
  const lower = said.toLowerCase().replaceAll("-", "_");
  if (FAILURES.has(lower)) {
    return [{ kind: "error", message: `The server broke the reply off (${said})`, code: said }];
  }
  return [{ kind: "finish", reason: REASONS[lower] ?? lower }];
}

/** Usage in its own chunk, beside choices, inside the choice (Moonshot), or under `x_groq`; the last one counts. */
function readUsage(chunk: JsonObject, choices: readonly JsonObject[]): Usage | undefined {
  const own = toUsage(asObject(chunk.usage));
  if (own) return own;
  for (const choice of choices) {
    const inside = toUsage(asObject(choice.usage));
    if (inside) return inside;
  }
  return toUsage(asObject(asObject(chunk.x_groq)?.usage));
}

function toUsage(raw: JsonObject | undefined): Usage | undefined {
  if (raw === undefined) return undefined;
  const inputTokens = asNumber(raw.prompt_tokens);
  const outputTokens = asNumber(raw.completion_tokens);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const cached = asNumber(asObject(raw.prompt_tokens_details)?.cached_tokens) ??
    asNumber(raw.prompt_cache_hit_tokens);
  return {
    inputTokens,
    outputTokens,
    ...(cached === undefined ? {} : { cachedTokens: cached }),
  };
}

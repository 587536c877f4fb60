/** Messages → the body of a request, in the words of the server it goes to. */
import type { Json, JsonObject, Message } from "../vocab.ts";
import { ConfigError } from "../errors.ts";
import type { Provider, Quirks } from "./catalog.ts";
import { findFaults } from "./check_messages.ts";
import { asObject, asText } from "./json.ts";
import { mendMessages } from "./mend.ts";

/** What a request is made of. */
export interface RequestParts {
  readonly messages: readonly Message[];
  /** The protocol's `tools` array; left out where the protocol teaches calls in the prompt. */
  readonly tools?: readonly unknown[] | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** A request that can be sent. */
export interface ModelRequest {
  readonly body: JsonObject;
  /** What had to be changed in the history so that no server refuses it. */
  readonly changes: readonly string[];
}

/**
 * The body of a streamed request. The same parts give the same body, byte for byte (SPEC 7: a request can be rebuilt
 * from the session). Throws `ConfigError` for a temperature that the server doesn't take.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { findProvider } from "./catalog.ts";
 *
 * const provider = findProvider("ollama", { model: "m" });
 * const { body } = buildRequest(provider, { messages: [{ role: "user", content: "Hi" }] });
 * assertEquals(body, {
 *   model: "m",
 *   messages: [{ role: "user", content: "Hi" }],
 *   stream: true,
 *   stream_options: { include_usage: true },
 * });
 * ```
 */
export function buildRequest(provider: Provider, parts: RequestParts): ModelRequest {
  const { quirks } = provider;
  const { messages, changes } = mendMessages(withToolIds(parts.messages, quirks));
  const faults = findFaults(messages);
  if (faults.length > 0) throw new Error(`A request that would be refused: ${faults.join("; ")}`);
  checkTemperature(provider, parts.temperature);
  const body: JsonObject = {
    model: provider.model,
    messages: messages.map((message) => encodeMessage(message, quirks)),
    ...(parts.tools && parts.tools.length > 0 ? { tools: parts.tools as Json[] } : {}),
    stream: true,
    ...(quirks.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(parts.temperature === undefined ? {} : { temperature: parts.temperature }),
    ...(parts.maxTokens === undefined ? {} : { [quirks.maxTokensName]: parts.maxTokens }),
    ...quirks.body,
  };
  return { body, changes };
}

function checkTemperature(provider: Provider, temperature: number | undefined): void {
  if (temperature === undefined) return;
  const limits = provider.quirks.temperature;
  if (limits && temperature >= limits.min && temperature <= limits.max) return;
  const takes = limits ? `it takes ${limits.min} to ${limits.max}` : "it takes only its own";
  throw new ConfigError(`Cannot use temperature ${temperature} with "${provider.name}": ${takes}`);
}

function encodeMessage(message: Message, quirks: Quirks): JsonObject {
  if (message.role === "tool") {
    return {
      role: "tool",
      tool_call_id: message.tool_call_id ?? "",
      content: message.content ?? "",
    };
  }
  if (message.role !== "assistant") return { role: message.role, content: message.content ?? "" };
  const calls = message.tool_calls ?? [];
  const silent = (message.content ?? "") === "";
  return {
    role: "assistant",
    content: silent && calls.length > 0 ? quirks.callOnlyContent : message.content ?? "",
    ...encodeReasoning(message, quirks),
    ...(calls.length === 0 ? {} : {
      tool_calls: calls.map(({ extra, ...call }): JsonObject => ({
        id: call.id,
        type: call.type,
        function: { name: call.function.name, arguments: call.function.arguments },
        ...extra,
      })),
    }),
  };
}

/** The reasoning in the server's own field, where the server wants it. */
function encodeReasoning(message: Message, quirks: Quirks): JsonObject {
  const calls = (message.tool_calls?.length ?? 0) > 0;
  if (quirks.reasoning === "never" || (quirks.reasoning === "with_calls" && !calls)) return {};
  const { reasoning } = message;
  if (quirks.reasoningField !== "reasoning_details") {
    const text = reasoning?.text ?? "";
    return text === "" && !calls ? {} : { [quirks.reasoningField]: text };
  }
  const details = reasoning?.details ?? [];
  if (details.length > 0) return { reasoning_details: mergeDetails(details) };
  return reasoning?.text ? { reasoning: reasoning.text } : {};
}

/**
 * The entries of `reasoning_details` as a whole answer has them: pieces of one entry come a delta each.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const piece = (text: string) => ({ type: "reasoning.text", index: 0, text });
 * assertEquals(mergeDetails([piece("a"), piece("b")]), [piece("ab")]);
 * ```
 */
export function mergeDetails(details: readonly Json[]): Json[] {
  const merged: JsonObject[] = [];
  for (const detail of details) {
    const piece = asObject(detail);
    if (!piece) continue;
    const last = merged.at(-1);
    const same = last !== undefined && last.type === piece.type && last.index === piece.index &&
      (piece.id === undefined || piece.id === null || piece.id === last.id);
    const growing = ["text", "summary"].find((key) => typeof piece[key] === "string");
    if (!same || growing === undefined) merged.push(piece);
    else {
      merged[merged.length - 1] = {
        ...last,
        ...withoutNulls(piece),
        [growing]: (asText(last[growing]) ?? "") + (asText(piece[growing]) ?? ""),
      };
    }
  }
  return merged;
}

function withoutNulls(piece: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null));
}

/** Ids in the form that the server takes, the same new id for a call and its result. */
function withToolIds(messages: readonly Message[], quirks: Quirks): readonly Message[] {
  if (quirks.toolIds === "any") return messages;
  return messages.map((message) => ({
    ...message,
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: wordId(message.tool_call_id) }),
    ...(message.tool_calls === undefined
      ? {}
      : { tool_calls: message.tool_calls.map((call) => ({ ...call, id: wordId(call.id) })) }),
  }));
}

/** Room is left for the ending that makes an id unique. */
function wordId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_").slice(-34) || "call";
}

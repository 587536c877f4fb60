/** Tokens as Chat Completions stream chunks: one server-sent event each. */
import type { Delta } from "../vocab.ts";

/** Names the message in every chunk. */
export interface ChunkHead {
  readonly id: string;
  readonly model: string;
}

/** The event of one token. */
export function tokenEvent(token: Delta, head: ChunkHead): string {
  return event(head, [{ index: 0, delta: deltaOf(token), finish_reason: null }]);
}

/** The events that end a message: finish reason, usage, `[DONE]`. */
export function endEvents(
  head: ChunkHead,
  end: { finish: string; inputTokens: number; outputTokens: number },
): string {
  const usage = {
    prompt_tokens: end.inputTokens,
    completion_tokens: end.outputTokens,
    total_tokens: end.inputTokens + end.outputTokens,
  };
  return event(head, [{ index: 0, delta: {}, finish_reason: end.finish }]) +
    event(head, [], usage) + "data: [DONE]\n\n";
}

function event(head: ChunkHead, choices: readonly unknown[], usage?: unknown): string {
  const chunk = { ...head, object: "chat.completion.chunk", created: 0, choices };
  return `data: ${JSON.stringify(usage === undefined ? chunk : { ...chunk, usage })}\n\n`;
}

function deltaOf(token: Delta): unknown {
  if (token.kind === "text") return { content: token.text };
  if (token.kind !== "tool_call") return {};
  const { slot: index, id, name, arguments: text = "" } = token;
  if (id === undefined) return { tool_calls: [{ index, function: { arguments: text } }] };
  return { tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] };
}

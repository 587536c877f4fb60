/**
 * Events → NDJSON, one object a line (SPEC 10). `parse` and `replay` write what was confirmed; `run --json` adds what the
 * agent did about it.
 */
import type { AgentEvent, Confirmed, JsonObject, ToolCall, Usage } from "../vocab.ts";

/**
 * The object for one event; undefined for pieces of values, which are for the screen: `ready` carries the value.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(toJsonEvent({ kind: "call", id: "c1", name: "run", at: 12 }), {
 *   type: "call",
 *   id: "c1",
 *   name: "run",
 *   at: 12,
 * });
 * ```
 */
export function toJsonEvent(event: AgentEvent): JsonObject | undefined {
  switch (event.kind) {
    case "piece":
      return undefined;
    case "text":
    case "reasoning":
    case "call":
    case "arg":
    case "stop":
    case "ready":
    case "violation":
      return confirmedToJson(event);
    case "end":
      return {
        type: "end",
        how: event.how,
        finish_reason: event.finishReason,
        usage: event.usage && usageToJson(event.usage),
        pending_max: event.pendingMax,
        ...(event.why === undefined ? {} : { why: event.why }),
      };
    case "tool_start":
      return {
        type: "tool_start",
        ...callToJson(event.call),
        confirmed_to_started_ms: event.confirmedToStartedMs,
        stream_ended: event.streamEnded,
      };
    case "tool_result":
      return { type: "tool_result", ...event.result, ms: event.ms };
    case "outcome": {
      const { kind, usage, ...rest } = event;
      return { type: kind, ...rest, usage: usageToJson(usage) };
    }
    case "start":
    case "user":
    case "request":
    case "wait":
    case "tool_output":
    case "notice": {
      const { kind, ...rest } = event;
      return { type: kind, ...rest };
    }
  }
}

function confirmedToJson(event: Exclude<Confirmed, { kind: "piece" }>): JsonObject {
  switch (event.kind) {
    case "ready":
      return { type: "ready", ...callToJson(event.call), at: event.at };
    case "violation": {
      const { kind, message, at } = event.violation;
      return { type: "violation", kind, message, at };
    }
    case "text":
    case "reasoning":
    case "call":
    case "arg":
    case "stop": {
      const { kind, ...rest } = event;
      return { type: kind, ...rest };
    }
  }
}

function callToJson({ id, name, arguments: args }: ToolCall): JsonObject {
  return { id, name, arguments: args };
}

function usageToJson(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...(usage.cachedTokens === undefined ? {} : { cached_tokens: usage.cachedTokens }),
  };
}

/** Characters of text in one line at most. */
const TEXT_LINE = 65_536;

/** Writes lines; texts that follow one another become one line, so that chunking can't be seen in it. */
export interface EventWriter {
  write(event: AgentEvent): void;
}

/** The writer of `parse` and `replay`: what was confirmed and the end, reasoning and pieces left out. */
export function createReadWriter(out: (line: string) => void): EventWriter {
  let text = "";

  function flush(): void {
    if (text !== "") out(JSON.stringify({ type: "text", text }) + "\n");
    text = "";
  }

  /** Lines of one length, whatever the slices; a surrogate pair stays whole. */
  function addText(more: string): void {
    text += more;
    while (text.length > TEXT_LINE) {
      const last = text.charCodeAt(TEXT_LINE - 1);
      const length = last >= 0xd800 && last < 0xdc00 ? TEXT_LINE - 1 : TEXT_LINE;
      out(JSON.stringify({ type: "text", text: text.slice(0, length) }) + "\n");
      text = text.slice(length);
    }
  }

  return {
    write(event) {
      if (event.kind === "text") return addText(event.text);
      const json = event.kind === "reasoning" ? undefined : toJsonEvent(event);
      if (json === undefined) return;
      flush();
      out(JSON.stringify(json) + "\n");
    },
  };
}

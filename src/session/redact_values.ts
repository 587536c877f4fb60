/** Records and events, masked: every string in them, and pieces of text as one text. */
import type { AgentEvent } from "../vocab.ts";
import type { Redactor, RedactStream } from "./redact.ts";
import type { SessionRecord } from "./records.ts";

/** `record` with every secret masked; ready to be `LogParts.mask`. */
export function maskRecord(redactor: Redactor, record: SessionRecord): SessionRecord {
  return maskStrings(redactor, record) as SessionRecord;
}

/** `value` with every string in it masked, keys of objects too. */
function maskStrings(redactor: Redactor, value: unknown): unknown {
  if (typeof value === "string") return redactor.mask(value);
  if (Array.isArray(value)) return value.map((item) => maskStrings(redactor, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactor.mask(key),
      maskStrings(redactor, item),
    ]),
  );
}

/** Events, masked. */
export interface EventMasker {
  /** The events that `event` lets go; text that may be part of a secret is held until the next. */
  push(event: AgentEvent): readonly AgentEvent[];
  /** What is held. */
  end(): readonly AgentEvent[];
}

/** An event that is a piece of a longer text. */
type PieceEvent = AgentEvent & { kind: "text" | "reasoning" | "piece" | "tool_output" };

/**
 * Masks events as they come. Text that arrives in pieces is masked as one text; an event of another kind lets go what
 * is held before it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRedactor } from "./redact.ts";
 * const masker = createEventMasker(createRedactor(["key-1234-abcd"]));
 * assertEquals(masker.push({ kind: "text", text: "a key-1234" }), [{ kind: "text", text: "a " }]);
 * assertEquals(masker.push({ kind: "text", text: "-abcd" }), [{ kind: "text", text: "[redacted]" }]);
 * assertEquals(masker.end(), []);
 * ```
 */
export function createEventMasker(redactor: Redactor): EventMasker {
  let open: { readonly last: PieceEvent; readonly stream: RedactStream } | undefined;

  function letGo(): AgentEvent[] {
    const text = open?.stream.end() ?? "";
    const events = open && text !== "" ? [{ ...open.last, text }] : [];
    open = undefined;
    return events;
  }

  return {
    push(event) {
      if (!isPiece(event)) {
        return [...letGo(), maskStrings(redactor, event) as AgentEvent];
      }
      const before = open && samePlace(open.last, event) ? [] : letGo();
      open = { last: event, stream: open?.stream ?? redactor.createStream() };
      const text = open.stream.push(event.text);
      return text === "" ? before : [...before, { ...event, text }];
    },
    end: letGo,
  };
}

function isPiece(event: AgentEvent): event is PieceEvent {
  switch (event.kind) {
    case "text":
    case "reasoning":
    case "piece":
    case "tool_output":
      return true;
    default:
      return false;
  }
}

function samePlace(a: PieceEvent, b: PieceEvent): boolean {
  return a.kind === b.kind && ("id" in a ? a.id : "") === ("id" in b ? b.id : "") &&
    ("key" in a ? a.key : "") === ("key" in b ? b.key : "");
}

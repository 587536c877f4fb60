/**
 * The body of a streamed chat completion → deltas: bytes → SSE items (`sse/`) → chunks → `Delta[]`, pure and
 * synchronous (SPEC 4, QUIRKS). What can't be used is kept as a note, never dropped in silence.
 */
import type { Delta, Usage } from "../vocab.ts";
import { createEventReader, type SseItem } from "../sse/events.ts";
import { type ChunkReader, createChunkReader } from "./event_delta.ts";
import { asObject, parseJson, parseJsonSequence } from "./json.ts";
import { readJsonBody } from "./json_body.ts";
import { clip, readErrorText } from "./server_error.ts";

/** What a body turned out to be. `other` is nothing that is SSE: a web page, plain text, binary. */
export type BodyShape = "empty" | "events" | "json" | "other";

/** What a stream has said so far about itself. */
export interface StreamFacts {
  readonly shape: BodyShape;
  /** The last one that was given. */
  readonly finishReason: string | null;
  /** The first `length` or `content_filter`: a reply that was cut stays cut, whatever reason follows. */
  readonly cutReason: string | null;
  /** The last one that was given: servers repeat it, and it never adds up. */
  readonly usage: Usage | null;
  /** `[DONE]` was seen; what follows it is not read. */
  readonly done: boolean;
  /** The first error that the server reported. */
  readonly error: { readonly message: string; readonly code?: string } | null;
  /** Oddities worth a warning, the first twenty of them. */
  readonly notes: readonly string[];
  /** The beginning of the body on one line, for error messages. */
  readonly head: string;
}

/** Decodes the body of one response. */
export interface Decoder {
  /** Takes the next slice, cut anywhere; returns what it said, in order. */
  push(bytes: Uint8Array): readonly Delta[];
  /** Takes the end of the body: what was held back, and for a JSON body all of it. Call it once. */
  end(): readonly Delta[];
  readonly facts: StreamFacts;
}

const MAX_NOTES = 20;
const HEAD_BYTES = 200;
/** A byte-order mark in UTF-8. */
const BOM = [0xef, 0xbb, 0xbf];

/**
 * The decoder of one response. The same bytes give the same deltas, however they are cut.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const decoder = createDecoder();
 * const body = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
 * assertEquals(decoder.push(new TextEncoder().encode(body)), [
 *   { kind: "text", text: "Hi" },
 *   { kind: "finish", reason: "stop" },
 * ]);
 * assertEquals(decoder.facts.finishReason, "stop");
 * ```
 */
export function createDecoder(): Decoder {
  const chunks = createChunkReader();
  const events = createEventReader();
  const notes: string[] = [];
  const sniff = createSniffer();
  const json = { decoder: new TextDecoder(), parts: [] as string[] };
  let sawEvent = false;
  let finishReason: string | null = null;
  let cutReason: string | null = null;
  let usage: Usage | null = null;
  let done = false;
  let error: StreamFacts["error"] = null;

  function note(text: string): void {
    if (notes.length < MAX_NOTES) notes.push(text);
  }

  /** Keeps the facts; after `[DONE]` nothing counts. */
  function admit(deltas: readonly Delta[]): readonly Delta[] {
    const kept: Delta[] = [];
    for (const delta of deltas) {
      if (done) break;
      kept.push(delta);
      if (delta.kind === "finish") {
        finishReason = delta.reason;
        if (isCut(delta.reason)) cutReason ??= delta.reason;
      } else if (delta.kind === "usage") usage = delta.usage;
      else if (delta.kind === "done") done = true;
      else if (delta.kind === "error" && error === null) {
        error = {
          message: delta.message,
          ...(delta.code === undefined ? {} : { code: delta.code }),
        };
      }
    }
    return kept;
  }

  function readItems(items: readonly SseItem[]): readonly Delta[] {
    return items.flatMap((item) => {
      if (item.kind !== "field" || item.field.trim() === "data") sawEvent = true;
      return done ? [] : admit(readItem(item, chunks, note));
    });
  }

  return {
    push(bytes) {
      if (sniff.push(bytes) === "json") {
        json.parts.push(json.decoder.decode(bytes, { stream: true }));
        return [];
      }
      return done ? [] : readItems(events.push(bytes));
    },
    end() {
      // Half a chunk at the end is an end, which `facts` tell, not a gap.
      if (sniff.verdict !== "json") {
        return readItems(events.end()).filter((delta) => delta.kind !== "gap");
      }
      json.parts.push(json.decoder.decode());
      return admit(readJsonBody(json.parts.join(""), chunks, note));
    },
    get facts() {
      const shape: BodyShape = sniff.verdict !== "events"
        ? sniff.verdict
        : sawEvent
        ? "events"
        : "other";
      return { shape, finishReason, cutReason, usage, done, error, notes, head: sniff.head };
    },
  };
}

function isCut(reason: string): boolean {
  return reason === "length" || reason === "content_filter";
}

function readItem(
  item: SseItem,
  chunks: ChunkReader,
  note: (text: string) => void,
): readonly Delta[] {
  switch (item.kind) {
    case "comment":
      return [];
    case "field":
      return readField(item, chunks, note);
    case "event":
      if (item.event?.toLowerCase() === "error") {
        return [{ kind: "error", ...readErrorText(item.data) }];
      }
      return readData(item.data, chunks, note);
  }
}

/**
 * A line that isn't SSE: `error: {…}` is an error; ` data: {…}` lost its column to a recorder, `{…}` and `[DONE]` the
 * name of their field; the rest is noted.
 */
function readField(
  item: Extract<SseItem, { kind: "field" }>,
  chunks: ChunkReader,
  note: (text: string) => void,
): readonly Delta[] {
  const field = item.field.trim();
  if (field === "data") return readData(item.value, chunks, note);
  if (field === "error") return [{ kind: "error", ...readErrorText(item.value) }];
  const line = item.value === "" ? item.field : `${item.field}: ${item.value}`;
  if (line.startsWith("{") || line === "[DONE]") return readData(line, chunks, note);
  note(`Not a field of an event stream: "${clip(line, 100)}"`);
  return [];
}

/** The data of one event: a chunk, `[DONE]`, nothing, or several of these one after the other. */
function readData(
  data: string,
  chunks: ChunkReader,
  note: (text: string) => void,
): readonly Delta[] {
  // Proxies write the field's name a second time.
  const text = data.trim().replace(/^(?:data:\s*)+/, "");
  if (text === "") return [];
  if (text.startsWith("[DONE]")) return [{ kind: "done" }];
  const chunk = asObject(parseJson(text));
  if (chunk) return chunks.read(chunk);
  const { values, rest } = parseJsonSequence(text);
  // Gemini puts its errors into an array.
  const deltas = values.flat().flatMap((value) => chunks.read(asObject(value) ?? {}));
  if (rest.startsWith("[DONE]")) return [...deltas, { kind: "done" }];
  if (rest !== "") note(`Not JSON in the stream: "${clip(rest, 100)}"`);
  return rest.startsWith("{") ? [...deltas, { kind: "gap" }] : deltas;
}

/** Tells a JSON body from an event stream by its first character that isn't white space, and keeps the beginning. */
function createSniffer(): {
  push(bytes: Uint8Array): BodyShape;
  readonly verdict: BodyShape;
  readonly head: string;
} {
  let verdict: BodyShape = "empty";
  const head = new Uint8Array(HEAD_BYTES);
  let length = 0;
  let shown: string | undefined;
  return {
    push(bytes) {
      const taken = bytes.subarray(0, HEAD_BYTES - length);
      head.set(taken, length);
      length += taken.length;
      if (taken.length > 0) shown = undefined;
      if (verdict === "empty") {
        const first = bytes.find((byte) => byte > 0x20 && !BOM.includes(byte));
        if (first !== undefined) verdict = first === 0x7b || first === 0x5b ? "json" : "events";
      }
      return verdict;
    },
    get verdict() {
      return verdict;
    },
    get head() {
      return shown ??= clip(new TextDecoder().decode(head.subarray(0, length)).trim(), HEAD_BYTES);
    },
  };
}

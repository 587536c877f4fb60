/**
 * Recorded bytes → confirmed events, with no agent around: what `parse`, `replay` and the experiments read with. The
 * same corridor as a turn of the agent, without the waiting.
 */
import type { AgentEvent, Confirmed, Delta, StreamEnd, Usage } from "../vocab.ts";
import type { Limits, Transducer } from "../protocol/protocol.ts";
import { createDecoder } from "../provider/chat_completions.ts";
import { judgeEnd } from "../provider/stream_end.ts";

/** What no text holds: control characters, and bytes that aren't UTF-8. */
// deno-lint-ignore no-control-regex
const BINARY = /[\x00-\x08\x0e-\x1f\x7f\ufffd]/;

/** What a reading needs of a protocol. */
export interface Language {
  createTransducer(limits: Limits): Transducer;
}

/** Reads one message. */
export interface Reading {
  /** Takes the next bytes, cut anywhere; returns what they confirmed. */
  push(bytes: Uint8Array): readonly Confirmed[];
  /** What the end confirms, then the end itself; `cut` says that more could have followed, whatever was read. */
  end(options?: { readonly cut?: boolean }): readonly AgentEvent[];
  /** Bytes of the protocol's own text that are held back now. */
  readonly pending: number;
  /** Why the bytes are no stream at all; known at the end. */
  readonly alien: string | undefined;
}

/** Characters of a text that a transducer gets at once. */
const SLICE = 4096;
/** Bytes by which binary is told from text. */
const HEAD = 1024;

/**
 * Reads the body of a streamed chat completion.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { nativeEos } from "../protocol/native_eos.ts";
 * import { DEFAULT_LIMITS } from "../protocol/protocol.ts";
 * const reading = createStreamReading(nativeEos, DEFAULT_LIMITS);
 * const body = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
 * assertEquals(reading.push(new TextEncoder().encode(body)), [{ kind: "text", text: "Hi" }]);
 * assertEquals(reading.end().map((event) => event.kind), ["end"]);
 * ```
 */
export function createStreamReading(protocol: Language, limits: Limits): Reading {
  const decoder = createDecoder();
  const message = createMessage(protocol, limits);
  let receivedBytes = 0;
  return {
    push(bytes) {
      receivedBytes += bytes.length;
      return decoder.push(bytes).flatMap((delta) => message.take(delta));
    },
    end({ cut = false } = {}) {
      const last = decoder.end().flatMap((delta) => message.take(delta));
      const outside = { contentType: null, receivedBytes };
      const { how, finishReason, usage } = judgeEnd(decoder.facts, { kind: "eof" }, outside);
      return [...last, ...message.end(cut ? "cut" : how, { finishReason, usage })];
    },
    get pending() {
      return message.pending;
    },
    get alien() {
      const { shape, head, error } = decoder.facts;
      if (shape === "empty") return "the input is empty";
      if (shape === "other" && BINARY.test(head)) return "it is binary, not an event stream";
      if (shape === "other") return `it isn't an event stream: "${head}"`;
      return shape === "json" && error ? `it is an error message: ${error.message}` : undefined;
    },
  };
}

/** How a text is passed on. */
export interface TextReadingOptions {
  /** Everything at once; else in slices of one length, so that figures don't depend on how a pipe cut it. */
  readonly eager?: boolean;
}

/** Reads a text as a model wrote it: complete unless `end` is told that it was cut. */
export function createTextReading(
  protocol: Language,
  limits: Limits,
  options: TextReadingOptions = {},
): Reading {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const message = createMessage(protocol, limits);
  const head = createHead();
  let held = "";

  function take(all: boolean): readonly Confirmed[] {
    const events: Confirmed[] = [];
    const end = all ? held.length : held.length - held.length % SLICE;
    for (let at = 0; at < end; at += SLICE) {
      events.push(...message.take({ kind: "text", text: held.slice(at, at + SLICE) }));
    }
    held = held.slice(end);
    return events;
  }

  return {
    push(bytes) {
      head.push(bytes);
      held += decoder.decode(bytes, { stream: true });
      return take(options.eager ?? false);
    },
    end({ cut = false } = {}) {
      held += decoder.decode();
      return [...take(true), ...message.end(cut ? "cut" : "complete", UNSAID)];
    },
    get pending() {
      return message.pending;
    },
    get alien() {
      return head.alien;
    },
  };
}

/** The beginning of an input that should be text. */
function createHead(): { push(bytes: Uint8Array): void; readonly alien: string | undefined } {
  const head = new Uint8Array(HEAD);
  let length = 0;
  return {
    push(bytes) {
      const part = bytes.subarray(0, HEAD - length);
      head.set(part, length);
      length += part.length;
    },
    get alien() {
      if (length === 0) return "the input is empty";
      let text: string;
      try {
        // A character that the head cuts is no fault.
        const decoder = new TextDecoder("utf-8", { fatal: true });
        text = decoder.decode(head.subarray(0, length), { stream: true });
      } catch {
        return "the input is binary, not text";
      }
      return OTHERS.find(([pattern]) => pattern.test(text))?.[1];
    },
  };
}

/** Beginnings of what a server sends and a model doesn't write. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^\s*(?:(?:event|id|retry)?:[^\n]*\n\s*)*data: ?[[{]/, "it is an event stream, not a text"],
  [/^\s*<(?:!doctype html|html)[\s>]/i, "it is a web page"],
  [/^\s*\{\s*"error"\s*:/, "it is an error message of a server"],
];

/** What a server says at the end of a message. */
interface Said {
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

const UNSAID: Said = { finishReason: null, usage: null };

interface MessageReading {
  take(delta: Delta): readonly Confirmed[];
  end(how: StreamEnd, said: Said): readonly AgentEvent[];
  readonly pending: number;
}

/** One transducer and its message; after a violation or a stop nothing more is confirmed. */
function createMessage(protocol: Language, limits: Limits): MessageReading {
  const transducer = protocol.createTransducer(limits);
  let pendingMax = 0;
  let over = false;

  function keep(events: readonly Confirmed[]): readonly Confirmed[] {
    over ||= events.some((event) => event.kind === "violation" || event.kind === "stop");
    return events;
  }

  return {
    take(delta) {
      if (over) return [];
      const events = keep(transducer.push(delta));
      pendingMax = Math.max(pendingMax, transducer.pending);
      return events;
    },
    end(how, said) {
      const last = over ? [] : keep(transducer.end(how));
      return [...last, { kind: "end", how, ...said, pendingMax }];
    },
    get pending() {
      return transducer.pending;
    },
  };
}

/**
 * Recorded bytes → confirmed events, with no agent around: what `parse`, `replay` and the experiments read with. The
 * same corridor as a turn of the agent, without the waiting.
 */
import type { AgentEvent, Confirmed, Delta, StreamEnd } from "../vocab.ts";
import { createEnding } from "../protocol/ending.ts";
import type { Limits, Protocol } from "../protocol/protocol.ts";
import { createDecoder } from "../provider/chat_completions.ts";

/** Reads one message. */
export interface Reading {
  /** Takes the next bytes, cut anywhere; returns what they confirmed. */
  push(bytes: Uint8Array): readonly Confirmed[];
  /** What the end confirms, then the end itself; `cut` says that more could have followed, whatever was read. */
  end(options?: { readonly cut?: boolean }): readonly AgentEvent[];
  /** Why the bytes are no stream at all; known at the end. */
  readonly alien: string | undefined;
}

/** Characters of a text that a transducer gets at once, so that figures don't depend on how a pipe cut it. */
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
export function createStreamReading(protocol: Protocol, limits: Limits): Reading {
  const decoder = createDecoder();
  const message = createMessage(protocol, limits);
  return {
    push: (bytes) => decoder.push(bytes).flatMap((delta) => message.take(delta)),
    end({ cut = false } = {}) {
      const last = decoder.end().flatMap((delta) => message.take(delta));
      return [...last, ...message.end(cut ? "cut" : undefined)];
    },
    get alien() {
      const { shape, head, error } = decoder.facts;
      if (shape === "empty") return "the input is empty";
      if (shape === "other") return `it isn't an event stream: "${head}"`;
      return shape === "json" && error ? `it is an error message: ${error.message}` : undefined;
    },
  };
}

/** Reads a text as a model wrote it: complete unless `end` is told that it was cut. */
export function createTextReading(protocol: Protocol, limits: Limits): Reading {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const message = createMessage(protocol, limits);
  const head = createHead();
  let held = "";

  function take(isEnd: boolean): readonly Confirmed[] {
    const events: Confirmed[] = [];
    let at = 0;
    for (; at + SLICE <= held.length; at += SLICE) {
      events.push(...message.take({ kind: "text", text: held.slice(at, at + SLICE) }));
    }
    held = held.slice(at);
    if (!isEnd || held === "") return events;
    return [...events, ...message.take({ kind: "text", text: held })];
  }

  return {
    push(bytes) {
      head.push(bytes);
      held += decoder.decode(bytes, { stream: true });
      return take(false);
    },
    end({ cut = false } = {}) {
      held += decoder.decode();
      return [...take(true), ...message.end(cut ? "cut" : "complete")];
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
      try {
        // A character that the head cuts is no fault.
        new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, length), {
          stream: true,
        });
        return undefined;
      } catch {
        return "the input is binary, not text";
      }
    },
  };
}

interface MessageReading {
  take(delta: Delta): readonly Confirmed[];
  /** `how` where it is known from outside; else as the deltas say. */
  end(how: StreamEnd | undefined): readonly AgentEvent[];
}

/** One transducer and how its message ended; after a violation or a stop nothing more is confirmed. */
function createMessage(protocol: Protocol, limits: Limits): MessageReading {
  const transducer = protocol.createTransducer(limits);
  const ending = createEnding();
  let pendingMax = 0;
  let over = false;

  function keep(events: readonly Confirmed[]): readonly Confirmed[] {
    over ||= events.some((event) => event.kind === "violation" || event.kind === "stop");
    return events;
  }

  return {
    take(delta) {
      ending.note(delta);
      if (over) return [];
      const events = keep(transducer.push(delta));
      pendingMax = Math.max(pendingMax, transducer.pending);
      return events;
    },
    end(how = ending.how) {
      const last = over ? [] : keep(transducer.end(how));
      const { finishReason, usage } = ending;
      return [...last, { kind: "end", how, finishReason, usage, pendingMax }];
    },
  };
}

/** How a message ended, told from its deltas (SPEC 2.5). */
import type { Delta, StreamEnd, Usage } from "../vocab.ts";

/** Whether the server stopped the model before the model was done, so that more could have followed. */
export function isCutReason(reason: string): boolean {
  return reason === "length" || reason === "content_filter";
}

/** What a message's deltas say about its end. */
export interface Ending {
  /** Takes each delta of the message. */
  note(delta: Delta): void;
  /** `complete` when the server said so and nothing spoke against it; a reason to stop early and an error stay, whatever follows. */
  readonly how: StreamEnd;
  /** The last reason given. */
  readonly finishReason: string | null;
  /** The last figures given. */
  readonly usage: Usage | null;
  /** `[DONE]` was seen: nothing more will be read. */
  readonly done: boolean;
  /** Why the message counts as cut, in words. */
  readonly why: string | undefined;
}

/**
 * Starts with a message of which nothing arrived: cut.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const ending = createEnding();
 * ending.note({ kind: "finish", reason: "stop" });
 * assertEquals([ending.how, ending.finishReason], ["complete", "stop"]);
 * ```
 */
export function createEnding(): Ending {
  let finishReason: string | null = null;
  let cutReason: string | undefined;
  let usage: Usage | null = null;
  let done = false;
  let error: string | undefined;

  function note(delta: Delta): void {
    switch (delta.kind) {
      case "finish":
        finishReason = delta.reason;
        if (isCutReason(delta.reason)) cutReason ??= delta.reason;
        break;
      case "usage":
        usage = delta.usage;
        break;
      case "error":
        error ??= delta.message;
        break;
      case "done":
        done = true;
        break;
      case "text":
      case "reasoning":
      case "tool_call":
        break;
    }
  }

  function why(): string | undefined {
    if (error !== undefined) return `the server reported an error: ${error}`;
    if (cutReason === "length") return "the output limit was reached";
    if (cutReason !== undefined) return `the server stopped the model (${cutReason})`;
    if (finishReason === null && !done) return "the stream ended without saying so";
    return undefined;
  }

  return {
    note,
    get how() {
      return why() === undefined ? "complete" : "cut";
    },
    get finishReason() {
      return finishReason;
    },
    get usage() {
      return usage;
    },
    get done() {
      return done;
    },
    get why() {
      return why();
    },
  };
}

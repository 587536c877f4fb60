/** How a stream ended, and what that means (SPEC 2.5): the first reason for stopping wins and is kept. */
import type { StreamEnd, Usage } from "../vocab.ts";
import type { StreamFacts } from "./chat_completions.ts";
import { NOT_A_COMPLETION } from "./json_body.ts";

/** What closed the stream, as seen from outside it. */
export type Close =
  /** The body ended, or `[DONE]` ended it. */
  | { readonly kind: "eof" }
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "idle"; readonly seconds: number }
  | { readonly kind: "limit"; readonly message: string }
  | { readonly kind: "cancelled" }
  /** The reader had enough: prose after a call (SPEC 2.7). */
  | { readonly kind: "stopped" };

/** Why a stream ended. */
export type EndCause =
  | "finished"
  /** `finish_reason` is `length` or `content_filter`. */
  | "cut_by_server"
  | "server_error"
  | "not_a_stream"
  | "empty"
  /** The body ended with neither `finish_reason` nor `[DONE]`. */
  | "unfinished"
  | "lost"
  | "idle"
  | "limit"
  | "cancelled"
  | "stopped";

/** The end of a stream: a value, never a rejection. */
export interface StreamEnded {
  readonly kind: "ended";
  readonly how: StreamEnd;
  readonly cause: EndCause;
  /** One clear line for people; only on a cut. */
  readonly why?: string;
  /** Would the same request have a chance now? Whether it may be sent depends on whether a call ran (SPEC 4). */
  readonly retryable: boolean;
  /** The server says that the request is longer than its model can see. */
  readonly tooLong: boolean;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly receivedBytes: number;
  /** Oddities worth a warning. */
  readonly notes: readonly string[];
}

/** What is known from outside the body. */
export interface Outside {
  readonly contentType: string | null;
  readonly receivedBytes: number;
}

interface Verdict {
  readonly how: StreamEnd;
  readonly cause: EndCause;
  readonly why?: string;
  readonly retryable?: boolean;
  readonly note?: string;
}

/**
 * The end of a stream with these facts that was closed in this way.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createDecoder } from "./chat_completions.ts";
 *
 * const decoder = createDecoder();
 * decoder.push(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"The answer is "}}]}\n\n'));
 * const end = judgeEnd(decoder.facts, { kind: "eof" }, { contentType: null, receivedBytes: 62 });
 * assertEquals([end.how, end.cause, end.retryable], ["cut", "unfinished", true]);
 * ```
 */
export function judgeEnd(facts: StreamFacts, close: Close, outside: Outside): StreamEnded {
  const verdict = judge(facts, close, outside);
  return {
    kind: "ended",
    how: verdict.how,
    cause: verdict.cause,
    ...(verdict.why === undefined ? {} : { why: verdict.why }),
    retryable: verdict.retryable ?? false,
    tooLong: facts.error !== null && isTooLong(facts.error.message, facts.error.code),
    finishReason: facts.finishReason,
    usage: facts.usage,
    receivedBytes: outside.receivedBytes,
    notes: verdict.note === undefined ? facts.notes : [...facts.notes, verdict.note],
  };
}

function judge(facts: StreamFacts, close: Close, outside: Outside): Verdict {
  if (close.kind === "stopped") {
    return {
      how: "cut",
      cause: "stopped",
      why: "Reading was stopped: the rest of the message isn't used",
    };
  }
  if (close.kind === "cancelled") return { how: "cut", cause: "cancelled", why: "Cancelled" };
  if (facts.error) {
    const { message, code } = facts.error;
    if (code === NOT_A_COMPLETION) return { how: "cut", cause: "not_a_stream", why: message };
    const retryable = !isFinal(code) && !isTooLong(message, code);
    return { how: "cut", cause: "server_error", why: `The server reported: ${message}`, retryable };
  }
  if (facts.cutReason !== null) {
    const why = facts.cutReason === "length"
      ? "The reply reached the server's length limit"
      : "The server's content filter cut the reply";
    return { how: "cut", cause: "cut_by_server", why };
  }
  if (facts.done || facts.finishReason !== null) return judgeFinished(facts, close);
  return judgeUnfinished(facts, close, outside);
}

function judgeFinished(facts: StreamFacts, close: Close): Verdict {
  const finished = { how: "complete", cause: "finished" } as const;
  if (facts.finishReason === null) {
    return { ...finished, note: "The server gave no finish_reason, only [DONE]" };
  }
  if (close.kind === "eof" || close.kind === "idle") return finished;
  return { ...finished, note: "The connection was lost after the reply was finished" };
}

function judgeUnfinished(facts: StreamFacts, close: Close, outside: Outside): Verdict {
  if (facts.shape === "other") {
    return { how: "cut", cause: "not_a_stream", why: alien(facts, outside) };
  }
  const so = `after ${outside.receivedBytes} bytes`;
  switch (close.kind) {
    case "lost": {
      const why = `The connection was lost ${so}: ${close.message}`;
      return { how: "cut", cause: "lost", why, retryable: true };
    }
    case "idle": {
      const why = `The server sent nothing for ${close.seconds} s, ${so}`;
      return { how: "cut", cause: "idle", why, retryable: true };
    }
    case "limit":
      return { how: "cut", cause: "limit", why: close.message };
  }
  if (facts.shape === "empty") {
    return { how: "cut", cause: "empty", why: "The server sent an empty reply", retryable: true };
  }
  const why = `The stream ended ${so} with neither finish_reason nor [DONE]`;
  return { how: "cut", cause: "unfinished", why, retryable: true };
}

function alien(facts: StreamFacts, outside: Outside): string {
  const type = outside.contentType ?? "no content type";
  return `The server answered with "${type}" instead of an event stream: "${facts.head}" (is the base URL right?)`;
}

/** Errors inside a 200 stream that stay errors when asked again. */
function isFinal(code: string | undefined): boolean {
  return code !== undefined && (/^4(?!08|09|29)\d\d$/.test(code) ||
    /auth|permission|forbidden|api_key|invalid_request|invalid_model|not_found|insufficient|billing|^1004$|^1008$|^2013$|^2061$/i
      .test(code));
}

/**
 * Does an error say that the request is longer than the model can see?
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 *
 * assert(isTooLong("This model's maximum context length is 8192 tokens"));
 * assert(!isTooLong("Invalid model"));
 * ```
 */
export function isTooLong(message: string, code?: string): boolean {
  return /context_length_exceeded|exceed_context_size|^1039$/.test(code ?? "") ||
    /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|reduce the length/i
      .test(message);
}

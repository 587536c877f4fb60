/**
 * One turn of the corridor, in order: deltas → confirmed events → settled calls → records.
 *
 * A confirmed call is settled before the next delta is read, so the stream stays unread while a tool runs and the
 * server goes on generating into the socket's buffers (SPEC 3, "Eager"). Protocols that run at the end confirm their
 * calls only there.
 */
import type {
  AgentEvent,
  Confirmed,
  Delta,
  Json,
  ReasoningField,
  ToolCall,
  ToolResult,
  Usage,
  Violation,
} from "../vocab.ts";
import { writeComplaint } from "../protocol/complaint.ts";
import type { Limits, Protocol, Transducer } from "../protocol/protocol.ts";
import type { ModelStream } from "../provider/model_stream.ts";
import type { StreamEnded } from "../provider/stream_end.ts";
import { createUtf8Encoder } from "../text/utf8.ts";
import { joinDeltas } from "./join_deltas.ts";
import { type CallSite, type ConfirmedAt, settleCall } from "./settle.ts";

/** What a turn works with. */
export interface TurnParts {
  readonly protocol: Protocol;
  readonly limits: Limits;
  readonly site: CallSite;
  listen(event: AgentEvent): void;
}

/** Everything that a message came to. */
export interface MessageRead {
  /** Prose that was confirmed. */
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningField?: ReasoningField;
  readonly reasoningDetails: readonly Json[];
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
  readonly violation?: Violation;
  /** Reading stopped because the model began to invent results (SPEC 2.7). */
  readonly stopped: boolean;
  readonly end: StreamEnded;
  /** The text that goes into the next request. */
  readonly kept: string;
  readonly lastDenied: boolean;
  readonly denied: number;
}

/** Reads one message to its end and settles every call that it confirms. */
export async function readMessage(stream: ModelStream, parts: TurnParts): Promise<MessageRead> {
  const reader = createReader(parts);
  for (;;) {
    const step = await stream.next();
    if (step.kind === "ended") {
      if (!reader.over()) await reader.settle(reader.transducer.end(step.how), true);
      const read = reader.result(step);
      for (const message of step.notes) parts.listen({ kind: "notice", message });
      return read;
    }
    for (const delta of joinDeltas(step.deltas)) {
      if (reader.over()) break;
      await reader.read(delta);
    }
    if (reader.over()) stream.stop();
  }
}

interface Reader {
  readonly transducer: Transducer;
  /** Takes the next delta and settles what it confirms. */
  read(delta: Delta): Promise<void>;
  settle(events: readonly Confirmed[], streamEnded: boolean): Promise<void>;
  /** Nothing more is to be read: a violation or a stop was confirmed. */
  over(): boolean;
  result(end: StreamEnded): MessageRead;
}

function createReader(parts: TurnParts): Reader {
  const { site } = parts;
  const transducer = parts.protocol.createTransducer(parts.limits);
  const calls: ToolCall[] = [];
  const results: ToolResult[] = [];
  const details: Json[] = [];
  const thoughts = createUtf8Encoder();
  let text = "";
  let reasoning = "";
  let reasoningField: ReasoningField | undefined;
  let violation: Violation | undefined;
  let stopped = false;
  let lastDenied = false;
  let denied = 0;
  let pendingMax = 0;

  async function take(event: Confirmed, confirmed: ConfirmedAt): Promise<void> {
    parts.listen(event);
    if (event.kind === "text") text += event.text;
    else if (event.kind === "reasoning") reasoning += event.text;
    else if (event.kind === "stop") stopped = true;
    else if (event.kind === "violation") {
      violation = event.violation;
      site.session.append({ kind: "violation", violation });
    } else if (event.kind === "ready") {
      const settled = await settleCall(event.call, site, confirmed);
      calls.push(event.call);
      results.push(settled.result);
      lastDenied = settled.denied;
      if (settled.denied) denied++;
    }
  }

  async function settle(events: readonly Confirmed[], streamEnded: boolean): Promise<void> {
    pendingMax = Math.max(pendingMax, transducer.pending);
    // All of them are confirmed now, also those that wait for the call before them.
    const confirmed = { ms: site.monotonic(), streamEnded };
    for (const event of events) await take(event, confirmed);
  }

  /** Keeps of a piece of reasoning what must go back; returns it in whole characters, since servers cut inside them. */
  function note(delta: Delta & { kind: "reasoning" }): Delta {
    reasoningField ??= delta.field;
    details.push(...delta.details ?? []);
    return { ...delta, text: thoughts.push(delta.text).text };
  }

  return {
    transducer,
    async read(delta) {
      const piece = delta.kind === "reasoning" ? note(delta) : delta;
      if (piece.kind === "reasoning" && piece.text === "") return;
      await settle(transducer.push(piece), false);
    },
    settle,
    over: () => stopped || violation !== undefined,
    result(end) {
      parts.listen({
        kind: "end",
        how: end.how,
        finishReason: end.finishReason,
        usage: end.usage,
        pendingMax,
        ...(end.why === undefined ? {} : { why: end.why }),
      });
      return {
        text,
        reasoning,
        ...(reasoningField ? { reasoningField } : {}),
        reasoningDetails: details,
        calls,
        results,
        ...(violation ? { violation } : {}),
        stopped,
        end,
        kept: calls.length > 0 ? transducer.keptText : text,
        lastDenied,
        denied,
      };
    },
  };
}

/** What became of a message, for the loop. */
export type TurnVerdict =
  /** The final answer. */
  | { readonly kind: "final" }
  /** Results or a complaint await; the conversation goes on. */
  | { readonly kind: "next"; readonly violation: boolean; readonly complaint?: string }
  /** Nothing came: the same request may be asked again. */
  | { readonly kind: "empty" }
  /** Cut before any call ran: the same request may be asked again. */
  | { readonly kind: "cut"; readonly why: string }
  /** The server says that the request is longer than its model can see. */
  | { readonly kind: "too_long"; readonly why: string }
  /** Cut before any call ran, and asking again is no use. */
  | { readonly kind: "failed"; readonly why: string };

/** Judges a message that was read to its end (SPEC 2.5, 2.6, 4). */
export function judge(read: MessageRead): TurnVerdict {
  const { calls, end, violation } = read;
  const ran = calls.length > 0;
  const lost = end.how === "cut" && end.cause !== "cut_by_server" && end.cause !== "stopped";
  if (lost && !ran) {
    const kind = end.tooLong ? "too_long" : end.retryable ? "cut" : "failed";
    return { kind, why: end.why ?? "The stream was cut" };
  }
  if (violation) return { kind: "next", violation: true, complaint: complain(read) };
  if (end.how === "cut" && end.cause !== "stopped") {
    return { kind: "next", violation: !ran, complaint: complain(read) };
  }
  if (ran) return { kind: "next", violation: false };
  return read.text.trim() === "" ? { kind: "empty" } : { kind: "final" };
}

function complain(read: MessageRead): string {
  const { calls, end, violation } = read;
  const cut = end.how === "cut" && end.cause !== "stopped" ? cutWords(end) : undefined;
  return writeComplaint({ violation, cut, done: calls });
}

/** Why the stream was cut, for the model: only the length is its own doing. */
function cutWords(end: StreamEnded): string {
  switch (end.finishReason) {
    case "length":
      return "it reached the length limit; write shorter messages";
    case "content_filter":
      return "the server's content filter stopped it";
    default:
      return "it broke off on its way";
  }
}

/** The sum of two usages. */
export function addUsage(total: Usage, usage: Usage | null): Usage {
  if (!usage) return total;
  return {
    inputTokens: total.inputTokens + usage.inputTokens,
    outputTokens: total.outputTokens + usage.outputTokens,
    cachedTokens: (total.cachedTokens ?? 0) + (usage.cachedTokens ?? 0),
  };
}

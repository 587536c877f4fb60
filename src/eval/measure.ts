/** Listens to a run and measures it: times, waits, what was violated, which forms were used. */
import type { AgentEvent, ToolResult } from "../vocab.ts";
import type { Counts, Times } from "./row.ts";

/** A stretch of a run: one request with its answer. Times are milliseconds since the run began. */
export interface MessageSpan {
  readonly start: number;
  readonly end: number;
  /** When how many bytes of the answer were there to see. */
  readonly bytes: readonly (readonly [at: number, bytes: number])[];
  /** When the server had sent the end, by its own clock; absent where that isn't known. */
  readonly serverEnd?: number;
}

/** A call in time. */
export interface CallSpan {
  /** Index of its message. */
  readonly message: number;
  readonly id: string;
  readonly name: string;
  readonly confirmed: number;
  readonly start: number;
  readonly end: number;
  readonly exit: number;
  /** It started before its stream had ended, as the agent saw it. */
  readonly early: boolean;
}

/** A run in time. */
export interface Timeline {
  readonly messages: readonly MessageSpan[];
  readonly calls: readonly CallSpan[];
}

/** What was counted on the way. */
export interface Measured {
  readonly timeline: Timeline;
  readonly violations: Counts;
  readonly forms: Counts;
  /** Confirmed to started, of each call. */
  readonly waits: readonly number[];
}

/** Takes events as they come. */
export interface Meter {
  listen(event: AgentEvent): void;
  /** All that was measured until now. */
  result(): Measured;
}

/** Bytes that arrive this close together, in ms, are one mark. */
const MARK_MS = 10;

/** Starts measuring; `now` gives milliseconds since the run began. */
export function createMeter(now: () => number): Meter {
  const messages: { start: number; end: number; bytes: [number, number][]; open: boolean }[] = [];
  const calls: (Omit<CallSpan, "end" | "exit"> & { end: number; exit: number })[] = [];
  const confirmed = new Map<string, number>();
  const violations: Record<string, number> = {};
  const forms: Record<string, number> = {};
  const waits: number[] = [];

  function arrived(text: string): void {
    const bytes = messages.at(-1)?.bytes;
    const last = bytes?.at(-1);
    if (last && now() - last[0] < MARK_MS) last[1] += text.length;
    else bytes?.push([now(), text.length]);
  }

  function closeMessage(): void {
    const message = messages.at(-1);
    if (!message?.open) return;
    message.end = now();
    message.open = false;
  }

  function startCall(event: AgentEvent & { kind: "tool_start" }): void {
    const { id, name } = event.call;
    // The stream is over before the agent says so: the end of a message is told after its calls.
    if (event.streamEnded) closeMessage();
    const start = now();
    waits.push(event.confirmedToStartedMs);
    calls.push({
      message: messages.length - 1,
      id,
      name,
      confirmed: confirmed.get(id) ?? start - event.confirmedToStartedMs,
      start,
      end: start,
      exit: 0,
      early: !event.streamEnded,
    });
  }

  function endCall(result: ToolResult): void {
    const call = calls.findLast((it) => it.id === result.id);
    if (!call) return;
    call.end = now();
    call.exit = result.exit;
  }

  function listen(event: AgentEvent): void {
    switch (event.kind) {
      case "request":
        messages.push({ start: now(), end: now(), bytes: [], open: true });
        confirmed.clear();
        break;
      case "text":
      case "reasoning":
      case "piece":
        arrived(event.text);
        break;
      case "arg":
        count(forms, event.form);
        break;
      case "ready":
        confirmed.set(event.call.id, now());
        break;
      case "violation":
        count(violations, event.violation.kind);
        break;
      case "tool_start":
        startCall(event);
        break;
      case "tool_result":
        endCall(event.result);
        break;
      case "end":
        closeMessage();
        break;
      default:
        break;
    }
  }
  return {
    listen,
    result: () => ({
      timeline: { messages: messages.map(({ open: _, ...span }) => span), calls },
      violations,
      forms,
      waits,
    }),
  };
}

function count(counts: Record<string, number>, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/**
 * Sums up a run. Model time is that of the streams without the calls that ran inside them (the client doesn't read
 * meanwhile, so how much of it was really saved can't be told: `overlapS` is an upper bound).
 */
export function sumUp(measured: Measured): Times {
  const { messages, calls } = measured.timeline;
  const length = (span: { start: number; end: number }) => span.end - span.start;
  const inside = calls.filter((call) => call.early).map(length);
  const firsts = messages.flatMap((message, index) => {
    const first = calls.find((call) => call.message === index);
    return first ? [first.start - message.start] : [];
  });
  return {
    modelS: (sum(messages.map(length)) - sum(inside)) / 1000,
    toolS: sum(calls.map(length)) / 1000,
    waitMs: mean(measured.waits),
    firstActionMs: mean(firsts),
    overlapS: sum(inside) / 1000,
    calls: calls.length,
    early: calls.filter((call) => startedEarly(call, messages[call.message])).length,
  };
}

/** By the server's clock where there is one: the client may have read late. */
function startedEarly(call: CallSpan, message: MessageSpan | undefined): boolean {
  return message?.serverEnd === undefined ? call.early : call.start < message.serverEnd;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** 0 for none. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

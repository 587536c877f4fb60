/** Turns until the answer is there, the budget is spent or the run is stopped (SPEC 3, 4). */
import type { AgentEvent, Message, Outcome, Usage } from "../vocab.ts";
import { ProviderError } from "../errors.ts";
import type { Provider } from "../provider/catalog.ts";
import type { ModelClient } from "../provider/model_stream.ts";
import { buildRequest } from "../provider/request.ts";
import type { LiveSession } from "../session/conversation.ts";
import { addUsage, judge, type MessageRead, readMessage, type TurnParts } from "./turn.ts";

/** A message that was cut before any call ran is asked again at most this often (SPEC 4). */
const MAX_CUTS = 3;
/** An empty reply is asked again at most this often (SPEC 4). */
const MAX_EMPTY = 2;
/** This many violations in a row end the run (SPEC 4). */
const MAX_VIOLATIONS = 4;

/** What a run works with. */
export interface LoopParts extends TurnParts {
  readonly provider: Provider;
  readonly client: ModelClient;
  readonly session: LiveSession;
  /** The words and the `tools` array that go with every request. */
  readonly system: string;
  readonly tools?: readonly unknown[];
  /** Aborts the run; its reason is a signal's name, `esc` or `timeout`. */
  readonly signal: AbortSignal;
  readonly maxSteps: number;
  /** Messages that a person typed meanwhile; they go out with the next request. */
  takeQueued?(): readonly string[];
}

/** How a run ended. */
export interface RunEnd {
  readonly outcome: Outcome;
  /** One sentence for a person. */
  readonly message: string;
  /** The final answer, or what there is of it. */
  readonly text: string;
  readonly steps: number;
  readonly usage: Usage;
  /** Calls that were refused for want of a permission. */
  readonly denied: number;
}

/** What has happened in a row, and what it all cost. */
interface Tally {
  steps: number;
  cuts: number;
  empty: number;
  violations: number;
  denied: number;
  lastDenied: boolean;
  usage: Usage;
}

/** Runs the conversation, whose last record is what the user said, to its end. Throws only `SessionError` and bugs. */
export async function runLoop(parts: LoopParts): Promise<RunEnd> {
  const tally: Tally = {
    steps: 0,
    cuts: 0,
    empty: 0,
    violations: 0,
    denied: 0,
    lastDenied: false,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  const end = (outcome: Outcome, message: string, text = ""): RunEnd => ({
    outcome,
    message,
    text,
    steps: tally.steps,
    usage: tally.usage,
    denied: tally.denied,
  });
  for (;;) {
    if (parts.signal.aborted) return cancelled(parts, end, "");
    if (tally.cuts === 0 && tally.empty === 0) {
      if (tally.steps >= parts.maxSteps) {
        return end("step_limit", `Stopped after ${tally.steps} steps (--max-steps)`);
      }
      tally.steps++;
      takeQueued(parts);
    }
    let read: MessageRead;
    try {
      read = await ask(parts, tally.steps);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (parts.signal.aborted) return cancelled(parts, end, "");
      parts.session.append({ kind: "error", message: error.message });
      return end(error.exit === 75 ? "try_later" : "provider_error", error.message);
    }
    tally.usage = addUsage(tally.usage, read.end.usage);
    tally.denied += read.denied;
    if (read.calls.length > 0) tally.lastDenied = read.lastDenied;
    if (parts.signal.aborted) {
      close(parts, read, { complaint: "The user cancelled this message." });
      return cancelled(parts, end, read.text);
    }
    const over = afterMessage(parts, read, tally);
    if (over) return end(over.outcome, over.message, read.text);
  }
}

/** Records how a message ended; says whether the run is over. */
function afterMessage(
  parts: LoopParts,
  read: MessageRead,
  tally: Tally,
): { outcome: Outcome; message: string } | undefined {
  const verdict = judge(read);
  switch (verdict.kind) {
    case "final":
      close(parts, read);
      return tally.lastDenied
        ? { outcome: "refused", message: "A permission was refused and the task ended there" }
        : { outcome: "done", message: "Done" };
    case "next":
      close(parts, read, verdict.complaint === undefined ? {} : { complaint: verdict.complaint });
      tally.cuts = tally.empty = 0;
      tally.violations = verdict.violation ? tally.violations + 1 : 0;
      return tally.violations >= MAX_VIOLATIONS
        ? {
          outcome: "agent_error",
          message: `${MAX_VIOLATIONS} violations in a row; the last: ${verdict.complaint}`,
        }
        : undefined;
    case "empty":
      close(parts, read, { dropped: true });
      if (++tally.empty > MAX_EMPTY) {
        return {
          outcome: "agent_error",
          message: `The model answered nothing, ${tally.empty} times`,
        };
      }
      parts.listen({
        kind: "wait",
        reason: "empty_reply",
        seconds: 0,
        message: "The model answered nothing; asking again",
      });
      return undefined;
    case "cut":
      close(parts, read, { dropped: true });
      if (++tally.cuts > MAX_CUTS) {
        return {
          outcome: "provider_error",
          message: `The answer was cut ${tally.cuts} times: ${verdict.why}`,
        };
      }
      parts.listen({
        kind: "wait",
        reason: "retry",
        seconds: 0,
        message: `The answer was cut (${verdict.why}); asking again`,
      });
      return undefined;
    case "failed":
      close(parts, read, { dropped: true });
      return { outcome: "provider_error", message: verdict.why };
  }
}

async function ask(parts: LoopParts, step: number): Promise<MessageRead> {
  const system: Message = { role: "system", content: parts.system };
  const { body } = buildRequest(parts.provider, {
    messages: [system, ...parts.protocol.history(parts.session.turns())],
    tools: parts.tools,
  });
  parts.listen({ kind: "request", step });
  return await readMessage(await parts.client.openStream(body, parts.signal), parts);
}

/** Writes the records that close a message: its text, then `message`. */
function close(
  parts: LoopParts,
  read: MessageRead,
  extra: { complaint?: string; dropped?: boolean } = {},
): void {
  const { session } = parts;
  if (read.text !== "") session.append({ kind: "text", text: read.text });
  session.append({
    kind: "message",
    kept: read.kept,
    how: read.end.how,
    finishReason: read.end.finishReason,
    usage: read.end.usage,
    ...(read.reasoning === "" ? {} : { reasoning: read.reasoning }),
    ...(read.reasoningField ? { reasoningField: read.reasoningField } : {}),
    ...(read.reasoningDetails.length === 0 ? {} : { reasoningDetails: read.reasoningDetails }),
    ...extra,
  });
}

function takeQueued(parts: LoopParts): void {
  for (const text of parts.takeQueued?.() ?? []) {
    parts.session.append({ kind: "user", text });
    parts.listen({ kind: "user", text });
  }
}

/** The end of a run that was stopped from outside, by the reason that came first. */
function cancelled(
  parts: LoopParts,
  end: (outcome: Outcome, message: string, text: string) => RunEnd,
  text: string,
): RunEnd {
  const why = String(parts.signal.reason);
  parts.session.append({ kind: "cancel", why });
  if (why === "timeout") return end("timeout", "Stopped at the time limit (--timeout)", text);
  if (why === "SIGTERM" || why === "SIGHUP") return end("terminated", `Stopped by ${why}`, text);
  return end("cancelled", "Cancelled", text);
}

/** The event that closes a run. */
export function outcomeEvent(end: RunEnd, exit: number): AgentEvent & { kind: "outcome" } {
  return { kind: "outcome", exit, ...end };
}

/** Turns until the answer is there, the budget is spent or the run is stopped (SPEC 3, 4). */
import type { AgentEvent, Message, Outcome, Usage } from "../vocab.ts";
import { outcomeOf, ProviderError } from "../errors.ts";
import { backoffMs } from "../provider/backoff.ts";
import type { Provider } from "../provider/catalog.ts";
import { RequestError } from "../provider/failure.ts";
import type { ModelClient, ModelStream } from "../provider/model_stream.ts";
import { buildRequest, type ModelRequest } from "../provider/request.ts";
import type { LiveSession } from "../session/conversation.ts";
import { planFold } from "../session/plan_fold.ts";
import type { Clock } from "../system/system.ts";
import { cancelled, closeCancelled, closeMessage, type Over } from "./close.ts";
import type { CallSite } from "./settle.ts";
import { addUsage, judge, type MessageRead, readMessage, type TurnParts } from "./turn.ts";

/** A message that was cut before any call ran is asked again at most this often (SPEC 4). */
const MAX_CUTS = 3;
/** An empty reply is asked again at most this often (SPEC 4). */
const MAX_EMPTY = 2;
/** This many violations in a row end the run (SPEC 4). */
const MAX_VIOLATIONS = 4;

/** What a run works with. */
export interface LoopParts extends Omit<TurnParts, "site"> {
  readonly provider: Provider;
  readonly client: ModelClient;
  readonly session: LiveSession;
  readonly clock: Pick<Clock, "sleep" | "random">;
  /** The place where calls are settled, opened while the first `request` is under way. */
  openSite(request: Promise<unknown>): Promise<CallSite>;
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
  /** What the last message said, if it's the end that it was the last. */
  text: string;
  /** This step's request went out before and came to nothing. */
  again: boolean;
  /** What was told already of how the history had to be changed. */
  readonly told: Set<string>;
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
    text: "",
    again: false,
    told: new Set(),
  };
  for (;;) {
    const over = await takeStep(parts, tally);
    if (over) {
      const { text, steps, usage, denied } = tally;
      return { ...over, text, steps, usage, denied };
    }
  }
}

/** One request and all that its answer asks for; says whether the run is over. */
async function takeStep(parts: LoopParts, tally: Tally): Promise<Over | undefined> {
  if (parts.signal.aborted) return cancelled(parts);
  if (!tally.again) {
    if (tally.steps >= parts.maxSteps) {
      return { outcome: "step_limit", message: `Stopped after ${tally.steps} steps (--max-steps)` };
    }
    tally.steps++;
    takeQueued(parts);
    makeRoom(parts);
  }
  tally.again = false;
  try {
    const read = await ask(parts, tally);
    tally.usage = addUsage(tally.usage, read.end.usage);
    tally.denied += read.denied;
    if (read.text !== "") tally.text = read.text;
    if (read.calls.length > 0) tally.lastDenied = read.lastDenied;
    return parts.signal.aborted
      ? closeCancelled(parts, read)
      : await afterMessage(parts, read, tally);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (parts.signal.aborted) return cancelled(parts);
    const tooLong = error instanceof RequestError && error.kind === "too_long";
    if (tooLong && foldByForce(parts, tally)) return undefined;
    parts.session.append({ kind: "error", message: error.message });
    return { outcome: outcomeOf(error), message: error.message };
  }
}

/** Records how a message ended; says whether the run is over. */
async function afterMessage(
  parts: LoopParts,
  read: MessageRead,
  tally: Tally,
): Promise<Over | undefined> {
  const verdict = judge(read);
  switch (verdict.kind) {
    case "final":
      closeMessage(parts, read);
      return tally.lastDenied
        ? { outcome: "refused", message: "A permission was refused and the task ended there" }
        : { outcome: "done", message: "Done" };
    case "next":
      closeMessage(
        parts,
        read,
        verdict.complaint === undefined ? {} : { complaint: verdict.complaint },
      );
      tally.cuts = tally.empty = 0;
      tally.violations = verdict.violation ? tally.violations + 1 : 0;
      if (tally.violations < MAX_VIOLATIONS) return undefined;
      return {
        outcome: "agent_error",
        message: `${MAX_VIOLATIONS} violations in a row; the last: ${
          read.violation?.message ?? read.end.why
        }`,
      };
    case "empty":
      closeMessage(parts, read, { dropped: true });
      if (++tally.empty > MAX_EMPTY) {
        const message = `The model answered nothing, ${tally.empty} times`;
        return { outcome: "agent_error", message };
      }
      return await askAgain(parts, tally, {
        reason: "empty_reply",
        ms: 0,
        message: "The model answered nothing",
      });
    case "cut":
      closeMessage(parts, read, { dropped: true });
      if (++tally.cuts > MAX_CUTS) {
        const message = `The answer was cut ${tally.cuts} times: ${verdict.why}`;
        return { outcome: "provider_error", message };
      }
      return await askAgain(parts, tally, {
        reason: "retry",
        ms: backoffMs(tally.cuts - 1, parts.clock.random()),
        message: `The answer was cut: ${verdict.why}`,
      });
    case "too_long":
    case "failed":
      closeMessage(parts, read, { dropped: true });
      if (verdict.kind === "too_long" && foldByForce(parts, tally)) return undefined;
      parts.session.append({ kind: "error", message: verdict.why });
      return { outcome: "provider_error", message: verdict.why };
  }
}

/** The same request goes out again after a wait that is told. */
async function askAgain(
  parts: LoopParts,
  tally: Tally,
  wait: { readonly reason: "retry" | "empty_reply"; readonly ms: number; readonly message: string },
): Promise<undefined> {
  const { reason, ms } = wait;
  tally.again = true;
  const when = ms === 0 ? "asking again" : `asking again in ${(ms / 1000).toFixed(1)} s`;
  const message = `${wait.message}; ${when}`;
  parts.listen({ kind: "wait", reason, seconds: ms / 1000, message });
  if (ms > 0) await parts.clock.sleep(ms, parts.signal);
}

/** The request that goes out next: the same for the same session, byte for byte. */
export function nextRequest(
  parts: Pick<LoopParts, "provider" | "protocol" | "system" | "tools"> & {
    readonly session: Pick<LiveSession, "turns">;
  },
): ModelRequest {
  const system: Message = { role: "system", content: parts.system };
  return buildRequest(parts.provider, {
    messages: [system, ...parts.protocol.history(parts.session.turns())],
    tools: parts.tools,
  });
}

async function ask(parts: LoopParts, tally: Tally): Promise<MessageRead> {
  const { body, changes } = nextRequest(parts);
  for (const change of changes) {
    if (!tally.told.has(change)) parts.listen({ kind: "notice", message: change });
    tally.told.add(change);
  }
  parts.listen({ kind: "request", step: tally.steps });
  const request = parts.client.openStream(body, parts.signal);
  const site = await openSite(request, parts);
  return await readMessage(await request, { ...parts, site });
}

/** The place for the calls of the answer; where there can be none, nobody reads the answer either. */
async function openSite(request: Promise<ModelStream>, parts: LoopParts): Promise<CallSite> {
  // Told when the answer is asked for.
  request.catch(() => {});
  try {
    return await parts.openSite(request);
  } catch (error) {
    void request.then((stream) => stream.stop(), () => {});
    throw error;
  }
}

/** Old results give way when the next request would fill the context; says whether any did. */
function makeRoom(parts: LoopParts, options: { readonly force?: boolean } = {}): boolean {
  const record = planFold(parts.session, parts.provider.contextWindow, options);
  if (!record) return false;
  parts.session.append(record);
  const count = record.calls.length === 1 ? "1 old result" : `${record.calls.length} old results`;
  parts.listen({
    kind: "notice",
    message: `The context is filling up: the model sees ${count} as one line each from here on`,
  });
  return true;
}

/** All that can give way does so, and the same step is asked again: once, since nothing is left for a second time. */
function foldByForce(parts: LoopParts, tally: Tally): boolean {
  tally.again = makeRoom(parts, { force: true });
  return tally.again;
}

function takeQueued(parts: LoopParts): void {
  for (const text of parts.takeQueued?.() ?? []) {
    parts.session.append({ kind: "user", text });
    parts.listen({ kind: "user", text });
  }
}

/** The event that closes a run. */
export function outcomeEvent(end: RunEnd, exit: number): AgentEvent & { kind: "outcome" } {
  return { kind: "outcome", exit, ...end };
}

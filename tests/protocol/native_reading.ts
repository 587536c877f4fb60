/** Deltas of the native protocols as the tests write them, and what came of them in short. */
import type { Confirmed, Delta, StreamEnd } from "../../src/vocab.ts";
import { DEFAULT_LIMITS, type Limits, type Protocol } from "../../src/protocol/protocol.ts";
import { joinEvents } from "../split.ts";

type CallPiece = Omit<Extract<Delta, { kind: "tool_call" }>, "kind">;

export const call = (piece: CallPiece): Delta => ({ kind: "tool_call", ...piece });
export const text = (text: string): Delta => ({ kind: "text", text });
export const finish = (reason: string): Delta => ({ kind: "finish", reason });
export const DONE: Delta = { kind: "done" };
export const A = call({ slot: 0, id: "a", name: "run", arguments: '{"command":"ls"}' });
export const B = call({ slot: 1, id: "b", name: "run", arguments: '{"command":"pwd"}' });

export function read(
  protocol: Protocol,
  deltas: readonly Delta[],
  how: StreamEnd = "complete",
  limits: Limits = DEFAULT_LIMITS,
): Confirmed[] {
  const transducer = protocol.createTransducer(limits);
  const events = deltas.flatMap((delta) => [...transducer.push(delta)]);
  return joinEvents([...events, ...transducer.end(how)]);
}

/** The events in one word each: what ran with what, what went wrong. */
export function gist(events: readonly Confirmed[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === "ready") return `${event.call.id} ${JSON.stringify(event.call.arguments)}`;
    if (event.kind === "violation") return event.violation.kind;
    return [];
  });
}

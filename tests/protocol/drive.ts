/** Feeds slices of text to a protocol's transducer and collects what it confirms. */
import type { Confirmed, Delta, StreamEnd, ToolCall } from "../../src/vocab.ts";
import { DEFAULT_LIMITS, type Limits, type Protocol } from "../../src/protocol/protocol.ts";
import { joinEvents } from "../split.ts";

export interface DriveOptions {
  readonly how?: StreamEnd;
  readonly limits?: Partial<Limits>;
}

/** What a whole message confirmed, parts joined. */
export interface Driven {
  readonly events: readonly Confirmed[];
  /** The most bytes that were held back after any delta. */
  readonly pendingMax: number;
  readonly keptText: string;
}

export function drive(
  protocol: Protocol,
  deltas: readonly Delta[],
  options: DriveOptions = {},
): Driven {
  const transducer = protocol.createTransducer({ ...DEFAULT_LIMITS, ...options.limits });
  const events: Confirmed[] = [];
  let pendingMax = 0;
  for (const delta of deltas) {
    events.push(...transducer.push(delta));
    pendingMax = Math.max(pendingMax, transducer.pending);
  }
  events.push(...transducer.end(options.how ?? "complete"));
  return { events: joinEvents(events), pendingMax, keptText: transducer.keptText };
}

export function textDeltas(slices: readonly string[]): Delta[] {
  return slices.map((text) => ({ kind: "text", text }));
}

/** The executable calls among `events`, in order. */
export function readyCalls(events: readonly Confirmed[]): ToolCall[] {
  return events.flatMap((event) => event.kind === "ready" ? [event.call] : []);
}

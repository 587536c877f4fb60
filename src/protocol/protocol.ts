/**
 * The one interface behind which the five protocols stand (SPEC 3).
 *
 * Each protocol's decode and encode live in one file, so that they can't drift:
 * `decode(encode(calls)) = calls` is a property test over all five.
 */
import type {
  Confirmed,
  Delta,
  Message,
  ProtocolName,
  StreamEnd,
  ToolCall,
  ToolSpec,
  Turn,
} from "../vocab.ts";

/** Bounds of what a transducer takes; bytes of UTF-8. */
export interface Limits {
  /** Longest line of a text protocol, `\n` excluded (SPEC 2.1, `L_line`). */
  readonly line: number;
  /** Longest argument (SPEC 2.3, `CTL_MAX_ARG`). */
  readonly argument: number;
  /** Most arguments of a call (SPEC 2.3). */
  readonly argumentsPerCall: number;
}

/** The limits that hold unless a flag says otherwise. */
export const DEFAULT_LIMITS: Limits = {
  line: 65_536,
  argument: 16 * 1024 * 1024,
  argumentsPerCall: 64,
};

/** Turns deltas into confirmed events, holding back what isn't certain. */
export interface Transducer {
  /** Takes the next delta, its text cut anywhere; returns what it confirmed, in order. */
  push(delta: Delta): readonly Confirmed[];
  /** Settles what is held: as text or as a violation, never as a call on a cut stream. Call it once. */
  end(how: StreamEnd): readonly Confirmed[];
  /** Bytes held back now (S5). */
  readonly pending: number;
  /** The text to keep in history if the message is stopped or cut now: for text protocols, the raw text up to the end of the last confirmed call. */
  readonly keptText: string;
}

/** A way of writing tool calls: how the model is told, how calls are read, how results are written. */
export interface Protocol {
  readonly name: ProtocolName;
  /** May a confirmed call run while the stream goes on? */
  readonly eager: boolean;
  /** What the request carries so that the model can call `tools`: words for the system prompt, or a `tools` array. */
  describe(
    tools: readonly ToolSpec[],
  ): { readonly system: string; readonly tools?: readonly unknown[] };
  /** Starts reading one message. */
  createTransducer(limits: Limits): Transducer;
  /** The deltas by which a model would write `text` and then `calls` in this protocol (for the simulated model, re-encoding and property tests). */
  encode(text: string, calls: readonly ToolCall[]): readonly Delta[];
  /** The conversation as this protocol's model expects it (SPEC 2.8, 3). */
  history(turns: readonly Turn[]): Message[];
}

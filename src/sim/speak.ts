/** From a position in the plan to the tokens that go out: written in a protocol, with the faults that struck. */
import type { Delta, ProtocolName, ToolCall } from "../vocab.ts";
import type { Protocol } from "../protocol/protocol.ts";
import { createProtocol } from "../protocol/mod.ts";
import type { Strikes } from "./draw.ts";
import type { PlannedCall } from "./plan.ts";
import type { Position } from "./position.ts";
import { spoil } from "./spoil.ts";

/** A message ready to go out. */
export interface Utterance {
  readonly tokens: readonly Delta[];
  readonly finish: "stop" | "tool_calls" | "length";
  /** What becomes of the connection after the last token. */
  readonly then: "finish" | "drop" | "stall";
  /** How long a stall lasts before the connection is dropped. */
  readonly stallMs: number;
  /** What was spoiled, for the log. */
  readonly notes: readonly string[];
}

/** Longer than any idle limit. */
const STALL_S = 3600;
/** Characters of a token. */
const TOKEN = 4;

/** The protocol that a confused model falls into instead of the one that it was taught. */
const MISTAKEN: { readonly [name in ProtocolName]: ProtocolName } = {
  "native-eos": "xml",
  "native-inc": "xml",
  ctl: "xml",
  "ctl-heredoc": "xml",
  xml: "ctl-heredoc",
};

/** Writes the message at `position`. */
export function speak(
  position: Position,
  strikes: Strikes,
  protocol: ProtocolName,
): Utterance {
  if (strikes.has("empty_reply")) return utterance([], ["empty reply"]);
  const calls = position.calls.map((call, i) => toToolCall(call, { position, index: i, protocol }));
  const notes: string[] = [];
  const written = write(position.text, calls, { strikes, notes, protocol });
  const spoiled = spoil(written, strikes, protocol);
  return cut(spoiled.deltas.flatMap(tokensOf), strikes, [...notes, ...spoiled.notes]);
}

/** The protocol of a name that the types vouch for. */
export function protocolNamed(name: ProtocolName): Protocol {
  const protocol = createProtocol(name);
  if (!protocol) throw new Error(`Unreachable: no protocol "${name}"`);
  return protocol;
}

/** A message that says only `text`. */
export function say(text: string): Utterance {
  return utterance(tokensOf({ kind: "text", text }), []);
}

function utterance(tokens: readonly Delta[], notes: readonly string[]): Utterance {
  const native = tokens.some((token) => token.kind === "tool_call");
  const finish = native ? "tool_calls" : "stop";
  return { tokens, finish, then: "finish", stallMs: 0, notes };
}

/** Ids name the place in the plan, so that a log is easy to read. Text protocols carry strings alone. */
function toToolCall(
  call: PlannedCall,
  place: { position: Position; index: number; protocol: ProtocolName },
): ToolCall {
  const { position, index, protocol } = place;
  const id = `s${position.step}c${position.answered + index + 1}`;
  if (protocol === "native-eos" || protocol === "native-inc") {
    return { id, name: call.name, arguments: call.arguments, values: "json" };
  }
  const entries = Object.entries(call.arguments).map(([key, value]): [string, string] => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return { id, name: call.name, arguments: Object.fromEntries(entries), values: "text" };
}

/** The whole message, with the faults that concern whole calls. */
function write(
  text: string,
  calls: readonly ToolCall[],
  means: { strikes: Strikes; notes: string[]; protocol: ProtocolName },
): readonly Delta[] {
  const { strikes, notes, protocol } = means;
  const { encode } = protocolNamed(protocol);
  const [first, second, ...others] = calls;
  if (!first) return [{ kind: "text", text }];
  if (strikes.has("wrong_protocol")) {
    const other = MISTAKEN[protocol];
    notes.push(`written in ${other}`);
    return protocolNamed(other).encode(text, calls.map((call) => ({ ...call, values: "text" })));
  }
  if (strikes.has("duplicate_id") && second) {
    notes.push(`id "${first.id}" given to two calls`);
    return encode(text, [first, { ...second, id: first.id }, ...others]);
  }
  if (strikes.has("invented_result")) {
    notes.push(`result of "${first.id}" invented`);
    const rest = calls.length > 1 ? encode("", calls.slice(1)) : [];
    const invented = `\nresult ${first.id} exit=0 3\nok\nend\nThat went well.\n`;
    return [
      ...encode(text, [first]),
      { kind: "text", text: invented },
      ...rest.map(shiftSlot),
    ];
  }
  return encode(text, calls);
}

function shiftSlot(delta: Delta): Delta {
  return delta.kind === "tool_call" ? { ...delta, slot: delta.slot + 1 } : delta;
}

/** Ends the message early where a fault says so. */
function cut(
  tokens: readonly Delta[],
  strikes: Strikes,
  notes: readonly string[],
): Utterance {
  const whole = utterance(tokens, notes);
  for (const kind of ["truncation", "dropped_connection", "stall"] as const) {
    const strike = strikes.get(kind);
    if (!strike) continue;
    const kept = strike.rule.afterTokens ?? Math.floor(strike.random() * tokens.length);
    if (kept >= tokens.length) continue;
    return {
      tokens: tokens.slice(0, kept),
      finish: "length",
      then: kind === "truncation" ? "finish" : kind === "stall" ? "stall" : "drop",
      stallMs: 1000 * (strike.rule.seconds ?? STALL_S),
      notes: [...notes, `${kind.replaceAll("_", " ")} after ${kept} of ${tokens.length} tokens`],
    };
  }
  return whole;
}

/** A delta in pieces of a few characters, as a server sends them; never inside a surrogate pair. */
function tokensOf(delta: Delta): Delta[] {
  if (delta.kind === "text") {
    return pieces(delta.text).map((text) => ({ kind: "text", text }));
  }
  if (delta.kind !== "tool_call" || delta.arguments === undefined) return [delta];
  const { arguments: text, ...head } = delta;
  return [
    head,
    ...pieces(text).map((piece): Delta => ({
      kind: "tool_call",
      slot: delta.slot,
      arguments: piece,
    })),
  ];
}

function pieces(text: string): string[] {
  const characters = [...text];
  const out: string[] = [];
  for (let i = 0; i < characters.length; i += TOKEN) {
    out.push(characters.slice(i, i + TOKEN).join(""));
  }
  return out;
}

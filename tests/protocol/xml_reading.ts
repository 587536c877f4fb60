/** How the tests of the protocol xml read a message and tell what came of it. */
import type { Confirmed, StreamEnd } from "../../src/vocab.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/protocol/protocol.ts";
import { xml } from "../../src/protocol/xml.ts";
import { joinEvents } from "../split.ts";

export function read(
  slices: readonly string[],
  how: StreamEnd = "complete",
  limits: Limits = DEFAULT_LIMITS,
): Confirmed[] {
  const transducer = xml.createTransducer(limits);
  const events = slices.flatMap((text) => [...transducer.push({ kind: "text", text })]);
  return joinEvents([...events, ...transducer.end(how)]);
}

/** The events in a word each: `name{"key":"value"}`, `"text"`, `(reasoning)`, the kind of a violation. */
export function gist(events: readonly Confirmed[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === "ready") return event.call.name + JSON.stringify(event.call.arguments);
    if (event.kind === "text") return JSON.stringify(event.text);
    if (event.kind === "reasoning") return `(${event.text})`;
    return event.kind === "violation" ? event.violation.kind : [];
  });
}

export const OPEN = "<minimax:tool_call>";
export const CLOSE = "</minimax:tool_call>";
export const block = (...invokes: string[]) => `${OPEN}\n${invokes.join("\n")}\n${CLOSE}`;
export const list = '<invoke name="list"></invoke>';
export const one = (value: string) =>
  `<invoke name="f"><parameter name="v">${value}</parameter></invoke>`;

/**
 * Experiment C (SPEC 9): where in a recorded stream its calls become executable, for each way of writing them.
 *
 * A recorded stream is read as it was spoken: in the native protocols, or in the text protocol of its calls. Its calls, with its text before them, are also written in each text
 * protocol and as bare JSON ("re-encoded"), so that all stand side by side on the same work. Every byte prefix of every one of
 * these is tried.
 */
import { createStreamReading, createTextReading, type Language } from "../agent/reading.ts";
import { createProtocol } from "../protocol/mod.ts";
import { DEFAULT_LIMITS } from "../protocol/protocol.ts";
import type { Delta, ProtocolName, ToolCall } from "../vocab.ts";
import { createJsonFrames, encodeJsonFrames } from "./json_frames.ts";
import { type Checked, checkPrefixes, type Stream } from "./prefixes.ts";

/** A way of writing calls that is compared. */
export type Way = ProtocolName | "json-whole" | "json-object";

/** All of them, in the order of tables and legends. */
export const WAYS: readonly Way[] = [
  "ctl",
  "ctl-heredoc",
  "json-object",
  "json-whole",
  "xml",
  "native-inc",
  "native-eos",
];

/** The shares of a stream, in percent, at which its executable calls are counted. */
export const POINTS = [25, 50, 75, 90, 100] as const;

/** The line ends that close an event of an event stream. */
const SSE_FRAMING = "\r\n\r\n".length;

/** One stream in one way of writing. */
export interface Measured {
  readonly stream: string;
  readonly way: Way;
  readonly reencoded: boolean;
  readonly bytes: number;
  readonly calls: number;
  /** Bytes after which each call is executable, rising. */
  readonly at: readonly number[];
  readonly pendingMax: number;
  readonly prefixes: number;
  readonly fresh: number;
}

/** A message as it is written again: its text, then its calls. */
export interface Script {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** Measures a recorded stream in every way. Throws `Unfaithful` where S1–S4 fail. */
export function measureRecording(stream: string, bytes: Uint8Array): readonly Measured[] {
  const native = (["native-inc", "native-eos"] as const).map((way) => readAs(way, bytes));
  const spoken = native.some((one) => one.checked.calls.length > 0)
    ? native
    : (["ctl", "xml"] as const).map((way) => readAs(way, bytes))
      .filter((one) => one.checked.calls.length > 0);
  const recorded = (spoken.length > 0 ? spoken : native).map(({ way, checked }) =>
    measured(checked, { stream, way, reencoded: false, bytes: bytes.length })
  );
  const whole = spoken.at(-1) ?? native[1]!;
  const script = { text: textOf(whole.way, bytes), calls: whole.checked.calls };
  return [...measureScript(stream, script), ...recorded];
}

/** A recorded stream as one of the protocols reads it. */
function readAs(way: ProtocolName, bytes: Uint8Array): { way: ProtocolName; checked: Checked } {
  const protocol = createProtocol(way)!;
  const open = () => createStreamReading(protocol, DEFAULT_LIMITS);
  return { way, checked: checkPrefixes({ bytes, open, framing: SSE_FRAMING }) };
}

/**
 * Measures a message in every way of writing calls in text. A form in which these calls can't follow this text is left
 * out. Throws `Unfaithful` where S1–S4 fail.
 */
export function measureScript(stream: string, script: Script): readonly Measured[] {
  return WAYS.flatMap((way) => {
    const written = writeScript(way, script);
    if (written === undefined || written.bytes.length === 0) return [];
    const checked = checkPrefixes(written);
    // The text around the calls may hold marks that change what this form reads: then there's nothing to compare.
    if (checked.calls.length !== script.calls.length) return [];
    const length = written.bytes.length;
    return [measured(checked, { stream, way, reencoded: true, bytes: length })];
  });
}

function measured(
  { calls, at, pendingMax, prefixes, fresh }: Checked,
  what: Pick<Measured, "stream" | "way" | "reencoded" | "bytes">,
): Measured {
  return { ...what, calls: calls.length, at, pendingMax, prefixes, fresh };
}

/** A message as text, and the language that it's written in. */
export interface Written extends Stream {
  readonly language: Language;
}

/** The message as text in that way; undefined for the native protocols, whose calls don't stand in text. */
export function writeScript(way: Way, { text, calls }: Script): Written | undefined {
  if (way === "native-eos" || way === "native-inc") return undefined;
  const { language, encode } = languageOf(way);
  const encoder = new TextEncoder();
  const sizeOf = (count: number) =>
    encoder.encode(joined(encode(text, calls.slice(0, count)))).length;
  const bytes = encoder.encode(joined(encode(text, calls)));
  const atEnd = way === "xml" || way === "json-whole";
  // The last newline isn't needed at a complete end, and JSON closes its list after the object.
  const slack = way === "json-object" ? "]}\n".length : 0;
  return {
    bytes,
    language,
    framing: 0,
    open: () => createTextReading(language, DEFAULT_LIMITS, { eager: true }),
    earliest: calls.map((_, i) => atEnd ? bytes.length - 1 : sizeOf(i + 1) - slack),
  };
}

function languageOf(way: Exclude<Way, "native-eos" | "native-inc">): {
  readonly language: Language;
  encode(text: string, calls: readonly ToolCall[]): readonly Delta[];
} {
  if (way === "json-whole" || way === "json-object") {
    const language = { createTransducer: () => createJsonFrames(way === "json-object") };
    return { language, encode: encodeJsonFrames };
  }
  const protocol = createProtocol(way)!;
  return { language: protocol, encode: (text, calls) => protocol.encode(text, calls) };
}

function joined(deltas: readonly Delta[]): string {
  return deltas.map((delta) => delta.kind === "text" ? delta.text : "").join("");
}

/** What a recorded stream says beside its calls. */
function textOf(way: ProtocolName, bytes: Uint8Array): string {
  const reading = createStreamReading(createProtocol(way)!, DEFAULT_LIMITS);
  return [...reading.push(bytes), ...reading.end()]
    .map((event) => event.kind === "text" ? event.text : "").join("");
}

/** How many of the calls are executable when `percent` of the stream's bytes are there. */
export function executableAt({ at, bytes }: Measured, percent: number): number {
  return at.filter((place) => place <= Math.floor(bytes * percent / 100)).length;
}

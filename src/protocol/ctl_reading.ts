/** What the states of the CTL parser share: the place in the stream, the line that isn't whole, the events. */
import type { Violation, ViolationKind } from "../vocab.ts";
import type { Limits } from "./protocol.ts";
import type { Utf8Slice } from "../text/utf8.ts";
import { createHeldLine, type HeldLine } from "../text/held_line.ts";

/** What bytes have made certain. `bytes` are views of the slice that was pushed: take them before it changes. */
export type CtlEvent =
  | { readonly kind: "prose"; readonly bytes: Uint8Array }
  | { readonly kind: "reasoning"; readonly bytes: Uint8Array }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly at: number }
  | {
    readonly kind: "arg";
    readonly key: string;
    readonly form: "length" | "inline" | "heredoc";
    readonly at: number;
  }
  /** A run of the value of the last `arg`. */
  | { readonly kind: "body"; readonly bytes: Uint8Array }
  /** The value is whole; an empty one has no `body`. */
  | { readonly kind: "body_end" }
  /** The call is executable. */
  | { readonly kind: "end"; readonly at: number }
  | { readonly kind: "violation"; readonly violation: Violation }
  | { readonly kind: "stop"; readonly at: number };

/** Eats a run of the slice from `at` and returns where the next state goes on. */
export type State = (slice: Uint8Array, at: number) => number;

/** What becomes of a line: `whole` gets it without its newline, `tooLong` the offset past the byte that was too many. */
export interface LineUse {
  whole(line: Uint8Array, end: number): void;
  tooLong(at: number): void;
}

/** The shared part of one message's reading. */
export interface CtlReading {
  readonly limits: Limits;
  readonly line: HeldLine;
  /** The state that reads on. */
  state: State;
  /** The offset of the slice that is being read; between slices, of all that was read. */
  base: number;
  /** The offset up to which the text stands (SPEC 2.7). */
  settled: number;
  /** Whether nothing more is read: after a violation or a stop. */
  readonly closed: boolean;
  emit(event: CtlEvent): void;
  newlineAt(slice: Uint8Array, at: number): number;
  /** Where the first line at or after `at` begins that is exactly `word`, or that isn't whole; undefined if the slice isn't text. */
  skipLines(word: string, at: number): number | undefined;
  /** Takes the rest of a line. */
  readLine(slice: Uint8Array, at: number, use: LineUse): number;
  violate(kind: ViolationKind, message: string, at: number, id?: string): void;
  stop(at: number): void;
  read(slice: Utf8Slice): void;
  drain(): readonly CtlEvent[];
}

export const NONE = new Uint8Array(0);
export const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const NEWLINE = Uint8Array.of(LF);

/** A reading that begins in the state `first`. */
export function createCtlReading(limits: Limits, first: State): CtlReading {
  const line = createHeldLine();
  let events: CtlEvent[] = [];
  /** The slice as text if it is all ASCII, so that both have the same places. */
  let ascii: string | undefined;

  function close(): void {
    line.clear();
    reading.state = closed;
  }

  const reading: CtlReading = {
    limits,
    line,
    state: first,
    base: 0,
    settled: 0,
    get closed() {
      return reading.state === closed;
    },
    emit(event) {
      events.push(event);
    },
    // Text is searched four times as fast as bytes.
    newlineAt(slice, at) {
      return ascii === undefined ? slice.indexOf(LF, at) : ascii.indexOf("\n", at);
    },
    skipLines(word, at) {
      if (ascii === undefined) return undefined;
      if (ascii.startsWith(word + "\n", at)) return at;
      const newline = ascii.indexOf("\n" + word + "\n", at);
      return newline < 0 ? Math.max(at, ascii.lastIndexOf("\n") + 1) : newline + 1;
    },
    readLine(slice, at, use) {
      const newline = reading.newlineAt(slice, at);
      const end = newline < 0 ? slice.length : newline;
      const room = limits.line - line.length;
      if (end - at > room) {
        use.tooLong(reading.base + at + room + 1);
        return slice.length;
      }
      if (newline < 0) line.append(slice.subarray(at));
      else use.whole(line.take(slice.subarray(at, newline)), reading.base + newline + 1);
      return end === newline ? newline + 1 : end;
    },
    violate(kind, message, at, id) {
      const open = id === undefined ? {} : { id };
      events.push({ kind: "violation", violation: { kind, message, at, ...open } });
      close();
    },
    stop(at) {
      events.push({ kind: "stop", at });
      close();
    },
    read({ text, bytes }) {
      ascii = text.length === bytes.length ? text : undefined;
      let at = 0;
      while (at < bytes.length) at = reading.state(bytes, at);
      reading.base += bytes.length;
    },
    drain() {
      const drained = events;
      events = [];
      return drained;
    },
  };
  return reading;
}

function closed(slice: Uint8Array): number {
  return slice.length;
}

/** Emits a line and its newline. */
export function emitLine(reading: CtlReading, kind: "prose" | "body", line: Uint8Array): void {
  reading.emit({ kind, bytes: line });
  reading.emit({ kind, bytes: NEWLINE });
}

export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR || byte === LF;
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** UTF-8 as text, a BOM kept. */
export function textOf(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

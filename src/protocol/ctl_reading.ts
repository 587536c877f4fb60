/** What the states of the CTL parser share: the place in the stream, the line that isn't whole, the events. */
import type { Violation, ViolationKind } from "../vocab.ts";
import type { Limits } from "./protocol.ts";
import type { Utf8Slice } from "../text/utf8.ts";
import { createHeldLine, type HeldLine } from "../text/held_line.ts";

/** A run of the stream. `bytes` is a view of the slice that was pushed: take it before that changes. */
export interface Run {
  readonly bytes: Uint8Array;
  /** The same as text, where that was at hand. */
  readonly text?: string | undefined;
}

type RunKind = "prose" | "reasoning" | "body";

/** What bytes have made certain. */
export type CtlEvent =
  | Run & { readonly kind: "prose" }
  | Run & { readonly kind: "reasoning" }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly at: number }
  | {
    readonly kind: "arg";
    readonly key: string;
    readonly form: "length" | "inline" | "heredoc";
    readonly at: number;
  }
  /** A run of the value of the last `arg`. */
  | Run & { readonly kind: "body" }
  /** The value is whole; an empty one has no `body`. */
  | { readonly kind: "body_end" }
  /** The call is executable. */
  | { readonly kind: "end"; readonly at: number }
  | { readonly kind: "violation"; readonly violation: Violation }
  | { readonly kind: "stop"; readonly at: number };

/** Eats a run of the slice from `at` and returns where the next state goes on. */
export type State = (slice: Uint8Array, at: number) => number;

/** A whole line without its newline. */
export interface CtlLine {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** What becomes of a line: `whole` gets it without its newline, `tooLong` the offset past the byte that was too many. */
export interface LineUse {
  whole(line: CtlLine, end: number): void;
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
  /** Emits the bytes of the slice from `at` to `end`, if there are any. */
  emitRun(kind: RunKind, slice: Uint8Array, range: { at: number; end: number }): void;
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
    emitRun(kind, slice, { at, end }) {
      if (end > at) {
        events.push({ kind, bytes: slice.subarray(at, end), text: ascii?.slice(at, end) });
      }
    },
    // Text is searched four times as fast as bytes.
    newlineAt(slice, at) {
      return ascii === undefined ? slice.indexOf(LF, at) : ascii.indexOf("\n", at);
    },
    skipLines(word, at) {
      if (ascii === undefined) return undefined;
      // A search looks for the first character of what it wants: a newline would be found once a line.
      const wanted = word + "\n";
      let found = ascii.indexOf(wanted, at);
      while (found > at && ascii.charCodeAt(found - 1) !== LF) {
        found = ascii.indexOf(wanted, found + 1);
      }
      return found < 0 ? Math.max(at, ascii.lastIndexOf("\n") + 1) : found;
    },
    readLine(slice, at, use) {
      const newline = reading.newlineAt(slice, at);
      const end = newline < 0 ? slice.length : newline;
      const room = limits.line - line.length;
      if (end - at > room) {
        use.tooLong(reading.base + at + room + 1);
        return slice.length;
      }
      if (newline < 0) {
        line.append(slice.subarray(at));
        return end;
      }
      const text = line.length === 0 ? ascii?.slice(at, newline) : undefined;
      const bytes = line.take(slice.subarray(at, newline));
      use.whole({ bytes, text: text ?? textOf(bytes) }, reading.base + newline + 1);
      return newline + 1;
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

/** The line that the stream ends in; nothing is held any more. */
export function takeLastLine(line: HeldLine): CtlLine {
  const bytes = line.take(NONE);
  return { bytes, text: textOf(bytes) };
}

/** Emits a line and its newline. */
export function emitLine(reading: CtlReading, kind: "prose" | "body", line: CtlLine): void {
  reading.emit({ kind, ...line });
  reading.emit({ kind, bytes: NEWLINE, text: "\n" });
}

/** Whether the byte is a space, a tab or part of a line's end. */
export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR || byte === LF;
}

/** The text in UTF-8. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** UTF-8 as text, a BOM kept. */
function textOf(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

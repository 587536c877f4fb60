/**
 * The byte core of CTL (SPEC 2): bytes in, confirmed events out, nothing kept but the line that isn't whole.
 *
 * ```text
 * message  = (prose | frame)*                 after the first frame only frames, blank lines and lone code fences
 * frame    = "call" id name LF (argument | blank)* "end" LF
 * argument = "arg" key nbytes LF nbytes-bytes | "arg" key value LF | "arg" key "<<" TAG LF (line LF)* TAG LF
 * ```
 *
 * Each state eats a run of the slice from `at` and returns where the next one goes on.
 */
import type { StreamEnd, Violation, ViolationKind } from "../vocab.ts";
import type { Limits } from "./protocol.ts";
import type { Utf8Slice } from "../text/utf8.ts";
import { createHeldLine } from "../text/held_line.ts";
import { readArgHeader, readCallHeader, trimHeader } from "./ctl_header.ts";
import {
  type ArgumentState,
  argumentTooLarge,
  bodyCutShort,
  callNotClosed,
  headerCutShort,
  heredocNotClosed,
  lineTooLong,
  unexpectedLine,
} from "./ctl_faults.ts";
import { THINK_CLOSE, THINK_OPEN } from "./think.ts";

/** What bytes have made certain. `bytes` are views of the slice that was pushed: take them before it changes. */
export type CtlEvent =
  | { readonly kind: "prose"; readonly bytes: Uint8Array }
  | { readonly kind: "reasoning"; readonly bytes: Uint8Array }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly at: number }
  | {
    readonly kind: "arg";
    readonly key: string;
    readonly form: ArgumentState["form"];
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

/** Reads one message of CTL. */
export interface CtlParser {
  push(slice: Utf8Slice): readonly CtlEvent[];
  end(how: StreamEnd): readonly CtlEvent[];
  /** Bytes of the line that isn't whole: never more than `limits.line` (S5). */
  readonly pending: number;
  /** The offset up to which the text stands: the end of the last confirmed call, before any call the end of the prose. */
  readonly settled: number;
}

type State = (slice: Uint8Array, at: number) => number;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const bytesOf = (text: string) => new TextEncoder().encode(text);
const NONE = new Uint8Array(0);
const CALL = bytesOf("call");
const OPEN = bytesOf(THINK_OPEN);
const CLOSE = bytesOf(THINK_CLOSE);
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const BACKTICK = 0x60;
const LESS = 0x3c;
const FENCE = /^[ \t]*```[^\s`]*$/;

/** A parser for one message within `limits`. */
export function createCtlParser(limits: Limits): CtlParser {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The offset of the slice that is being read; after it, of all that was read. */
  let base = 0;
  /** The slice as text if it is all ASCII, so that both have the same places. */
  let ascii: string | undefined;
  let events: CtlEvent[] = [];
  let state: State = lineStart;
  let settled = 0;
  /** The line that isn't whole. */
  const line = createHeldLine();
  /** How much of `CALL`, `OPEN` or `CLOSE` was seen, and which one it is. */
  let matched = 0;
  let wanted = CALL;
  const ids = new Set<string>();
  let confirmed = 0;
  /** The call whose frame is open. */
  let call: string | undefined;
  const keys = new Set<string>();
  let argument: Mutable<ArgumentState> | undefined;
  let tag = NONE;

  // Outside of frames ----------------------------------------------------------------------------

  // "Prose.\ncall c1 run\n…"
  //  ^       ^
  function lineStart(slice: Uint8Array, at: number): number {
    const byte = slice[at];
    if (byte !== CALL[0] && byte !== LESS) state = prose;
    else match(byte === LESS ? OPEN : CALL);
    return at;
  }

  function match(word: Uint8Array<ArrayBuffer>): void {
    wanted = word;
    matched = 0;
    state = opening;
  }

  // "Prose.\nstill prose\n"
  //  ^
  function prose(slice: Uint8Array, at: number): number {
    let newline = newlineAt(slice, at);
    while (newline >= 0) {
      const next = slice[newline + 1];
      if (next === undefined || next === CALL[0] || next === LESS) {
        state = lineStart;
        return emitProse(slice, at, newline + 1);
      }
      newline = newlineAt(slice, newline + 1);
    }
    return emitProse(slice, at, slice.length);
  }

  function emitProse(slice: Uint8Array, at: number, end: number): number {
    events.push({ kind: "prose", bytes: slice.subarray(at, end) });
    settled = base + end;
    return end;
  }

  // "call c1 run\n"     "<think>Hm.</think>"
  //  ^~~~                ^~~~~~~
  function opening(slice: Uint8Array, at: number): number {
    while (at < slice.length && matched < wanted.length && slice[at] === wanted[matched]) {
      at++;
      matched++;
    }
    if (matched === OPEN.length) {
      matched = 0;
      state = thinking;
    } else if (at < slice.length) {
      if (wanted === CALL && matched === CALL.length && isBlank(slice[at]!)) {
        line.append(CALL);
        state = callLine;
      } else if (confirmed > 0) return stop(base + at + 1, slice);
      else {
        events.push({ kind: "prose", bytes: wanted.subarray(0, matched) });
        settled = base + at;
        state = prose;
      }
      matched = 0;
    }
    return at;
  }

  // "<think>Hm.</think>Yes"
  //         ^
  function thinking(slice: Uint8Array, at: number): number {
    if (matched === 0) {
      const less = slice.indexOf(LESS, at);
      const end = less < 0 ? slice.length : less;
      if (end > at) events.push({ kind: "reasoning", bytes: slice.subarray(at, end) });
      if (less < 0) return end;
      matched = 1;
      return less + 1;
    }
    if (slice[at] !== CLOSE[matched]) {
      events.push({ kind: "reasoning", bytes: CLOSE.subarray(0, matched) });
      matched = 0;
      return at;
    }
    matched++;
    if (matched === CLOSE.length) {
      matched = 0;
      state = confirmed > 0 ? afterCall : lineStart;
    }
    return at + 1;
  }

  // "call c1 run\n"
  //      ^
  function callLine(slice: Uint8Array, at: number): number {
    return readLine(slice, at, settleCallLine);
  }

  function settleCallLine(bytes: Uint8Array, end: number, newline: boolean): void {
    const header = readCallHeader(decoder.decode(bytes));
    if (header.kind === "bad") return violate("bad_call", header.message, end);
    if (header.kind === "call") return openCall(header.id, header.name, end);
    if (confirmed > 0) return void stop(end);
    events.push({ kind: "prose", bytes });
    if (newline) events.push({ kind: "prose", bytes: Uint8Array.of(LF) });
    settled = end;
    state = lineStart;
  }

  // "end\n\n```\ncall c2 run\n"     "end\nThe result is"
  //       ^  ^   ^                        ^
  function afterCall(slice: Uint8Array, at: number): number {
    const byte = slice[at]!;
    if (byte === LESS) match(OPEN);
    else if (byte === CALL[0]) match(CALL);
    else if (byte === BACKTICK || isBlank(byte)) state = betweenCalls;
    else return stop(base + at + 1, slice);
    return at;
  }

  function betweenCalls(slice: Uint8Array, at: number): number {
    return readLine(slice, at, settleBetweenCalls);
  }

  function settleBetweenCalls(bytes: Uint8Array, end: number): void {
    const text = trimHeader(decoder.decode(bytes));
    if (text === "" || FENCE.test(text)) state = afterCall;
    else stop(end);
  }

  // Inside a frame -------------------------------------------------------------------------------

  function openCall(id: string, name: string, at: number): void {
    if (ids.has(id)) {
      const advice = "every call of a message needs an id of its own";
      return violate("bad_call", `the call id "${id}" was used before: ${advice}`, at);
    }
    ids.add(id);
    keys.clear();
    call = id;
    argument = undefined;
    events.push({ kind: "call", id, name, at });
    state = frameLine;
  }

  // "call c1 run\narg command 2\nls\nend\n"
  //               ^               ^ ^
  function frameLine(slice: Uint8Array, at: number): number {
    return readLine(slice, at, settleFrameLine);
  }

  function settleFrameLine(bytes: Uint8Array, end: number): void {
    const text = decoder.decode(bytes);
    const header = trimHeader(text);
    if (header === "") return;
    if (header === "end") closeCall(end);
    else if (/^arg(?:[ \t]|$)/.test(header)) openArgument(text, bytes, end);
    else violate("unexpected_line", unexpectedLine(call!, text, argument), end);
  }

  function closeCall(at: number): void {
    events.push({ kind: "end", at });
    confirmed++;
    settled = at;
    call = undefined;
    argument = undefined;
    state = afterCall;
  }

  function openArgument(text: string, bytes: Uint8Array, at: number): void {
    const header = readArgHeader(text);
    if (header.kind === "bad") return violate("bad_arg", header.message, at);
    const { key } = header;
    if (keys.has(key)) {
      return violate("bad_arg", `argument "${key}" is given twice in call "${call}"`, at);
    }
    if (keys.size >= limits.argumentsPerCall) {
      const message = `call "${call}" has more than ${limits.argumentsPerCall} arguments`;
      return violate("limit", message, at);
    }
    const value = header.kind === "inline" ? bytes.subarray(header.valueAt) : NONE;
    const declared = header.kind === "length" ? header.bytes : value.length;
    if (declared > limits.argument) {
      return violate("limit", argumentTooLarge(key, declared, limits.argument), at);
    }
    keys.add(key);
    const closing = header.kind === "heredoc" ? header.tag : "";
    argument = { key, form: header.kind, declared, tag: closing, seen: value.length };
    events.push({ kind: "arg", key, form: header.kind, at });
    if (header.kind === "heredoc") {
      tag = bytesOf(closing);
      state = heredoc;
    } else if (header.kind === "length" && declared > 0) state = counted;
    else {
      if (value.length > 0) events.push({ kind: "body", bytes: value });
      events.push({ kind: "body_end" });
    }
  }

  // "arg text 5\nhello\nend\n"
  //              ^
  function counted(slice: Uint8Array, at: number): number {
    const { declared, seen } = argument!;
    const end = Math.min(slice.length, at + declared - seen);
    emitBody(slice, at, end);
    if (argument!.seen === declared) closeArgument();
    return end;
  }

  // "arg text <<EOF\nhello\nEOF\nend\n"
  //                  ^
  function heredoc(slice: Uint8Array, at: number): number {
    if (line.length > 0) return readLine(slice, at, settleHeredocLine);
    const room = at + limits.argument - argument!.seen;
    let from = at;
    for (;;) {
      const newline = newlineAt(slice, from);
      // What follows is the tag, isn't whole, is too long, or more than the argument may have.
      if (newline < 0 || newline >= room || newline - from > limits.line) break;
      if (newline - from === tag.length && startsWith(slice, from, tag)) break;
      from = newline + 1;
    }
    emitBody(slice, at, from);
    return from < slice.length ? readLine(slice, from, settleHeredocLine) : from;
  }

  function settleHeredocLine(bytes: Uint8Array, end: number): void {
    if (isTag(bytes)) return closeArgument();
    const { key, seen } = argument!;
    const size = seen + bytes.length + 1;
    if (size > limits.argument) {
      return violate("limit", argumentTooLarge(key, size, limits.argument), end);
    }
    events.push({ kind: "body", bytes }, { kind: "body", bytes: Uint8Array.of(LF) });
    argument!.seen = size;
  }

  function emitBody(slice: Uint8Array, at: number, end: number): void {
    if (end > at) events.push({ kind: "body", bytes: slice.subarray(at, end) });
    argument!.seen += end - at;
  }

  function closeArgument(): void {
    events.push({ kind: "body_end" });
    state = frameLine;
  }

  function isTag(bytes: Uint8Array): boolean {
    return bytes.length === tag.length && startsWith(bytes, 0, tag);
  }

  // Lines, and the ways out ----------------------------------------------------------------------

  type Settle = (bytes: Uint8Array, end: number, newline: boolean) => void;

  /** The next newline or -1: text is searched four times as fast as bytes. */
  function newlineAt(slice: Uint8Array, at: number): number {
    return ascii === undefined ? slice.indexOf(LF, at) : ascii.indexOf("\n", at);
  }

  /** Takes the rest of a line; `settle` gets it when it is whole. */
  function readLine(slice: Uint8Array, at: number, settle: Settle): number {
    const newline = newlineAt(slice, at);
    const end = newline < 0 ? slice.length : newline;
    const room = limits.line - line.length;
    if (end - at > room) {
      if (state === betweenCalls) return stop(base + at + room + 1, slice);
      violate("line_too_long", lineTooLong(limits.line, argument), base + at + room + 1);
      return slice.length;
    }
    if (newline < 0) line.append(slice.subarray(at));
    else settle(line.take(slice.subarray(at, newline)), base + newline + 1, true);
    return newline < 0 ? slice.length : newline + 1;
  }

  function violate(kind: ViolationKind, message: string, at: number): void {
    const open = call === undefined ? {} : { id: call };
    events.push({ kind: "violation", violation: { kind, message, at, ...open } });
    close();
  }

  function stop(at: number, slice: Uint8Array = NONE): number {
    events.push({ kind: "stop", at });
    close();
    return slice.length;
  }

  function close(): void {
    line.clear();
    matched = 0;
    call = undefined;
    state = closed;
  }

  function closed(slice: Uint8Array): number {
    return slice.length;
  }

  // The end of the stream ------------------------------------------------------------------------

  /** A complete stream's last line counts as a line without its `\n` (EOF sufficiency, SPEC 2.5). */
  function settleLastLine(): void {
    if (state === opening) settleOpening();
    else if (state === thinking && matched > 0) {
      events.push({ kind: "reasoning", bytes: CLOSE.subarray(0, matched) });
    } else if (line.length === 0) return;
    else if (state === heredoc) {
      if (isTag(line.take(NONE))) closeArgument();
    } else if (state === callLine) settleCallLine(line.take(NONE), base, false);
    else if (state === betweenCalls) {
      if (!/^\s*(?:```[^\s`]*)?\s*$/.test(decoder.decode(line.take(NONE)))) stop(base);
    } else settleFrameLine(line.take(NONE), base);
  }

  function settleOpening(): void {
    if (wanted === CALL && matched === CALL.length) settleCallLine(CALL, base, false);
    else if (confirmed > 0) stop(base);
    else {
      events.push({ kind: "prose", bytes: wanted.subarray(0, matched) });
      settled = base;
    }
    matched = 0;
  }

  /** A cut stream's last line is no line; what can no longer be a header is prose all the same. */
  function dropLastLine(): void {
    if (state === opening && confirmed === 0) {
      events.push({ kind: "prose", bytes: wanted.subarray(0, matched) });
      settled = base;
    } else if (state === thinking && matched > 0) {
      events.push({ kind: "reasoning", bytes: CLOSE.subarray(0, matched) });
    } else if (state === callLine) dropCallLine(line.take(NONE));
  }

  function dropCallLine(bytes: Uint8Array): void {
    const text = decoder.decode(bytes);
    if (readCallHeader(text).kind !== "prose") violate("call_eof", headerCutShort(text), base);
    else if (confirmed === 0) {
      events.push({ kind: "prose", bytes });
      settled = base;
    }
  }

  function settleOpenCall(): void {
    if (call === undefined) return;
    if (state === counted) violate("body_eof", bodyCutShort(argument!), base);
    else if (state === heredoc) violate("heredoc_eof", heredocNotClosed(argument!), base);
    else violate("call_eof", callNotClosed(call, keys.size), base);
  }

  function drain(): readonly CtlEvent[] {
    const drained = events;
    events = [];
    return drained;
  }

  return {
    push({ text, bytes }) {
      ascii = text.length === bytes.length ? text : undefined;
      let at = 0;
      while (at < bytes.length) at = state(bytes, at);
      base += bytes.length;
      return drain();
    },
    end(how) {
      if (how === "complete") settleLastLine();
      else dropLastLine();
      settleOpenCall();
      close();
      return drain();
    },
    get pending() {
      return line.length + matched;
    },
    get settled() {
      return settled;
    },
  };
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR || byte === LF;
}

function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

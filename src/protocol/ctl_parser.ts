/**
 * The byte core of CTL (SPEC 2): bytes in, confirmed events out, nothing kept but the line that isn't whole.
 *
 * ```text
 * message = (prose | reasoning | frame)*     after the first frame no prose, but blank lines and lone code fences
 * ```
 *
 * The inside of a frame is read in `ctl_frame.ts`; here is what stands outside.
 */
import type { StreamEnd } from "../vocab.ts";
import type { Limits } from "./protocol.ts";
import type { Utf8Slice } from "../text/utf8.ts";
import { createCtlFrame } from "./ctl_frame.ts";
import { headerCutShort, lineTooLong } from "./ctl_faults.ts";
import { readCallHeader, trimHeader } from "./ctl_header.ts";
import {
  bytesOf,
  createCtlReading,
  type CtlEvent,
  type CtlLine,
  emitLine,
  isBlank,
  type LineUse,
  takeLastLine,
} from "./ctl_reading.ts";
import { THINK_CLOSE, THINK_OPEN } from "./think.ts";

/** Reads one message of CTL. */
export interface CtlParser {
  push(slice: Utf8Slice): readonly CtlEvent[];
  end(how: StreamEnd): readonly CtlEvent[];
  /** Bytes of the line that isn't whole: never more than `limits.line` (S5). */
  readonly pending: number;
  /** The offset up to which the text stands: the end of the last confirmed call, before any call the end of the prose. */
  readonly settled: number;
}

const CALL = bytesOf("call");
const OPEN = bytesOf(THINK_OPEN);
const CLOSE = bytesOf(THINK_CLOSE);
const BACKTICK = 0x60;
const LESS = 0x3c;
const FENCE = /^[ \t]*```[^\s`]*$/;

/** A parser for one message within `limits`. */
export function createCtlParser(limits: Limits): CtlParser {
  const reading = createCtlReading(limits, lineStart);
  const frame = createCtlFrame(reading, afterFrame);
  const { line } = reading;
  /** How much of `CALL`, `OPEN` or `CLOSE` was seen, and which of the first two it is. */
  let matched = 0;
  let wanted = CALL;
  /** Whether a call was confirmed: from then on prose ends the reading (SPEC 2.7). */
  let called = false;

  function afterFrame(at: number): void {
    called = true;
    reading.settled = at;
    reading.state = afterCall;
  }

  // "Prose.\ncall c1 run\n…"
  //  ^       ^
  function lineStart(slice: Uint8Array, at: number): number {
    const byte = slice[at];
    if (byte === CALL[0] || byte === LESS) match(byte === LESS ? OPEN : CALL);
    else reading.state = prose;
    return at;
  }

  function match(word: Uint8Array<ArrayBuffer>): void {
    wanted = word;
    matched = 0;
    reading.state = opening;
  }

  // "Prose.\nstill prose\n"
  //  ^
  function prose(slice: Uint8Array, at: number): number {
    let newline = reading.newlineAt(slice, at);
    while (newline >= 0) {
      const next = slice[newline + 1];
      if (next === undefined || next === CALL[0] || next === LESS) {
        reading.state = lineStart;
        return emitProse(slice, at, newline + 1);
      }
      newline = reading.newlineAt(slice, newline + 1);
    }
    return emitProse(slice, at, slice.length);
  }

  function emitProse(slice: Uint8Array, at: number, end: number): number {
    reading.emitRun("prose", slice, { at, end });
    reading.settled = reading.base + end;
    return end;
  }

  // "call c1 run\n"     "<think>Hm.</think>"
  //  ^~~~                ^~~~~~~
  function opening(slice: Uint8Array, at: number): number {
    while (at < slice.length && matched < wanted.length && slice[at] === wanted[matched]) {
      at++;
      matched++;
    }
    if (wanted === OPEN && matched === OPEN.length) reading.state = thinking;
    else if (at === slice.length) return at;
    else if (wanted === CALL && matched === CALL.length && isBlank(slice[at]!)) {
      line.append(CALL);
      reading.state = callLine;
    } else if (called) reading.stop(reading.base + at + 1);
    else {
      settleOpeningAsProse(reading.base + at);
      reading.state = prose;
    }
    matched = 0;
    return at;
  }

  function settleOpeningAsProse(end: number): void {
    reading.emit({ kind: "prose", bytes: wanted.subarray(0, matched) });
    reading.settled = end;
  }

  // "<think>Hm.</think>Yes"
  //         ^
  function thinking(slice: Uint8Array, at: number): number {
    if (matched === 0) {
      const less = slice.indexOf(LESS, at);
      const end = less < 0 ? slice.length : less;
      reading.emitRun("reasoning", slice, { at, end });
      if (less < 0) return end;
      matched = 1;
      return less + 1;
    }
    if (slice[at] !== CLOSE[matched]) {
      emitHalfClose();
      return at;
    }
    matched++;
    if (matched === CLOSE.length) {
      matched = 0;
      reading.state = called ? afterCall : lineStart;
    }
    return at + 1;
  }

  function emitHalfClose(): void {
    if (matched > 0) reading.emit({ kind: "reasoning", bytes: CLOSE.subarray(0, matched) });
    matched = 0;
  }

  // "call c1 run\n"
  //      ^
  function callLine(slice: Uint8Array, at: number): number {
    return reading.readLine(slice, at, callUse);
  }

  const callUse: LineUse = {
    whole(header, end) {
      if (openCall(header.text, end)) return;
      emitLine(reading, "prose", header);
      reading.settled = end;
      reading.state = lineStart;
    },
    tooLong: (at) => reading.violate("line_too_long", lineTooLong(limits.line, undefined), at),
  };

  /** Whether the line was no prose that the reader may still show. */
  function openCall(text: string, end: number): boolean {
    const header = readCallHeader(text);
    if (header.kind === "bad") reading.violate("bad_call", header.message, end);
    else if (header.kind === "call") frame.open(header.id, header.name, end);
    else if (called) reading.stop(end);
    else return false;
    return true;
  }

  // "end\n\n```\ncall c2 run\n"     "end\nThe result is"
  //       ^  ^   ^                        ^
  function afterCall(slice: Uint8Array, at: number): number {
    const byte = slice[at]!;
    if (byte === LESS) match(OPEN);
    else if (byte === CALL[0]) match(CALL);
    else if (byte === BACKTICK || isBlank(byte)) reading.state = betweenCalls;
    else reading.stop(reading.base + at + 1);
    return at;
  }

  function betweenCalls(slice: Uint8Array, at: number): number {
    return reading.readLine(slice, at, betweenUse);
  }

  const betweenUse: LineUse = {
    whole({ text }, end) {
      const word = trimHeader(text);
      if (word === "" || FENCE.test(word)) reading.state = afterCall;
      else reading.stop(end);
    },
    tooLong: (at) => reading.stop(at),
  };

  /** A complete stream's last line counts as a line without its newline (EOF sufficiency, SPEC 2.5). */
  function settleLastLine(): void {
    const { base, state } = reading;
    if (state === opening) settleLastOpening();
    else if (state === thinking) emitHalfClose();
    else if (state === callLine) settleLastCall(takeLastLine(line));
    else if (state === betweenCalls) betweenUse.whole(takeLastLine(line), base);
    else frame.settleLastLine();
  }

  function settleLastOpening(): void {
    if (wanted === CALL && matched === CALL.length) settleLastCall({ bytes: CALL, text: "call" });
    else if (called) reading.stop(reading.base);
    else settleOpeningAsProse(reading.base);
  }

  function settleLastCall(last: CtlLine): void {
    if (!openCall(last.text, reading.base)) emitLast(last);
  }

  function emitLast(last: CtlLine): void {
    reading.emit({ kind: "prose", ...last });
    reading.settled = reading.base;
  }

  /** A cut stream's last line is no line; what can no longer be a header is prose all the same. */
  function dropLastLine(): void {
    if (reading.state === opening && !called) settleOpeningAsProse(reading.base);
    else if (reading.state === thinking) emitHalfClose();
    else if (reading.state === callLine) dropCallLine(takeLastLine(line));
  }

  function dropCallLine(last: CtlLine): void {
    const { text } = last;
    if (readCallHeader(text).kind !== "prose") {
      reading.violate("call_eof", headerCutShort(text), reading.base);
    } else if (!called) emitLast(last);
  }

  return {
    push(slice) {
      reading.read(slice);
      return reading.drain();
    },
    end(how) {
      if (how === "complete") settleLastLine();
      else dropLastLine();
      frame.settleEnd();
      line.clear();
      matched = 0;
      return reading.drain();
    },
    get pending() {
      return line.length + matched;
    },
    get settled() {
      return reading.settled;
    },
  };
}

/**
 * The inside of a CTL frame (SPEC 2.3, 2.4), from its `call` line to its `end`:
 *
 * ```text
 * frame    = "call" id name LF (argument | blank)* "end" LF
 * argument = "arg" key nbytes LF nbytes-bytes | "arg" key value LF | "arg" key "<<" TAG LF (line LF)* TAG LF
 * ```
 */
import { type ArgHeader, readArgHeader, trimHeader } from "./ctl_header.ts";
import {
  type ArgumentState,
  argumentTooLarge,
  bodyCutShort,
  callNotClosed,
  heredocNotClosed,
  lineTooLong,
  unexpectedLine,
} from "./ctl_faults.ts";
import {
  bytesOf,
  type CtlLine,
  type CtlReading,
  emitLine,
  type LineUse,
  NONE,
  takeLastLine,
} from "./ctl_reading.ts";

/** Reads the inside of frames, one after the other. */
export interface CtlFrame {
  open(id: string, name: string, at: number): void;
  /** Settles the line that isn't whole as if its newline had come (EOF sufficiency, SPEC 2.5). */
  settleLastLine(): void;
  /** Reports the frame that is open at the stream's end, if there is one. */
  settleEnd(): void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A reader of frames that calls `whenClosed` with the offset past each frame's `end`. */
export function createCtlFrame(reading: CtlReading, whenClosed: (at: number) => void): CtlFrame {
  const { limits, line } = reading;
  /** All ids of the message; each may come once. */
  const ids = new Set<string>();
  /** The call whose frame is open. */
  let call: string | undefined;
  const keys = new Set<string>();
  let argument: Mutable<ArgumentState> | undefined;
  let tag = NONE;

  function open(id: string, name: string, at: number): void {
    if (ids.has(id)) {
      const advice = "every call of a message needs an id of its own";
      return reading.violate("bad_call", `the call id "${id}" was used before: ${advice}`, at);
    }
    ids.add(id);
    keys.clear();
    call = id;
    argument = undefined;
    reading.emit({ kind: "call", id, name, at });
    reading.state = frameLine;
  }

  // "call c1 run\narg command 2\nls\nend\n"
  //               ^               ^ ^
  function frameLine(slice: Uint8Array, at: number): number {
    return reading.readLine(slice, at, headerUse);
  }

  const headerUse: LineUse = {
    whole({ bytes, text }, end) {
      const header = trimHeader(text);
      if (header === "") return;
      if (header === "end") close(end);
      else if (/^arg(?:[ \t]|$)/.test(header)) {
        openArgument(readArgHeader(text), { bytes, text }, end);
      } else reading.violate("unexpected_line", unexpectedLine(call!, text, argument), end, call);
    },
    tooLong,
  };

  function tooLong(at: number): void {
    reading.violate("line_too_long", lineTooLong(limits.line, argument), at, call);
  }

  function close(at: number): void {
    reading.emit({ kind: "end", at });
    call = undefined;
    whenClosed(at);
  }

  function openArgument(header: ArgHeader, { bytes, text }: CtlLine, at: number): void {
    if (header.kind === "bad") return reading.violate("bad_arg", header.message, at, call);
    const { key } = header;
    const inline = header.kind === "inline" ? bytes.length - header.valueAt : 0;
    const declared = header.kind === "length" ? header.bytes : inline;
    if (isRefused(key, declared, at)) return;
    keys.add(key);
    const closing = header.kind === "heredoc" ? header.tag : "";
    argument = { key, form: header.kind, declared, tag: closing, seen: inline };
    reading.emit({ kind: "arg", key, form: header.kind, at });
    if (header.kind === "heredoc") {
      tag = bytesOf(closing);
      reading.state = heredoc;
    } else if (header.kind === "length" && declared > 0) reading.state = counted;
    else {
      if (header.kind === "inline") {
        const { valueAt } = header;
        reading.emit({ kind: "body", bytes: bytes.subarray(valueAt), text: text.slice(valueAt) });
      }
      reading.emit({ kind: "body_end" });
    }
  }

  function isRefused(key: string, declared: number, at: number): boolean {
    if (keys.has(key)) {
      const message = `argument "${key}" is given twice in call "${call}"`;
      reading.violate("bad_arg", message, at, call);
    } else if (keys.size >= limits.argumentsPerCall) {
      const message = `call "${call}" has more than ${limits.argumentsPerCall} arguments`;
      reading.violate("limit", message, at, call);
    } else if (declared > limits.argument) {
      reading.violate("limit", argumentTooLarge(key, declared, limits.argument), at, call);
    }
    return reading.closed;
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
    if (line.length > 0) return reading.readLine(slice, at, bodyUse);
    const from = skipBody(slice, at);
    emitBody(slice, at, from);
    return from < slice.length ? reading.readLine(slice, from, bodyUse) : from;
  }

  /** Where the first line begins that is the tag, isn't whole, is too long, or more than the argument may have. */
  function skipBody(slice: Uint8Array, at: number): number {
    const room = at + limits.argument - argument!.seen;
    // In so short a rest no line can be too long: one search does for all lines.
    const skipped = slice.length - at <= limits.line && slice.length <= room
      ? reading.skipLines(argument!.tag, at)
      : undefined;
    if (skipped !== undefined) return skipped;
    let from = at;
    for (;;) {
      const newline = reading.newlineAt(slice, from);
      if (newline < 0 || newline >= room || newline - from > limits.line) return from;
      if (newline - from === tag.length && startsWith(slice, from, tag)) return from;
      from = newline + 1;
    }
  }

  const bodyUse: LineUse = {
    whole(body, end) {
      if (isTag(body)) return closeArgument();
      const { key, seen } = argument!;
      const size = seen + body.bytes.length + 1;
      if (size > limits.argument) {
        const message = argumentTooLarge(key, size, limits.argument);
        return reading.violate("limit", message, end, call);
      }
      emitLine(reading, "body", body);
      argument!.seen = size;
    },
    tooLong,
  };

  function emitBody(slice: Uint8Array, at: number, end: number): void {
    reading.emitRun("body", slice, { at, end });
    argument!.seen += end - at;
  }

  function closeArgument(): void {
    reading.emit({ kind: "body_end" });
    reading.state = frameLine;
  }

  function isTag({ bytes }: CtlLine): boolean {
    return bytes.length === tag.length && startsWith(bytes, 0, tag);
  }

  return {
    open,
    settleLastLine() {
      if (call === undefined || line.length === 0) return;
      const last = takeLastLine(line);
      if (reading.state !== heredoc) headerUse.whole(last, reading.base);
      else if (isTag(last)) closeArgument();
    },
    settleEnd() {
      if (call === undefined || reading.closed) return;
      const { base } = reading;
      if (reading.state === counted) {
        reading.violate("body_eof", bodyCutShort(argument!), base, call);
      } else if (reading.state === heredoc) {
        reading.violate("heredoc_eof", heredocNotClosed(argument!), base, call);
      } else reading.violate("call_eof", callNotClosed(call, keys.size), base, call);
    },
  };
}

function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

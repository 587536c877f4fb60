/** From deltas to confirmed events for CTL: text becomes bytes, the core reads them, arguments are collected. */
import type { Confirmed, Delta, StreamEnd, ToolCall } from "../vocab.ts";
import type { Limits, Transducer } from "./protocol.ts";
import { createUtf8Decoder, createUtf8Encoder, type Utf8Slice } from "../text/utf8.ts";
import { createCtlParser } from "./ctl_parser.ts";
import type { CtlEvent, Run } from "./ctl_reading.ts";
import { describeNearMiss, findNearMiss } from "./near_miss.ts";

/**
 * A transducer for one message of `ctl` or `ctl-heredoc`: they share the language, only their prompts differ.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { DEFAULT_LIMITS } from "./protocol.ts";
 * const transducer = createCtlTransducer(DEFAULT_LIMITS);
 * transducer.push({ kind: "text", text: "call c1 run\narg command ls\nen" });
 * assertEquals(transducer.push({ kind: "text", text: "d\n" }), [{
 *   kind: "ready",
 *   call: { id: "c1", name: "run", arguments: { command: "ls" }, values: "text" },
 *   at: 31,
 * }]);
 * ```
 */
export function createCtlTransducer(limits: Limits): Transducer {
  const parser = createCtlParser(limits);
  const encoder = createUtf8Encoder();
  const kept = createKeptText();
  let over = false;
  /** Bytes of the message's text read so far. */
  let offset = 0;
  let call = { id: "", name: "" };
  /** Whether the frame of `call` is open. */
  let inside = false;
  let values: [key: string, value: string][] = [];
  let key = "";
  let pieces: string[] = [];
  /** For prose, which is never cut inside a character. */
  const whole = new TextDecoder("utf-8", { ignoreBOM: true });
  /** For values: a counted one may end inside a character. */
  const decoder = createUtf8Decoder();
  /** Prose before any confirmed call, for near misses. */
  let prose: string[] = [];
  let calls = 0;
  /** The name in a native tool call that has no place in this protocol. */
  let nativeCall: string | undefined;

  function read(events: readonly CtlEvent[]): Confirmed[] {
    const confirmed: Confirmed[] = [];
    for (const event of events) take(event, confirmed);
    return confirmed;
  }

  function take(event: CtlEvent, confirmed: Confirmed[]): void {
    switch (event.kind) {
      case "prose":
        takeProse(textOf(event), confirmed);
        return;
      case "reasoning":
        confirmed.push({ kind: "reasoning", text: textOf(event) });
        return;
      case "call":
        call = { id: event.id, name: event.name };
        inside = true;
        values = [];
        confirmed.push(event);
        return;
      case "arg":
        key = event.key;
        pieces = [];
        confirmed.push({ kind: "arg", id: call.id, key, form: event.form, at: event.at });
        return;
      case "body":
        return takePiece(event.text ?? decoder.push(event.bytes), confirmed);
      case "body_end":
        takePiece(decoder.end(), confirmed);
        values.push([key, pieces.join("")]);
        return;
      case "end":
        confirmed.push({ kind: "ready", call: wholeCall(), at: event.at });
        inside = false;
        calls++;
        prose = [];
        return;
      case "violation":
        over = true;
        confirmed.push(event);
        return;
      case "stop":
        over = true;
        confirmed.push({ kind: "stop", reason: "prose_after_call", at: event.at });
        return;
    }
  }

  function textOf(run: Run): string {
    return run.text ?? whole.decode(run.bytes);
  }

  function takeProse(text: string, confirmed: Confirmed[]): void {
    prose.push(text);
    confirmed.push({ kind: "text", text });
  }

  function takePiece(piece: string, confirmed: Confirmed[]): void {
    if (piece === "") return;
    pieces.push(piece);
    confirmed.push({ kind: "piece", id: call.id, key, text: piece });
  }

  function wholeCall(): ToolCall {
    // Not by assignment: a key may be "__proto__".
    return { ...call, arguments: Object.fromEntries(values), values: "text" };
  }

  function readSlice(slice: Utf8Slice): Confirmed[] {
    kept.append(slice.text, slice.bytes.length);
    offset += slice.bytes.length;
    return read(parser.push(slice));
  }

  function pushText(slice: string): Confirmed[] {
    if (over) return [];
    return readSlice(encoder.push(slice));
  }

  /** A frame or header that lacks a piece may still read well: it's never run. */
  function tear(): Confirmed[] {
    if (over || (!inside && parser.pending === 0)) return [];
    over = true;
    const where = inside ? `inside call "${call.id}"` : "in the line that began";
    const message = `a piece of the message was lost on its way, ${where}`;
    const id = inside ? { id: call.id } : {};
    return [{ kind: "violation", violation: { kind: "call_eof", message, at: offset, ...id } }];
  }

  /** A message without any call that holds something meant as one is no final answer (SPEC 2.5). */
  function nearMiss(how: StreamEnd): Confirmed[] {
    if (over || calls > 0) return [];
    const all = prose.join("");
    const miss = findNearMiss(
      how === "complete" ? all : all.slice(0, all.lastIndexOf("\n") + 1),
      "ctl",
    );
    if (miss === undefined && nativeCall === undefined) return [];
    const message = miss !== undefined
      ? describeNearMiss(miss)
      : `a native call of "${nativeCall}" was not run: calls are read from the text here, as frames`;
    over = true;
    return [{ kind: "violation", violation: { kind: "bad_call", message, at: offset } }];
  }

  return {
    push(delta: Delta) {
      if (delta.kind === "text") return pushText(delta.text);
      if (delta.kind === "reasoning") return [{ kind: "reasoning", text: delta.text }];
      if (delta.kind === "gap") return tear();
      if (delta.kind === "tool_call") nativeCall ??= delta.name;
      return [];
    },
    end(how) {
      if (over) return [];
      const last = [...readSlice(encoder.end()), ...read(parser.end(how))];
      return [...last, ...nearMiss(how)];
    },
    get pending() {
      return parser.pending;
    },
    get keptText() {
      return kept.upTo(parser.settled);
    },
  };
}

/** The raw text of a message, to be taken up to a byte offset. */
function createKeptText() {
  const slices: { readonly text: string; readonly bytes: number }[] = [];
  return {
    append(text: string, bytes: number): void {
      if (bytes > 0) slices.push({ text, bytes });
    },
    upTo(offset: number): string {
      let before = 0;
      let kept = "";
      for (const { text, bytes } of slices) {
        if (before + bytes > offset) {
          return kept +
            new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, offset - before));
        }
        kept += text;
        before += bytes;
      }
      return kept;
    },
  };
}

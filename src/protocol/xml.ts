/**
 * `xml`: calls stand in the text in MiniMax's form and run after the stream's end, all or none (SPEC 3, 3.1). Prose goes out as
 * it comes, up to the first block; from there on everything waits for the end.
 *
 * Offsets count the bytes of the text; what the whole message confirms carries the length of all of it.
 */
import type {
  AssistantTurn,
  Confirmed,
  Delta,
  StreamEnd,
  ToolCall,
  ViolationKind,
} from "../vocab.ts";
import type { Limits, Protocol, Transducer } from "./protocol.ts";
import { createUtf8Encoder, utf8Length } from "../text/utf8.ts";
import { textHistory } from "./frames.ts";
import { THINK_CLOSE, type ThinkPart } from "./think.ts";
import { BLOCK_OPEN, type BlockReading, readBlock, writeBlock, type XmlCall } from "./xml_block.ts";
import { xmlNearMiss } from "./xml_near_miss.ts";
import { describeXml } from "./xml_prompt.ts";
import { createProseScanner, type ProseReading, type ProseStop, stopLength } from "./xml_prose.ts";

/** The protocol `xml`. */
export const xml: Protocol = {
  name: "xml",
  eager: false,
  describe: (tools) => ({ system: describeXml(tools) }),
  createTransducer: createXmlTransducer,
  encode(text, calls) {
    const written = spoken(text, calls);
    return written === "" ? [] : [{ kind: "text", text: written }];
  },
  history: (turns) => textHistory(turns, spokenTurn),
};

function spoken(text: string, calls: readonly ToolCall[]): string {
  if (calls.length === 0) return text;
  const prose = text === "" || text.endsWith("\n") ? text : text + "\n";
  return prose + writeBlock(calls);
}

/** The assistant's text; with a block added where the turn was spoken in a protocol whose calls stand elsewhere. */
function spokenTurn(turn: AssistantTurn): string {
  return turn.text.includes(BLOCK_OPEN) ? turn.text : spoken(turn.prose ?? turn.text, turn.calls);
}

/**
 * Confirms prose as it comes and the calls at a complete end, if every block is well-formed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { DEFAULT_LIMITS } from "./protocol.ts";
 * const transducer = createXmlTransducer(DEFAULT_LIMITS);
 * assertEquals(transducer.push({ kind: "text", text: "Look: <minimax:to" }), [{ kind: "text", text: "Look: " }]);
 * transducer.push({ kind: "text", text: 'ol_call>\n<invoke name="list_files" />\n</minimax:tool_call>' });
 * assertEquals(transducer.end("complete").map((event) => event.kind), ["call", "ready"]);
 * ```
 */
export function createXmlTransducer(limits: Limits): Transducer {
  const encoder = createUtf8Encoder();
  const first = createProseScanner();
  let raw = "";
  let bytes = 0;
  /** The text from the first block on. */
  let tail: string | undefined;
  /** Bytes before `tail`. */
  let before = 0;
  let prose = "";
  let violated = false;
  /** A piece of the message was lost in or after its first block. */
  let torn = false;
  /** The name in a native call, which has no place here. */
  let native: string | undefined;
  /** Where the last confirmed call's block ends in `raw`. */
  let keep: number | undefined;

  function push(delta: Delta): readonly Confirmed[] {
    if (delta.kind === "text") return takeText(encoder.push(delta.text).text);
    if (delta.kind === "reasoning") {
      return delta.text === "" ? [] : [{ kind: "reasoning", text: delta.text }];
    }
    if (delta.kind === "gap") torn ||= tail !== undefined;
    if (delta.kind === "tool_call") native ??= delta.name;
    return [];
  }

  function takeText(text: string): readonly Confirmed[] {
    raw += text;
    if (violated) return [];
    bytes += utf8Length(text);
    if (tail === undefined) return takeProse(first.push(text));
    tail += text;
    return [];
  }

  function takeProse(reading: ProseReading): readonly Confirmed[] {
    const events = keepProse(reading.parts);
    if (reading.stop?.kind === "block") {
      tail = reading.stop.rest;
      before = bytes - utf8Length(tail);
    } else if (reading.stop) return [...events, stray(reading.stop, [])];
    return events;
  }

  function keepProse(parts: readonly ThinkPart[]): readonly Confirmed[] {
    for (const part of parts) if (part.kind === "text") prose += part.text;
    return parts;
  }

  function end(how: StreamEnd): readonly Confirmed[] {
    const last = takeText(encoder.end().text);
    if (violated) return last;
    const events = tail === undefined ? [...last, ...takeProse(first.end())] : last;
    if (violated) return events;
    if (tail === undefined) return [...events, ...nearMiss()];
    if (how === "complete" && !torn) return [...events, ...readRest(tail)];
    const { calls } = readBlock(tail, BLOCK_OPEN.length, limits);
    const what = torn
      ? "a piece of the message was lost on its way, in or after its first block"
      : `the message was cut off ${bytes - before} bytes after its first block began`;
    return [...events, fail("bad_xml", what, calls, bytes)];
  }

  /** Reads blocks and the prose between them, from the first block to the end. */
  function readRest(text: string): readonly Confirmed[] {
    const texts: Confirmed[] = [];
    let events: Confirmed[] = [];
    let calls: XmlCall[] = [];
    let drafted = false;
    let rest: string | undefined = text;
    while (rest !== undefined) {
      const block: BlockReading = readBlock(rest, BLOCK_OPEN.length, limits);
      const from = calls.length;
      calls.push(...block.calls);
      if (block.kind === "fault") {
        const at = bytes - utf8Length(rest.slice(block.end));
        return [...texts, fail(block.violation, block.what, calls, at)];
      }
      events.push(...block.calls.flatMap((call, index) => confirm(call, from + index + 1)));
      keep = raw.length - rest.length + block.end;
      const after = readAfter(rest.slice(block.end));
      if (endsReasoning(after.parts)) {
        drafted = true;
        events = [...texts];
        calls = [];
        keep = undefined;
      }
      texts.push(...after.parts);
      events.push(...keepProse(after.parts));
      if (after.stop && after.stop.kind !== "block") return [...texts, stray(after.stop, calls)];
      rest = after.stop?.rest;
    }
    if (!drafted || calls.length > 0) return events;
    const what = `the call stands before "${THINK_CLOSE}" and so is part of the reasoning`;
    return [...texts, fail("bad_xml", what, [], bytes)];
  }

  function confirm(call: XmlCall, number: number): readonly Confirmed[] {
    const id = `call_${number}`;
    const { name, parameters } = call;
    const args = Object.fromEntries(parameters);
    return [
      { kind: "call", id, name, at: bytes },
      ...[...parameters.keys()].map((key): Confirmed => (
        { kind: "arg", id, key, form: "xml", at: bytes }
      )),
      { kind: "ready", call: { id, name, arguments: args, values: "text" }, at: bytes },
    ];
  }

  function stray(stop: ProseStop, calls: readonly XmlCall[]): Confirmed {
    const tag = stop.rest.slice(0, stopLength(stop));
    const what = stop.kind === "malformed"
      ? `"${tag}…" is a malformed tag: a block begins with "${BLOCK_OPEN}"`
      : `"${tag}" stands outside of a block that begins with "${BLOCK_OPEN}"`;
    const at = bytes - utf8Length(stop.rest) + tag.length;
    return fail("bad_xml", what, calls, at);
  }

  function nearMiss(): readonly Confirmed[] {
    const miss = xmlNearMiss(prose) ??
      (native === undefined
        ? undefined
        : `a native call of "${native}" was not run: calls are read from the text here`);
    return miss === undefined ? [] : [fail("bad_call", miss, [], bytes)];
  }

  function fail(
    kind: ViolationKind,
    what: string,
    calls: readonly XmlCall[],
    at: number,
  ): Confirmed {
    violated = true;
    keep = undefined;
    const names = calls.map((call) => `"${call.name}"`).join(", ");
    const message = `${what}. ` +
      `Nothing of this message was run${names === "" ? "" : `, neither ${names}`}. ` +
      `Send its calls again in one block from "${BLOCK_OPEN}" to its closing tag`;
    return { kind: "violation", violation: { kind, message, at } };
  }

  return {
    push,
    end,
    get pending() {
      return violated ? 0 : tail === undefined ? first.pending : bytes - before;
    },
    get keptText() {
      return keep === undefined ? raw : raw.slice(0, keep);
    },
  };
}

/** Does a `</think>` stand here whose opening tag came before the first block, unseen? Then the blocks so far were drafts. */
function endsReasoning(parts: readonly ThinkPart[]): boolean {
  return parts.some((part) => part.kind === "text" && /^[ \t]*<\/think>/m.test(part.text));
}

/** Reads the prose after a block. */
function readAfter(text: string): ProseReading {
  const scanner = createProseScanner();
  const begun = scanner.push(text);
  if (begun.stop) return begun;
  const ended = scanner.end();
  return { ...ended, parts: [...begun.parts, ...ended.parts] };
}

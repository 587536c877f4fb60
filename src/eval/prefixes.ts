/**
 * S1–S4 (SPEC 1) tried on the byte prefixes of a stream.
 *
 * One reading is fed byte by byte and after every byte compared with what the whole stream, read at once, confirmed: whatever is
 * there must be the beginning of that, and the number of executable calls may not fall. On chosen prefixes a fresh reading gets
 * the prefix at once and is then cut: no call may come of that which the bytes alone had not confirmed.
 */
import type { AgentEvent, ToolCall } from "../vocab.ts";
import type { Reading } from "../agent/reading.ts";

/** A stream that can be read again and again. */
export interface Stream {
  readonly bytes: Uint8Array;
  /** Starts a fresh reading of it. */
  open(): Reading;
  /** The least number of bytes that can hold the first 1, 2, … calls, where that is known from how they were written. */
  readonly earliest?: readonly number[];
  /** Bytes of framing that close an event which is whole without them: a cut reads it, and so may be ahead by these. */
  readonly framing: number;
}

/** What came of a check that found nothing wrong. */
export interface Checked {
  /** Prefixes that were compared with the whole: one for each byte. */
  readonly prefixes: number;
  /** Prefixes that were read afresh and cut. */
  readonly fresh: number;
  /** The executable calls of the whole stream. */
  readonly calls: readonly ToolCall[];
  /** Bytes after which each of them is executable; the last ones only at the end, if the protocol waits for it. */
  readonly at: readonly number[];
  readonly pendingMax: number;
}

/** What the stream did that it may not do. */
export class Unfaithful extends Error {
  override readonly name = "Unfaithful";
}

/** Prefixes up to this many bytes are all read afresh; longer streams are sampled. */
const ALL_FRESH = 1200;
const SAMPLES = 120;

/** Tries every prefix. Throws `Unfaithful` that names rule and place. */
export function checkPrefixes(stream: Stream): Checked {
  const { bytes } = stream;
  const whole = readWhole(stream);
  const comparison = createComparison(whole.pushed);
  const reading = stream.open();
  const at: number[] = [];
  const counts = new Uint32Array(bytes.length + 1);
  for (let end = 1; end <= bytes.length; end++) {
    for (const event of reading.push(bytes.subarray(end - 1, end))) {
      comparison.take(event, end);
      if (event.kind === "ready") at.push(end);
    }
    counts[end] = at.length;
    const least = stream.earliest?.[at.length - 1];
    if (least !== undefined && end < least) throw unfaithful("S1", end, "a call came too early");
  }
  comparison.finish(bytes.length);
  const places = samplePlaces(bytes);
  const calls = readyCalls([...whole.pushed, ...whole.ended]);
  for (const place of places) {
    const soon = counts[Math.min(bytes.length, place + stream.framing)]!;
    checkFresh(stream, place, { calls, count: counts[place]!, soon });
  }
  return {
    prefixes: bytes.length,
    fresh: places.length,
    calls,
    at: [...at, ...calls.slice(at.length).map(() => bytes.length)],
    pendingMax: whole.pendingMax,
  };
}

interface Whole {
  readonly pushed: readonly AgentEvent[];
  readonly ended: readonly AgentEvent[];
  readonly pendingMax: number;
}

function readWhole({ bytes, open }: Stream): Whole {
  const reading = open();
  const pushed = reading.push(bytes);
  const ended = reading.end();
  const last = ended.at(-1);
  return { pushed, ended, pendingMax: last?.kind === "end" ? last.pendingMax : 0 };
}

interface Expected {
  readonly calls: readonly ToolCall[];
  /** How many of them are executable byte by byte. */
  readonly count: number;
  /** The same after the framing that may still be missing. */
  readonly soon: number;
}

/** The prefix at once, then cut: as many calls as byte by byte, and of the cut none that wasn't whole already. */
function checkFresh(stream: Stream, place: number, { calls, count, soon }: Expected): void {
  const reading = stream.open();
  const pushed = readyCalls(reading.push(stream.bytes.subarray(0, place)));
  if (pushed.length !== count) {
    throw unfaithful("S4", place, `${pushed.length} calls at once, ${count} byte by byte`);
  }
  const all = [...pushed, ...readyCalls(reading.end({ cut: true }))];
  if (all.length > soon) throw unfaithful("S1", place, "a cut made a call executable");
  if (JSON.stringify(all) !== JSON.stringify(calls.slice(0, all.length))) {
    throw unfaithful("S2", place, "a call that the whole stream doesn't have");
  }
}

/** Compares events as they come with those of the whole; texts are compared joined. */
function createComparison(whole: readonly AgentEvent[]): {
  take(event: AgentEvent, place: number): void;
  finish(place: number): void;
} {
  let next = 0;
  /** How much of the text at `next` was confirmed already. */
  let seen = 0;

  function skipPieces(): void {
    while (whole[next]?.kind === "piece") next++;
  }

  function takeText(kind: string, text: string, place: number): void {
    for (let rest = text; rest !== "";) {
      const there = whole[next];
      if (there?.kind !== kind || !("text" in there)) throw unfaithful("S2", place, "other text");
      const part = there.text.slice(seen, seen + rest.length);
      if (part === "" || !rest.startsWith(part)) throw unfaithful("S2", place, "other text");
      rest = rest.slice(part.length);
      seen += part.length;
      if (seen === there.text.length) [next, seen] = [next + 1, 0];
    }
  }

  return {
    take(event, place) {
      if (event.kind === "text" || event.kind === "reasoning") {
        return takeText(event.kind, event.text, place);
      }
      // Pieces are cut as the bytes were; `ready` holds them joined.
      if (event.kind === "piece") return;
      skipPieces();
      if (JSON.stringify(whole[next]) !== JSON.stringify(event)) {
        throw unfaithful("S2", place, `"${event.kind}" isn't what the whole stream has there`);
      }
      next++;
    },
    finish(place) {
      skipPieces();
      if (next < whole.length) throw unfaithful("S4", place, "byte by byte less was confirmed");
    },
  };
}

/** Every place of a short stream; of a long one the ends of its lines and the places before them, evenly thinned. */
function samplePlaces(bytes: Uint8Array): readonly number[] {
  if (bytes.length <= ALL_FRESH) return Array.from({ length: bytes.length }, (_, place) => place);
  const places: number[] = [];
  bytes.forEach((byte, place) => {
    if (byte === 0x0a && bytes[place - 1] !== 0x0a) places.push(place, place + 1);
  });
  if (places.length < SAMPLES) {
    for (let i = 0; i < SAMPLES; i++) places.push(Math.floor(bytes.length * i / SAMPLES));
  }
  const step = Math.max(1, Math.floor(places.length / SAMPLES));
  return places.filter((_, index) => index % step === 0);
}

function readyCalls(events: readonly AgentEvent[]): ToolCall[] {
  return events.flatMap((event) => event.kind === "ready" ? [event.call] : []);
}

function unfaithful(rule: string, place: number, what: string): Unfaithful {
  return new Unfaithful(`${rule} fails on the prefix of ${place} bytes: ${what}`);
}

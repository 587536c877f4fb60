/**
 * A record as a line of the session file, and back (SPEC 7).
 *
 * ```text
 * {"n":3,"time":"2026-12-01T02:00:00.000Z","kind":"user","text":"Fix the tests","crc":"5be2a1c0"}\n
 * ```
 *
 * `crc` stands last. It is the CRC-32 of the line's bytes up to `,"crc"`, going on from the crc of the line before
 * (from 0 in the first), so a line that was changed, left out, put in or moved doesn't fit its neighbours.
 */
import { crc32 } from "./crc32.ts";
import { SESSION_VERSION, type SessionRecord, type StoredRecord } from "./records.ts";

const NEWLINE = 0x0a;
/** Bytes of `,"crc":"01234567"}`. */
const SEAL_LENGTH = 18;
const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/;

const KINDS: ReadonlySet<string> = new Set(
  [
    "header",
    "settings",
    "user",
    "text",
    "call",
    "result",
    "violation",
    "cancel",
    "error",
    "message",
    "folded",
  ] satisfies SessionRecord["kind"][],
);

/** Where a line stands: its number, its time and the crc of the line before. */
export interface Place {
  readonly n: number;
  readonly time: string;
  /** 0 for the first line. */
  readonly previousCrc: number;
}

/** The line of `record`, with its `\n`, and its crc for the next line. */
export function encodeLine(
  record: SessionRecord,
  place: Place,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly crc: number } {
  const encoder = new TextEncoder();
  const body = JSON.stringify({ n: place.n, time: place.time, ...record }).slice(0, -1);
  const crc = crc32(encoder.encode(body), place.previousCrc);
  const hex = crc.toString(16).padStart(8, "0");
  return { bytes: encoder.encode(`${body},"crc":"${hex}"}\n`), crc };
}

/** The first line that can't be trusted. */
export interface Fault {
  /** Counts from 1. */
  readonly line: number;
  /** Bytes before it. */
  readonly at: number;
  /** What is wrong, as the end of a sentence. */
  readonly why: string;
  /** It's the last of the file and has no end: the write broke off. */
  readonly torn: boolean;
  /** The file is whole but of a format that this program doesn't know. */
  readonly newer: boolean;
}

/** What a session file holds up to its first fault. */
export interface LinesRead {
  readonly records: readonly StoredRecord[];
  /** The crc of the last record, 0 without any. */
  readonly crc: number;
  readonly fault?: Fault;
}

/** The records of a session file's bytes, checked one by one; reading stops at the first fault. */
export function readLines(bytes: Uint8Array): LinesRead {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const records: StoredRecord[] = [];
  let crc = 0;
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(NEWLINE, at);
    const n = records.length + 1;
    // One write a line, so only a write that broke off leaves a line without its end.
    const torn = end < 0;
    const read = torn
      ? bad("it breaks off before its end")
      : readLine(bytes.subarray(at, end), { n, crc, decoder });
    if (!read.ok) {
      return { records, crc, fault: { line: n, at, why: read.why, torn, newer: read.newer } };
    }
    records.push(read.record);
    crc = read.crc;
    at = end + 1;
  }
  return { records, crc };
}

type LineRead =
  | { readonly ok: true; readonly record: StoredRecord; readonly crc: number }
  | { readonly ok: false; readonly why: string; readonly newer: boolean };

function bad(why: string): LineRead {
  return { ok: false, why, newer: false };
}

interface Expected {
  readonly n: number;
  /** The crc of the line before. */
  readonly crc: number;
  readonly decoder: TextDecoder;
}

function readLine(line: Uint8Array, expected: Expected): LineRead {
  const value = parse(line, expected.decoder);
  if (value === undefined) return bad("it is not JSON");
  if (expected.n === 1) {
    const strange = strangeHeader(value);
    if (strange) return strange;
  }
  const seal = SEAL.exec(String.fromCharCode(...line.subarray(-SEAL_LENGTH)));
  const crc = crc32(line.subarray(0, -SEAL_LENGTH), expected.crc);
  if (seal === null || parseInt(seal[1]!, 16) !== crc) {
    return bad("its checksum doesn't fit: it or the line before was changed");
  }
  if (value.n !== expected.n) {
    return bad(`it has number ${value.n} instead of ${expected.n}`);
  }
  if (!KINDS.has(String(value.kind))) {
    return bad(`its kind "${value.kind}" is unknown`);
  }
  return { ok: true, record: value as unknown as StoredRecord, crc };
}

function parse(line: Uint8Array, decoder: TextDecoder): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(line));
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

/** A later format may seal its lines otherwise, so the version is looked at before the checksum. */
function strangeHeader(value: Record<string, unknown>): LineRead | undefined {
  if (value.kind !== "header") {
    return bad("the file doesn't begin with a header");
  }
  if (!Number.isInteger(value.version) || Number(value.version) <= SESSION_VERSION) {
    return undefined;
  }
  return {
    ok: false,
    why:
      `it is of format ${value.version} and this program reads up to ${SESSION_VERSION}: use a newer one`,
    newer: true,
  };
}

/**
 * Times CTL on calls as an agent makes them, beside a bare scan and JSON.parse of the same calls, all in one
 * interleaved run; then linearity, pending bytes and the heap under a 256 MB argument.
 *
 * Usage: deno run -A --v8-flags=--expose-gc scripts/bench/ctl.ts [--json]
 *
 * "bare scan (indexOf)" looks for each newline with Uint8Array.indexOf; "bare scan (loop)" looks at each byte in a loop.
 */
import { createCtlParser } from "../../src/protocol/ctl_parser.ts";
import { createCtlTransducer } from "../../src/protocol/ctl_transducer.ts";
import { writeFrames } from "../../src/protocol/ctl_encode.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import type { Utf8Slice } from "../../src/text/utf8.ts";
import type { ToolCall } from "../../src/vocab.ts";

const SLICE = 64 * 1024;
const ROUNDS = 25;
/** Rounds that aren't counted, until the code is compiled. */
const WARM = 10;

interface Timing {
  readonly what: string;
  readonly mbPerSecond: number;
}

/** Calls that write source files of about 8 kB, with a command between. */
function makeCalls(count: number): ToolCall[] {
  return Array.from({ length: count }, (_, i): ToolCall => {
    const lines = Array.from(
      { length: 220 },
      (_, n) => `\tif (table[${n}] != "${i}") { return lookup(table, ${n * 7}); }`,
    );
    const content = lines.join("\n") + "\n";
    return i % 2 === 0
      ? {
        id: `c${i}`,
        name: "write_file",
        values: "text",
        arguments: { path: `src/f${i}.c`, content },
      }
      : { id: `c${i}`, name: "run", values: "text", arguments: { command: `make test N=${i}` } };
  });
}

function slicesOf(text: string, size: number): string[] {
  return Array.from(
    { length: Math.ceil(text.length / size) },
    (_, i) => text.slice(i * size, (i + 1) * size),
  );
}

function encode(text: string): Utf8Slice {
  return { text, bytes: new TextEncoder().encode(text) };
}

function scanIndexOf(slices: readonly Uint8Array[]): number {
  let lines = 0;
  for (const slice of slices) {
    for (let at = slice.indexOf(10); at >= 0; at = slice.indexOf(10, at + 1)) lines++;
  }
  return lines;
}

function scanLoop(slices: readonly Uint8Array[]): number {
  let lines = 0;
  for (const slice of slices) {
    for (let at = 0; at < slice.length; at++) if (slice[at] === 10) lines++;
  }
  return lines;
}

function runCore(slices: readonly Utf8Slice[]): number {
  const parser = createCtlParser(DEFAULT_LIMITS);
  let ready = 0;
  for (const slice of slices) {
    for (const event of parser.push(slice)) if (event.kind === "end") ready++;
  }
  parser.end("complete");
  return ready;
}

function runTransducer(slices: readonly string[]): number {
  const transducer = createCtlTransducer(DEFAULT_LIMITS);
  let ready = 0;
  for (const text of slices) {
    for (const event of transducer.push({ kind: "text", text })) {
      if (event.kind === "ready") ready++;
    }
  }
  transducer.end("complete");
  return ready;
}

function runJson(texts: readonly string[]): number {
  let ready = 0;
  for (const text of texts) if (JSON.parse(text).name) ready++;
  return ready;
}

/** Collects the young garbage only: a full collection would throw compiled code away too. */
function collectGarbage(): void {
  (globalThis as { gc?: (options: { type: "minor" }) => void }).gc?.({ type: "minor" });
}

/** The speed of each in its fastest round, the rounds interleaved so that a busy machine slows all alike; none pays for another's garbage. */
function time(bytes: number, jobs: readonly (readonly [string, () => number])[]): Timing[] {
  const runs = jobs.map((): number[] => []);
  for (let round = -WARM; round < ROUNDS; round++) {
    jobs.forEach(([, job], i) => {
      collectGarbage();
      const start = performance.now();
      job();
      if (round >= 0) runs[i]!.push(performance.now() - start);
    });
  }
  return jobs.map(([what], i) => {
    return { what, mbPerSecond: Math.round(bytes / Math.min(...runs[i]!) / 1000) };
  });
}

function speeds(form: "ctl" | "ctl-heredoc"): { ready: number; bytes: number; timings: Timing[] } {
  const calls = makeCalls(1000);
  const text = writeFrames(calls, form);
  const large = slicesOf(text, SLICE);
  const encoded = large.map(encode);
  const bytes = encoded.map((slice) => slice.bytes);
  const json = calls.map((call) => JSON.stringify({ name: call.name, arguments: call.arguments }));
  const size = bytes.reduce((sum, slice) => sum + slice.length, 0);
  const ready = runCore(encoded);
  if (ready !== calls.length || runTransducer(large) !== ready || runJson(json) !== ready) {
    throw new Error(`Cannot compare: ${ready} of ${calls.length} calls were read`);
  }
  const timings = time(size, [
    ["bare scan (indexOf), 64 KiB slices", () => scanIndexOf(bytes)],
    ["bare scan (loop), 64 KiB slices", () => scanLoop(bytes)],
    ["CTL core, 64 KiB slices", () => runCore(encoded)],
    ["CTL transducer, 64 KiB slices", () => runTransducer(large)],
    ["JSON.parse of the same calls", () => runJson(json)],
  ]);
  const small = slicesOf(text, 12);
  const deltas = time(size, [["CTL transducer, 12-character deltas", () => runTransducer(small)]]);
  return { ready, bytes: size, timings: [...timings, ...deltas] };
}

/**
 * How much longer 120 MB take as one message than each of its ten parts as a message of its own: the median of
 * several rounds, the parts' times averaged so that a busy machine slows both alike.
 */
function linearity(): number {
  const text = writeFrames(makeCalls(2000), "ctl-heredoc");
  // Ids are unique within a message, so the ten parts get ids of their own.
  const parts = Array.from(
    { length: 10 },
    (_, n) => slicesOf(text.replaceAll(/^call c/gm, `call ${n}`), 4096),
  );
  const whole = parts.flat();
  const ratios = Array.from({ length: 7 }, () => {
    const start = performance.now();
    for (const part of parts) runTransducer(part);
    const between = performance.now();
    if (runTransducer(whole) !== 20_000) throw new Error("Cannot measure: calls were lost");
    return (performance.now() - between) / (between - start) * 10;
  });
  return ratios.toSorted((a, b) => a - b)[3]!;
}

/** The most bytes held back and the heap's growth while one argument of 256 MB goes through the core. */
function largeArgument(form: "length" | "heredoc"): { pendingMax: number; heapGrowthMb: number } {
  const total = 256 * 1024 * 1024;
  const parser = createCtlParser({ ...DEFAULT_LIMITS, argument: total });
  const line = "0123456789abcdef".repeat(4095) + "0123456789abcde\n";
  const slice = encode(line);
  collectGarbage();
  const before = Deno.memoryUsage();
  let peak = 0;
  let pendingMax = 0;
  const header = form === "length" ? `${total}` : "<<EOF";
  parser.push(encode(`call c1 write_file\narg content ${header}\n`));
  let body = 0;
  while (body < total) {
    for (const event of parser.push(slice)) {
      if (event.kind === "violation") throw new Error(event.violation.message);
    }
    body += line.length;
    const now = Deno.memoryUsage();
    peak = Math.max(peak, now.heapUsed + now.external - before.heapUsed - before.external);
    pendingMax = Math.max(pendingMax, parser.pending);
  }
  const closing = form === "length" ? "\nend\n" : "EOF\nend\n";
  if (parser.push(encode(closing)).at(-1)?.kind !== "end") {
    throw new Error("Cannot measure: the large argument was not confirmed");
  }
  return { pendingMax, heapGrowthMb: Math.round(peak / 1e5) / 10 };
}

/** The most bytes held back when a heredoc's lines are as long as lines may be and arrive byte by byte. */
function pendingOfLongLines(): number {
  const parser = createCtlParser(DEFAULT_LIMITS);
  const text = `call c1 f\narg a <<EOF\n${"x".repeat(65_536)}\nEOF\nend\n`;
  let pendingMax = 0;
  for (const byte of text) {
    parser.push(encode(byte));
    pendingMax = Math.max(pendingMax, parser.pending);
  }
  return pendingMax;
}

const report = {
  counted: speeds("ctl"),
  heredoc: speeds("ctl-heredoc"),
  tenfoldInputTakes: Math.round(linearity() * 100) / 100,
  pendingMaxOfLongLines: pendingOfLongLines(),
  argument256MbCounted: largeArgument("length"),
  argument256MbHeredoc: largeArgument("heredoc"),
};

if (Deno.args.includes("--json")) console.log(JSON.stringify(report));
else {
  for (const form of ["counted", "heredoc"] as const) {
    console.log(`${form}: ${report[form].ready} calls, ${report[form].bytes} bytes`);
    for (const { what, mbPerSecond } of report[form].timings) {
      console.log(`  ${String(mbPerSecond).padStart(6)} MB/s  ${what}`);
    }
  }
  console.log(`ten times the input takes ${report.tenfoldInputTakes} times as long`);
  console.log(
    `pending at most ${report.pendingMaxOfLongLines} bytes with lines of 65,536, byte by byte`,
  );
  console.log("a 256 MB argument, counted:", report.argument256MbCounted);
  console.log("a 256 MB argument, heredoc:", report.argument256MbHeredoc);
}

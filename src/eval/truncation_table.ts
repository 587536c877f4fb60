/** Experiment C as text and as CSV. */
import { executableAt, type Measured, POINTS, WAYS } from "./truncation.ts";

/** The table for people: a row for each stream and way, then the sums by way, then what was tried. */
export function truncationTable(all: readonly Measured[]): string {
  const rows = all.filter((one) => one.calls > 0);
  const head = ["stream", "way", "", "bytes", "calls", ...POINTS.map((p) => `${p} %`), "first"];
  const body = rows.map((one) => [
    one.stream,
    one.way,
    one.reencoded ? "re-encoded" : "recorded",
    `${one.bytes}`,
    `${one.calls}`,
    ...POINTS.map((percent) => `${executableAt(one, percent)}`),
    firstShare(one),
  ]);
  const sums = groupsOf(rows).map(sumRow);
  const sumHead = ["way", "", "streams", "calls", ...POINTS.map((p) => `${p} %`), "first"];
  return [
    "Calls that are executable when so much of the stream's bytes are there, and where the first one is:",
    "",
    columns([head, ...body]),
    "All streams together, in percent of their calls; the first one in the mean:",
    "",
    columns([sumHead, ...sums]),
    ...leftOutLines(rows),
    triedLine(all),
    "",
  ].join("\n");
}

/** Streams whose calls could not be written in some way, since the text before them holds marks of it. */
function leftOutLines(rows: readonly Measured[]): readonly string[] {
  const ways = WAYS.filter((way) => rows.some((one) => one.way === way && one.reencoded));
  const streams = new Set(rows.filter((one) => one.reencoded).map((one) => one.stream));
  return [...streams].flatMap((stream) => {
    const missing = ways.filter((way) =>
      !rows.some((one) => one.stream === stream && one.way === way && one.reencoded)
    );
    const why = "its text holds marks of that form";
    return missing.map((way) => `Left out: "${stream}" as ${way}, since ${why}`);
  });
}

/** How many prefixes the figures stand on. */
export function triedLine(all: readonly Measured[]): string {
  const prefixes = all.reduce((sum, one) => sum + one.prefixes, 0);
  const fresh = all.reduce((sum, one) => sum + one.fresh, 0);
  return `${prefixes} prefixes tried, ${fresh} of them read afresh and cut: S1, S2, S3 and S4 hold on all.`;
}

/** The streams of each way, those as recorded apart from the re-encoded ones; no group is empty. */
export function groupsOf(rows: readonly Measured[]): readonly (readonly Measured[])[] {
  return WAYS.flatMap((way) =>
    [true, false].map((reencoded) =>
      rows.filter((one) => one.way === way && one.reencoded === reencoded)
    )
  ).filter((group) => group.length > 0);
}

function sumRow(ones: readonly Measured[]): string[] {
  const calls = ones.reduce((sum, one) => sum + one.calls, 0);
  const first = ones.reduce((sum, one) => sum + one.at[0]! / one.bytes, 0) / ones.length;
  return [
    ones[0]!.way,
    ones[0]!.reencoded ? "re-encoded" : "recorded",
    `${ones.length}`,
    `${calls}`,
    ...POINTS.map((percent) => (shareAt(ones, percent) * 100).toFixed(0)),
    `${(first * 100).toFixed(0)} %`,
  ];
}

/** The share of all calls that is executable at `percent` of their streams. */
export function shareAt(ones: readonly Measured[], percent: number): number {
  const calls = ones.reduce((sum, one) => sum + one.calls, 0);
  const ready = ones.reduce((sum, one) => sum + executableAt(one, percent), 0);
  return calls === 0 ? 0 : ready / calls;
}

function firstShare({ at, bytes }: Measured): string {
  return `${(at[0]! / bytes * 100).toFixed(0)} %`;
}

/** Aligned columns: words to the left, figures to the right. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const figures = widths.map((_, i) => rows.slice(1).every((row) => /^[\d.]+( %)?$/.test(row[i]!)));
  return rows.map((row) =>
    row.map((cell, i) => figures[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))
      .join("  ").trimEnd() + "\n"
  ).join("");
}

/** One line for each stream and way, streams without calls included. */
export function truncationCsv(all: readonly Measured[]): string {
  const head = [
    "stream",
    "way",
    "source",
    "bytes",
    "calls",
    ...POINTS.map((percent) => `at_${percent}`),
    "first_byte",
    "first_share",
    "pending_max",
    "prefixes",
  ];
  const rows = all.map((one) => [
    quoted(one.stream),
    one.way,
    one.reencoded ? "re-encoded" : "recorded",
    one.bytes,
    one.calls,
    ...POINTS.map((percent) => executableAt(one, percent)),
    one.at[0] ?? "",
    one.at[0] === undefined ? "" : (one.at[0] / one.bytes).toFixed(4),
    one.pendingMax,
    one.prefixes,
  ]);
  return [head, ...rows].map((row) => row.join(",") + "\n").join("");
}

/** A cell of CSV (RFC 4180). */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

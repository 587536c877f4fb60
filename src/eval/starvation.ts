/**
 * Experiment A (SPEC 9): what a reply that is cut has to show for itself. One message of several file writes is written as CTL
 * frames, as JSON and in MiniMax's form, and cut at the same shares of its bytes.
 */
import { createTextReading } from "../agent/reading.ts";
import { DEFAULT_LIMITS } from "../protocol/protocol.ts";
import type { ToolCall } from "../vocab.ts";
import { chartOf } from "./truncation_chart.ts";
import { columns } from "./truncation_table.ts";
import {
  executableAt,
  type Measured,
  measureScript,
  type Script,
  type Way,
  writeScript,
} from "./truncation.ts";

/** The cuts, in percent of the message's bytes. */
export const CUTS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100] as const;

/** Sizes of the files that the message writes, in lines. */
const FILE_LINES = [12, 40, 90, 8, 160, 60, 25, 120];

/** One way of writing the message. */
export interface Starved {
  readonly measured: Measured;
  /** Bytes held back at each of the cuts. */
  readonly pending: readonly number[];
}

/** The message: eight calls that write a file each. */
function starvationScript(): Script {
  const calls = FILE_LINES.map((lines, index): ToolCall => ({
    id: `c${index + 1}`,
    name: "write_file",
    arguments: { path: `src/part_${index + 1}.py`, content: sourceText(index, lines) },
    values: "text",
  }));
  return { text: "I will write the eight parts now.\n", calls };
}

/** Lines with what JSON has to escape: quotes, backslashes, tabs, characters beyond ASCII. */
function sourceText(part: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) =>
      `\tprint("part ${part + 1}, line ${line + 1}: größer\\n")  # ${"=".repeat(line % 30)}\n`,
  ).join("");
}

/** Cuts the message everywhere, in each way of writing it. Throws `Unfaithful` where S1–S4 fail. */
export function runStarvation(): readonly Starved[] {
  const script = starvationScript();
  return measureScript("eight file writes", script).map((measured) => (
    { measured, pending: pendingAtCuts(measured.way, script) }
  ));
}

function pendingAtCuts(way: Way, script: Script): readonly number[] {
  const { bytes, language } = writeScript(way, script)!;
  const reading = createTextReading(language, DEFAULT_LIMITS, { eager: true });
  let read = 0;
  return CUTS.map((percent) => {
    const end = Math.floor(bytes.length * percent / 100);
    for (; read < end; read++) reading.push(bytes.subarray(read, read + 1));
    return reading.pending;
  });
}

/** Both tables: executable calls, then bytes held back. */
export function starvationTable(all: readonly Starved[]): string {
  const head = ["way", "bytes", ...CUTS.map((percent) => `${percent} %`)];
  const calls = all.map(({ measured }) => [
    measured.way,
    `${measured.bytes}`,
    ...CUTS.map((percent) => `${executableAt(measured, percent)}`),
  ]);
  const pending = all.map(({ measured, pending }) => [
    measured.way,
    `${measured.bytes}`,
    ...pending.map(String),
  ]);
  return [
    `Executable calls, of ${all[0]?.measured.calls ?? 0}, when the message is cut there:`,
    "",
    columns([head, ...calls]),
    "Bytes that are there but not yet certain (at 100 % before the end is known):",
    "",
    columns([head, ...pending]),
  ].join("\n");
}

/** The same as CSV, a line for each way and cut. */
export function starvationCsv(all: readonly Starved[]): string {
  const rows = all.flatMap(({ measured, pending }) =>
    CUTS.map((percent, index) =>
      [measured.way, measured.bytes, percent, executableAt(measured, percent), pending[index]]
        .join(",")
    )
  );
  return ["way,bytes,percent,executable,pending", ...rows].join("\n") + "\n";
}

/** The same as a chart. */
export function starvationChart(all: readonly Starved[]): string {
  const measured = all.map((one) => one.measured);
  const subtitle = `${measured[0]?.calls ?? 0} calls in one message, cut after every byte`;
  return chartOf(measured, subtitle, (one) => `${one.bytes} bytes`);
}

/** Rows become one line a protocol (and model), and `summary.md`. */
import { PROTOCOL_NAMES } from "../protocol/mod.ts";
import type { ProtocolName } from "../vocab.ts";
import { mean } from "./measure.ts";
import type { Counts, FixtureOutcome, Row, Times } from "./row.ts";
import { type Interval, wilson } from "./wilson.ts";

/** All rows of one protocol with one model, summed up. Times and tokens are means over the runs. */
export interface Group extends Times {
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly n: number;
  readonly passes: number;
  readonly interval: Interval;
  readonly outcomes: { readonly [outcome in FixtureOutcome]?: number };
  readonly steps: number;
  readonly wallS: number;
  /** Sums over all runs. */
  readonly violations: Counts;
  readonly forms: Counts;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of all runs; null where a price is missing. */
  readonly cost: number | null;
}

/** The groups, by model and then in the order of the protocols. */
export function groupRows(rows: readonly Row[]): Group[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = `${row.protocol} ${row.model}`;
    groups.set(name, [...groups.get(name) ?? [], row]);
  }
  const models = [...new Set(rows.map((row) => row.model))].sort();
  const rank = (group: Group) =>
    models.indexOf(group.model) * PROTOCOL_NAMES.length +
    PROTOCOL_NAMES.indexOf(group.protocol);
  return [...groups.values()].map(toGroup).sort((a, b) => rank(a) - rank(b));
}

function toGroup(rows: readonly Row[]): Group {
  const first = rows[0]!;
  const passes = rows.filter((row) => row.outcome === "pass").length;
  const average = (figure: (row: Row) => number) => mean(rows.map(figure));
  const total = (figure: (row: Row) => number) => rows.reduce((sum, row) => sum + figure(row), 0);
  return {
    protocol: first.protocol,
    model: first.model,
    n: rows.length,
    passes,
    interval: wilson(passes, rows.length),
    outcomes: addCounts(rows.map((row) => ({ [row.outcome]: 1 }))),
    steps: average((row) => row.steps),
    wallS: average((row) => row.wallS),
    modelS: average((row) => row.modelS),
    toolS: average((row) => row.toolS),
    waitMs: average((row) => row.waitMs),
    firstActionMs: average((row) => row.firstActionMs),
    overlapS: average((row) => row.overlapS),
    calls: total((row) => row.calls),
    early: total((row) => row.early),
    violations: addCounts(rows.map((row) => row.violations)),
    forms: addCounts(rows.map((row) => row.forms)),
    inputTokens: average((row) => row.inputTokens),
    outputTokens: average((row) => row.outputTokens),
    cost: rows.some((row) => row.cost === null) ? null : total((row) => row.cost!),
  };
}

/** The sum of several counts. */
function addCounts(parts: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const [kind, count] of parts.flatMap((part) => Object.entries(part))) {
    sum[kind] = (sum[kind] ?? 0) + count;
  }
  return sum;
}

/** One column of the summary. */
interface Column {
  readonly title: string;
  cell(group: Group): string;
}

/** The main table's columns, used by `summary.md` and the report. */
export const SUMMARY_COLUMNS: readonly Column[] = [
  { title: "protocol", cell: (it) => it.protocol },
  { title: "model", cell: (it) => it.model },
  { title: "n", cell: (it) => String(it.n) },
  { title: "pass rate (95 % interval)", cell: passCell },
  { title: "steps", cell: (it) => it.steps.toFixed(1) },
  { title: "wall s", cell: (it) => it.wallS.toFixed(2) },
  { title: "model s", cell: (it) => it.modelS.toFixed(2) },
  { title: "tool s", cell: (it) => it.toolS.toFixed(2) },
  { title: "wait_ms", cell: (it) => it.waitMs.toFixed(1) },
  { title: "first action ms", cell: (it) => it.firstActionMs.toFixed(0) },
  { title: "early calls", cell: (it) => `${it.early} of ${it.calls}` },
  { title: "overlap_s (upper bound)", cell: (it) => it.overlapS.toFixed(2) },
  { title: "violations a run", cell: (it) => (totalOf(it.violations) / it.n).toFixed(2) },
  { title: "input tokens", cell: (it) => it.inputTokens.toFixed(0) },
  { title: "output tokens", cell: (it) => it.outputTokens.toFixed(0) },
  { title: "cost $", cell: (it) => it.cost === null ? "–" : it.cost.toFixed(4) },
];

/** Columns of what is counted by kind. */
export const COUNT_COLUMNS: readonly Column[] = [
  { title: "protocol", cell: (it) => it.protocol },
  { title: "model", cell: (it) => it.model },
  { title: "outcomes", cell: (it) => countsCell(it.outcomes) },
  { title: "argument forms", cell: (it) => countsCell(it.forms) },
  { title: "violations", cell: (it) => countsCell(it.violations) },
];

function passCell(group: Group): string {
  const { low, high } = group.interval;
  const percent = (share: number) => (100 * share).toFixed(0);
  return `${percent(group.passes / group.n)} % of ${group.n} (${percent(low)}–${percent(high)})`;
}

/** The sum of all kinds. */
export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function countsCell(counts: { readonly [kind: string]: number | undefined }): string {
  const cells = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  return cells.length === 0 ? "–" : cells.join(", ");
}

/** A sentence that must stand over every table with simulated rows (SPEC 9). */
export function simulatedNote(rows: readonly Row[]): string {
  return rows.some((row) => row.model.split(":")[0] === "sim")
    ? "**Simulated**: the model is a script with drawn faults; the figures show how the agent behaves, not how good a model is."
    : "";
}

/** The text of `summary.md`; `where` says on which machine. */
export function writeSummary(rows: readonly Row[], where: string): string {
  const groups = groupRows(rows);
  const fixtures = [...new Set(rows.map((row) => row.fixture))].sort();
  const paragraphs = [
    "# Matrix",
    `Runs: ${rows.length}. Fixtures: ${fixtures.join(", ")}. ${where}`,
    simulatedNote(rows),
    markdownTable(SUMMARY_COLUMNS, groups),
    "Means over the runs; counts are sums. `wait_ms`: confirmed to started. `overlap_s`: tool time inside streams, an upper bound of what was saved. Early calls started before their stream had ended.",
    markdownTable(COUNT_COLUMNS, groups),
    failures(rows),
  ];
  return paragraphs.filter((it) => it !== "").join("\n\n") + "\n";
}

function markdownTable(columns: readonly Column[], groups: readonly Group[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => column.title)),
    line(columns.map(() => "---")),
    ...groups.map((group) => line(columns.map((column) => column.cell(group)))),
  ].join("\n");
}

function failures(rows: readonly Row[]): string {
  const lines = rows.filter((row) => row.outcome !== "pass").map((row) =>
    `- ${row.protocol}, ${row.model}, ${row.fixture}, run ${row.rep}: ${row.outcome}${
      row.message === "" ? "" : ` (${row.message.replace(/\s+/g, " ")})`
    }`
  );
  return lines.length === 0 ? "Every run passed." : `## Not passed\n\n${lines.join("\n")}`;
}

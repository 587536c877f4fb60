/**
 * One row of `results.csv`: what a run was and what came of it. The file has a header line, commas, and quotes around
 * what holds a comma, a quote or a line break (RFC 4180); counts by kind read `body_eof:2 bad_arg:1`.
 */
import type { ProtocolName } from "../vocab.ts";
import { ConfigError } from "../errors.ts";

/** How a run of a fixture ended (SPEC 9 B). */
export type FixtureOutcome =
  | "pass"
  | "fail"
  | "agent_error"
  | "timeout"
  | "unexpected_green_fixture";

const OUTCOMES: { readonly [outcome in FixtureOutcome]: true } = {
  pass: true,
  fail: true,
  agent_error: true,
  timeout: true,
  unexpected_green_fixture: true,
};

/** How often each kind was seen. */
export type Counts = { readonly [kind: string]: number };

/** What names a run; no two rows of a file share it. */
export interface RunKey {
  readonly protocol: ProtocolName;
  /** `provider:model`. */
  readonly model: string;
  readonly fixture: string;
  /** Counts from 1. */
  readonly rep: number;
}

/** The figures of a run that its timeline gives. */
export interface Times {
  readonly modelS: number;
  readonly toolS: number;
  /** Confirmed to started, mean over the calls. */
  readonly waitMs: number;
  /** Request to the start of its first call, mean over the messages that called. */
  readonly firstActionMs: number;
  /** Tool time inside streams: an upper bound of what was saved. */
  readonly overlapS: number;
  readonly calls: number;
  /** Calls that started before the end of their stream had left the server, or had arrived where that isn't known. */
  readonly early: number;
}

/** A run that is done. */
export interface Row extends RunKey, Times {
  readonly outcome: FixtureOutcome;
  /** The agent's exit code; null when it never started. */
  readonly exit: number | null;
  readonly steps: number;
  readonly wallS: number;
  readonly violations: Counts;
  readonly forms: Counts;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null where the price isn't known. */
  readonly cost: number | null;
  readonly message: string;
}

/** The columns, in order. */
const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ["protocol", (row) => row.protocol],
  ["model", (row) => row.model],
  ["fixture", (row) => row.fixture],
  ["rep", (row) => String(row.rep)],
  ["outcome", (row) => row.outcome],
  ["exit", (row) => row.exit === null ? "" : String(row.exit)],
  ["steps", (row) => String(row.steps)],
  ["calls", (row) => String(row.calls)],
  ["early_calls", (row) => String(row.early)],
  ["wall_s", (row) => row.wallS.toFixed(3)],
  ["model_s", (row) => row.modelS.toFixed(3)],
  ["tool_s", (row) => row.toolS.toFixed(3)],
  ["wait_ms", (row) => row.waitMs.toFixed(1)],
  ["first_action_ms", (row) => row.firstActionMs.toFixed(1)],
  ["overlap_s", (row) => row.overlapS.toFixed(3)],
  ["violations", (row) => writeCounts(row.violations)],
  ["forms", (row) => writeCounts(row.forms)],
  ["input_tokens", (row) => String(row.inputTokens)],
  ["output_tokens", (row) => String(row.outputTokens)],
  ["cost_usd", (row) => row.cost === null ? "" : row.cost.toFixed(6)],
  ["message", (row) => row.message],
];

/** The first line of `results.csv`. */
export const CSV_HEADER = COLUMNS.map(([name]) => name).join(",") + "\n";

/** The name of a run, fit for a file name. */
export function runName(key: RunKey): string {
  return [key.protocol, key.model, key.fixture, key.rep].join("_").replace(/[^\w.-]+/g, "-");
}

/** A row as its line of the file. */
export function writeRow(row: Row): string {
  return COLUMNS.map(([, cell]) => quote(cell(row))).join(",") + "\n";
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function writeCounts(counts: Counts): string {
  return Object.entries(counts).map(([kind, count]) => `${kind}:${count}`).join(" ");
}

/**
 * The rows of a file. A last line that was cut off, or one that is no row, is left out: its run is done again. Throws `ConfigError` when the
 * columns are not those of this program.
 */
export function readRows(text: string, path: string): Row[] {
  if (text === "") return [];
  if (!text.startsWith(CSV_HEADER)) {
    throw new ConfigError(`Cannot read "${path}": its columns are not those of this version`);
  }
  const whole = text.slice(CSV_HEADER.length, text.lastIndexOf("\n") + 1);
  return readCells(whole).filter((cells) => cells.length === COLUMNS.length).map(readRow)
    .filter(isRow);
}

/** Its words are known and its figures are numbers. */
function isRow(row: Row): boolean {
  return Object.hasOwn(OUTCOMES, row.outcome) &&
    Object.values(row).every((it) => typeof it !== "number" || Number.isFinite(it));
}

/** Lines of cells (RFC 4180). */
function readCells(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  for (
    const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)
  ) {
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") {
      lines.push(cells);
      cells = [];
    }
  }
  return lines;
}

function readRow(cells: readonly string[]): Row {
  const cell = (name: string) => cells[COLUMNS.findIndex(([column]) => column === name)]!;
  const number = (name: string) => Number(cell(name));
  const optional = (name: string) => cell(name) === "" ? null : number(name);
  return {
    protocol: cell("protocol") as ProtocolName,
    model: cell("model"),
    fixture: cell("fixture"),
    rep: number("rep"),
    outcome: cell("outcome") as FixtureOutcome,
    exit: optional("exit"),
    steps: number("steps"),
    calls: number("calls"),
    early: number("early_calls"),
    wallS: number("wall_s"),
    modelS: number("model_s"),
    toolS: number("tool_s"),
    waitMs: number("wait_ms"),
    firstActionMs: number("first_action_ms"),
    overlapS: number("overlap_s"),
    violations: readCounts(cell("violations")),
    forms: readCounts(cell("forms")),
    inputTokens: number("input_tokens"),
    outputTokens: number("output_tokens"),
    cost: optional("cost_usd"),
    message: cell("message"),
  };
}

function readCounts(cell: string): Counts {
  const entries = cell.split(" ").filter((it) => it !== "").map((it): [string, number] => {
    const [kind = "", count] = it.split(":");
    return [kind, Number(count)];
  });
  return Object.fromEntries(entries);
}

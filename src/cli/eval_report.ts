/** `cst-agent eval report`: summary.md and report.html anew from results.csv. */
import { ConfigError, EXIT, UsageError } from "../errors.ts";
import { readResults } from "../eval/matrix.ts";
import { chartPlace, escapeHtml } from "../eval/charts.ts";
import type { Timeline } from "../eval/measure.ts";
import { type Section, type TimedRun, writeReport } from "../eval/report.ts";
import { type Row, runName } from "../eval/row.ts";
import { writeSummary } from "../eval/summary.ts";
import { type Measured, measureRecording } from "../eval/truncation.ts";
import { curvesOf, sourceOf } from "../eval/truncation_chart.ts";
import { truncationTable } from "../eval/truncation_table.ts";
import { readBytesIfAny, readTextIfAny, writeText } from "../system/folders.ts";
import { describeMachine } from "../system/machine.ts";
import { type CommandSpec, helpText, nearest, parseCommandLine } from "./args.ts";
import { absolute, type World } from "./command.ts";

/** What the command takes. */
export const EVAL_REPORT_SPEC: CommandSpec = {
  name: "eval report",
  usage: "eval report DIR",
  summary: "Writes summary.md and report.html from the results in DIR.",
  options: [{
    name: "run",
    value: "NAME",
    many: true,
    help: "Show this run in time, e.g. ctl_sim_mini_calc_1",
  }],
  example: "cst-agent eval report out/matrix --run ctl-heredoc_sim_mini_calc_1",
};

/** Writes the reports. */
export async function evalReport(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_REPORT_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_REPORT_SPEC));
    return EXIT.done;
  }
  const [path, ...others] = parsed.positional;
  if (path === undefined || others.length > 0) {
    throw new UsageError('Name one folder: cst-agent eval report DIR (see "--help")');
  }
  const out = absolute(path, world);
  const rows = await readResults(out);
  if (rows.length === 0) {
    throw new ConfigError(`Cannot report on "${path}": no results.csv with a row there`);
  }
  const names = parsed.values("run");
  for (const name of names) needRun(name, rows.map(runName));
  world.stdout(await writeReports(out, rows, names));
  return EXIT.done;
}

function needRun(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const near = nearest(name, known) ?? known[0];
  throw new UsageError(`No run is named "${name}": the names are such as "${near}"`);
}

/** Writes both reports of `rows` to `out` and returns the text of the summary. */
export async function writeReports(
  out: string,
  rows: readonly Row[],
  names: readonly string[] = [],
): Promise<string> {
  const where = `Machine: ${describeMachine()}.`;
  const summary = writeSummary(rows, where);
  const timed = await readTimed(out, rows, names);
  await writeText(`${out}/summary.md`, summary);
  const sections = await truncationSection(out, rows);
  await writeText(`${out}/report.html`, writeReport(rows, { timed, sections, where }));
  return summary;
}

/** The runs that are named; else the first of each fixture, protocol and model. */
async function readTimed(
  out: string,
  rows: readonly Row[],
  names: readonly string[],
): Promise<TimedRun[]> {
  const wanted = names.length > 0
    ? rows.filter((row) => names.includes(runName(row)))
    : rows.filter((row) => row.rep === 1);
  const timed: TimedRun[] = [];
  for (const row of wanted) {
    const path = `${out}/timelines/${runName(row)}.json`;
    const text = await readTextIfAny(path);
    if (text !== undefined) timed.push({ row, timeline: parseTimeline(text, path) });
  }
  return timed;
}

/** Throws `ConfigError` for a file that this program didn't write, or not to its end. */
function parseTimeline(text: string, path: string): Timeline {
  try {
    const timeline = JSON.parse(text);
    if (Array.isArray(timeline?.messages) && Array.isArray(timeline.calls)) return timeline;
  } catch {
    // What it is instead doesn't matter.
  }
  throw new ConfigError(`Cannot read "${path}": it is no timeline; without it the run isn't shown`);
}

/** Recordings that are cut at every byte; more would take minutes and look the same. */
const MAX_RECORDINGS = 12;
/** Bytes of a recording; every prefix of it is tried. */
const MAX_RECORDED = 100_000;

/** The curves of experiment C, from the recorded native streams of first runs; none where nothing was recorded. */
async function truncationSection(out: string, rows: readonly Row[]): Promise<readonly Section[]> {
  const measured: Measured[] = [];
  let taken = 0;
  for (const row of rows.filter((it) => it.rep === 1 && it.protocol === "native-eos")) {
    for (let number = 1; taken < MAX_RECORDINGS; number++) {
      const name = `${runName(row)}/${String(number).padStart(4, "0")}.sse`;
      const bytes = await readBytesIfAny(`${out}/sse/${name}`);
      if (bytes === undefined) break;
      if (bytes.length > MAX_RECORDED) continue;
      measured.push(...measureRecording(name, bytes));
      taken++;
    }
  }
  if (taken === 0) return [];
  const title = "Where a cut stream's calls are executable";
  const curves = curvesOf(measured.filter((one) => one.calls > 0), sourceOf)
    .map(({ way, note, shares }) => ({ name: `${way} (${note})`, shares }));
  const words =
    "Share of the calls that are executable, by the share of the bytes that have arrived.";
  const html = `<p>${words}</p>${
    chartPlace(title, { kind: "curves", curves })
  }<details><summary>Table</summary><div class="scroll"><pre>${
    escapeHtml(truncationTable(measured))
  }</pre></div></details>`;
  return [{ title, html }];
}

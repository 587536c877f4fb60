/** `report.html`: one file that asks for nothing: charts with their tables and runs in time. */
import { type BarsSpec, chartPlace, type ChartSpec, escapeHtml, legendOf } from "./charts.ts";
import type { Timeline } from "./measure.ts";
import { wrapPage } from "./report_page.ts";
import type { Row } from "./row.ts";
import { COUNT_COLUMNS, type Group, groupRows, simulatedNote, SUMMARY_COLUMNS } from "./summary.ts";
import { timelineChart } from "./timeline_chart.ts";

/** A run that is shown in time. */
export interface TimedRun {
  readonly row: Row;
  readonly timeline: Timeline;
}

/** Further sections, such as the truncation curves: a heading and HTML. */
export interface Section {
  readonly title: string;
  readonly html: string;
}

/** A chart with its figures. */
interface Chart {
  readonly title: string;
  readonly words: string;
  readonly spec: ChartSpec;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The text of the report; `where` says on which machine. */
export function writeReport(
  rows: readonly Row[],
  more: { timed: readonly TimedRun[]; sections: readonly Section[]; where: string },
): string {
  const groups = groupRows(rows);
  const note = simulatedNote(rows).replaceAll("**", "");
  const main = [
    "<h1>Matrix</h1>",
    `<p>${rows.length} runs. ${escapeHtml(more.where)}</p>`,
    note === "" ? "" : `<p class="simulated">${escapeHtml(note)}</p>`,
    ...chartsOf(groups).map(drawChart),
    "<h2>All figures</h2>",
    table(titles(SUMMARY_COLUMNS), groups.map((it) => SUMMARY_COLUMNS.map((c) => c.cell(it)))),
    table(titles(COUNT_COLUMNS), groups.map((it) => COUNT_COLUMNS.map((c) => c.cell(it)))),
    ...more.sections.map((it) => `<h2>${escapeHtml(it.title)}</h2>${it.html}`),
    timelines(more.timed),
    notPassed(rows),
  ];
  return wrapPage("Matrix", main.join("\n"));
}

function titles(columns: readonly { readonly title: string }[]): string[] {
  return columns.map((column) => column.title);
}

/** The protocol, with the model where there are several. */
function nameOf(group: Group, groups: readonly Group[]): string {
  const several = new Set(groups.map((it) => it.model)).size > 1;
  return several ? `${group.protocol} ${group.model}` : group.protocol;
}

function chartsOf(groups: readonly Group[]): Chart[] {
  const kinds = [...new Set(groups.flatMap((it) => Object.keys(it.violations)))].sort();
  const names = groups.map((group) => nameOf(group, groups));
  const simple = (
    title: string,
    words: string,
    cell: (group: Group) => { readonly value: number; readonly note: string },
    more: { readonly spans?: readonly [number, number][]; readonly shares?: boolean } = {},
  ): Chart => {
    const cells = groups.map(cell);
    const notes = cells.map((it) => it.note);
    const series = [{ name: title.toLowerCase(), values: cells.map((it) => it.value) }];
    return {
      title,
      words,
      spec: { kind: "bars", labels: names, series, notes, ...more },
      head: ["protocol", title],
      rows: notes.map((note, i) => [names[i]!, note]),
    };
  };
  return [
    simple("Pass rate", "The whisker is the 95 % Wilson interval.", (it) => ({
      value: it.passes / it.n,
      note: `${(100 * it.passes / it.n).toFixed(0)} % of ${it.n}`,
    }), { shares: true, spans: groups.map(({ interval }) => [interval.low, interval.high]) }),
    simple("Steps", "Requests of a run, mean.", (it) => ({
      value: it.steps,
      note: it.steps.toFixed(1),
    })),
    stackedOf("Tokens", "Of a run, mean.", names, [
      { name: "input", values: groups.map((it) => Math.round(it.inputTokens)) },
      { name: "output", values: groups.map((it) => Math.round(it.outputTokens)) },
    ]),
    simple("Time to first action", "From the request to the start of its first call, mean.", (
      it,
    ) => ({ value: it.firstActionMs, note: `${it.firstActionMs.toFixed(0)} ms` })),
    simple("Early calls", "Share of the calls that started before their stream had ended.", (
      it,
    ) => ({
      value: it.calls === 0 ? 0 : it.early / it.calls,
      note: `${it.early} of ${it.calls}`,
    }), { shares: true }),
    stackedOf(
      "Violations by kind",
      "Over all runs.",
      names,
      (kinds.length === 0 ? ["none"] : kinds).map((kind) => ({
        name: kind,
        values: groups.map((it) => it.violations[kind] ?? 0),
      })),
    ),
  ];
}

/** A chart of whole numbers that add up. */
function stackedOf(
  title: string,
  words: string,
  names: readonly string[],
  series: BarsSpec["series"],
): Chart {
  const totals = names.map((_, i) =>
    String(series.reduce((sum, it) => sum + (it.values[i] ?? 0), 0))
  );
  return {
    title,
    words,
    spec: { kind: "bars", labels: names, series, notes: totals },
    head: ["protocol", ...series.map((it) => it.name), "all"],
    rows: names.map((name, i) => [
      name,
      ...series.map((it) => String(it.values[i])),
      totals[i]!,
    ]),
  };
}

function drawChart(chart: Chart): string {
  return `<section><h2>${escapeHtml(chart.title)}</h2><p>${escapeHtml(chart.words)}</p>` +
    `${chartPlace(chart.title, chart.spec)}<details><summary>Table</summary>${
      table(chart.head, chart.rows)
    }</details>` +
    "</section>";
}

/** A table that scrolls by itself on a narrow screen. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join("")}</tr>`;
  return `<div class="scroll"><table><thead>${line(head, "th")}</thead><tbody>${
    rows.map((cells) => line(cells, "td")).join("")
  }</tbody></table></div>`;
}

function timelines(timed: readonly TimedRun[]): string {
  if (timed.length === 0) return "";
  const runs = timed.map(({ row, timeline }, i) => {
    const title = `${row.fixture}, ${row.protocol}, ${row.model}, run ${row.rep}: ${row.outcome}`;
    const rows = timeline.calls.map((it) => [
      it.name,
      it.confirmed.toFixed(0),
      it.start.toFixed(0),
      it.end.toFixed(0),
      String(it.exit),
      it.early ? "yes" : "no",
    ]);
    const head = ["call", "confirmed ms", "started ms", "ended ms", "exit", "early"];
    return `<details${i < 5 ? " open" : ""}><summary>${escapeHtml(title)}</summary>${
      timelineChart(title, timeline)
    }${table(head, rows)}</details>`;
  });
  const words =
    "The upper lane is the stream: a mark where bytes went out or came in, a tall line where the server had sent the end. " +
    "Below, each call: a thin line from its confirmation to its start, a bar while it ran.";
  return `<h2>Runs in time</h2><p>${words}</p>${
    legendOf(["stream", "after its stream", "inside its stream"])
  }${runs.join("\n")}`;
}

function notPassed(rows: readonly Row[]): string {
  const failed = rows.filter((row) => row.outcome !== "pass");
  if (failed.length === 0) return "<p>Every run passed.</p>";
  const cells = failed.map((row) => [
    row.protocol,
    row.model,
    row.fixture,
    String(row.rep),
    row.outcome,
    row.message,
  ]);
  return `<h2>Not passed</h2>${
    table(["protocol", "model", "fixture", "run", "outcome", "message"], cells)
  }`;
}

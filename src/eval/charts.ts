/** Charts as places in a page: their data stands in it as JSON, and the page's script draws it with Chartist. */

/** Bars from left to right, one a label; several series are stacked. */
export interface BarsSpec {
  readonly kind: "bars";
  readonly labels: readonly string[];
  /** A value for each label. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** What stands at the end of each bar. */
  readonly notes: readonly string[];
  /** The ends of an interval for each bar of shares, drawn as a whisker. */
  readonly spans?: readonly (readonly [number, number])[];
  /** Values are shares of one, shown in percent of a whole axis. */
  readonly shares?: boolean;
}

/** Curves of shares: the value at 0, 1, … 100 %. */
export interface CurvesSpec {
  readonly kind: "curves";
  readonly curves: readonly { readonly name: string; readonly shares: readonly number[] }[];
}

/** What is drawn in one place. */
export type ChartSpec = BarsSpec | CurvesSpec;

/** How many colours the page's style has. */
const COLOURS = 7;

/** Makes text fit for HTML and for attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * The place of a chart, with its legend where it has several series.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 *
 * const steps = { name: "steps", values: [4] };
 * const html = chartPlace("Steps", { kind: "bars", labels: ["ctl"], series: [steps], notes: ["4"] });
 * assertStringIncludes(html, '<div class="chart" role="img" aria-label="Steps"');
 * ```
 */
export function chartPlace(title: string, spec: ChartSpec): string {
  const names = spec.kind === "bars"
    ? spec.series.map((it) => it.name)
    : spec.curves.map((it) => it.name);
  const legend = names.length > 1 || spec.kind === "curves" ? legendOf(names) : "";
  return `<div class="chart" role="img" aria-label="${escapeHtml(title)}" data-chart="${
    escapeHtml(JSON.stringify(spec))
  }"></div>${legend}`;
}

/** The names of colours, in their order. */
export function legendOf(names: readonly string[]): string {
  const items = names.map((name, i) =>
    `<span><i class="c${i % COLOURS + 1}"></i>${escapeHtml(name)}</span>`
  );
  return `<p class="legend">${items.join(" ")}</p>`;
}

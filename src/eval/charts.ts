/** Bar charts as SVG text: no script, no network; colours come from the page's style, so that dark mode works. */

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Ends of an interval drawn as a whisker. */
  readonly low?: number;
  readonly high?: number;
  /** What stands at the bar's end; the value when left out. */
  readonly note?: string;
}

/** One bar made of parts, in the order of the legend. */
export interface StackedBar {
  readonly label: string;
  readonly parts: readonly number[];
}

const WIDTH = 640;
const LABEL = 150;
const NOTE = 130;
const ROW = 28;
const THICK = 16;
const SPAN = WIDTH - LABEL - NOTE;

/** Makes text fit for HTML and for attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * A chart of bars from 0 to `max` (the largest value when left out).
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 *
 * const svg = barChart("Steps", [{ label: "ctl", value: 4 }]);
 * assertStringIncludes(svg, "<title>ctl: 4</title>");
 * ```
 */
export function barChart(title: string, bars: readonly Bar[], max?: number): string {
  const top = max ?? Math.max(...bars.map((bar) => Math.max(bar.value, bar.high ?? 0)), 1e-9);
  const x = (value: number) => LABEL + SPAN * value / top;
  const rows = bars.map((bar, i) => {
    const y = i * ROW + (ROW - THICK) / 2;
    const middle = i * ROW + ROW / 2;
    const note = escapeHtml(bar.note ?? String(bar.value));
    const whisker = bar.low === undefined || bar.high === undefined
      ? ""
      : `<path class="whisker" d="M${x(bar.low).toFixed(1)} ${middle - 5}v10m0-5H${
        x(bar.high).toFixed(1)
      }m0-5v10"/>`;
    const noteX = Math.max(x(bar.value), x(bar.high ?? 0)) + 6;
    return `<g><title>${escapeHtml(bar.label)}: ${note}</title>` +
      label(bar.label, middle) +
      `<rect class="c1" x="${LABEL}" y="${y}" width="${
        (x(bar.value) - LABEL).toFixed(1)
      }" height="${THICK}" rx="2"/>${whisker}` +
      `<text class="note" x="${noteX.toFixed(1)}" y="${middle + 4}">${note}</text></g>`;
  });
  return svg(title, bars.length * ROW, rows.join(""));
}

/** A chart of bars made of parts; the legend names them. */
export function stackedChart(
  title: string,
  legend: readonly string[],
  bars: readonly StackedBar[],
): string {
  const totalOf = (bar: StackedBar) => bar.parts.reduce((sum, part) => sum + part, 0);
  const top = Math.max(...bars.map(totalOf), 1e-9);
  const rows = bars.map((bar, i) => {
    let at = LABEL;
    const middle = i * ROW + ROW / 2;
    const parts = bar.parts.map((part, kind) => {
      const width = SPAN * part / top;
      const x = at;
      at += width;
      return part === 0
        ? ""
        : `<rect class="c${kind % COLOURS + 1}" x="${x.toFixed(1)}" y="${
          middle - THICK / 2
        }" width="${width.toFixed(1)}" height="${THICK}"><title>${
          escapeHtml(legend[kind] ?? "")
        }: ${part}</title></rect>`;
    });
    const note = `<text class="note" x="${(at + 6).toFixed(1)}" y="${middle + 4}">${
      totalOf(bar)
    }</text>`;
    return label(bar.label, middle) + parts.join("") + note;
  });
  return svg(title, bars.length * ROW, rows.join("")) + legendOf(legend);
}

/** How many colours the page's style has. */
const COLOURS = 6;

/** The names of colours, in their order. */
export function legendOf(names: readonly string[]): string {
  const items = names.map((name, i) =>
    `<span><i class="c${i % COLOURS + 1}"></i>${escapeHtml(name)}</span>`
  );
  return `<p class="legend">${items.join(" ")}</p>`;
}

function label(text: string, middle: number): string {
  return `<text class="label" x="${LABEL - 8}" y="${middle + 4}">${escapeHtml(text)}</text>`;
}

/** An SVG as wide as its column, at most its natural width. */
export function svg(title: string, height: number, content: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${
    escapeHtml(title)
  }">${content}</svg>`;
}

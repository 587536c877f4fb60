/** Executable calls against the prefix as a chart, one curve for each way of writing. */
import { type Curve, shareChart } from "./share_chart.ts";
import type { Measured } from "./truncation.ts";
import { groupsOf, shareAt } from "./truncation_table.ts";

/** The chart of experiment C: all recorded streams with calls together. */
export function truncationChart(all: readonly Measured[]): string {
  const rows = all.filter((one) => one.calls > 0);
  const recorded = new Map(rows.filter((one) => !one.reencoded).map((one) => [one.stream, one]));
  const calls = [...recorded.values()].reduce((sum, one) => sum + one.calls, 0);
  const subtitle = `${calls} calls of ${recorded.size} recorded streams, cut after every byte`;
  return chartOf(rows, subtitle, sourceOf);
}

/** Whether a stream is as it was recorded. */
export function sourceOf(one: Measured): string {
  return one.reencoded ? "re-encoded" : "as recorded";
}

/** A chart of these streams, each way with a note of its own. */
export function chartOf(
  all: readonly Measured[],
  subtitle: string,
  noteOf: (one: Measured) => string,
): string {
  return shareChart("When calls become executable", subtitle, curvesOf(all, noteOf));
}

/** A curve for each way of writing. */
export function curvesOf(
  all: readonly Measured[],
  noteOf: (one: Measured) => string,
): readonly Curve[] {
  return groupsOf(all).map((ones) => ({
    way: ones[0]!.way,
    note: noteOf(ones[0]!),
    shares: Array.from({ length: 101 }, (_, percent) => shareAt(ones, percent)),
  }));
}

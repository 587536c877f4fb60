/** Executable calls against the prefix as a chart, one curve for each way of writing. */
import { shareChart } from "./share_chart.ts";
import { type Measured, WAYS } from "./truncation.ts";
import { shareAt } from "./truncation_table.ts";

/** The chart of experiment C: all recorded streams with calls together. */
export function truncationChart(all: readonly Measured[]): string {
  const rows = all.filter((one) => one.calls > 0);
  const first = rows.filter((one) => one.way === rows[0]?.way);
  const calls = first.reduce((sum, one) => sum + one.calls, 0);
  const subtitle = `${calls} calls of ${first.length} recorded streams, cut after every byte`;
  return chartOf(rows, subtitle, (one) => one.reencoded ? "re-encoded" : "as recorded");
}

/** A chart of these streams, each way with a note of its own. */
export function chartOf(
  all: readonly Measured[],
  subtitle: string,
  noteOf: (one: Measured) => string,
): string {
  const curves = WAYS.flatMap((way) => {
    const ones = all.filter((one) => one.way === way);
    if (ones.length === 0) return [];
    const shares = Array.from({ length: 101 }, (_, percent) => shareAt(ones, percent));
    return [{ way, note: noteOf(ones[0]!), shares }];
  });
  return shareChart("When calls become executable", subtitle, curves);
}

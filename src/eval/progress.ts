/** The progress of a matrix: a bar on a terminal, a line for each run elsewhere. */
import { format as formatDuration } from "@std/fmt/duration";
import type { MatrixEvent } from "./matrix.ts";
import { type Row, type RunKey, runName } from "./row.ts";

/** Where progress is shown. */
export interface ProgressPlace {
  readonly terminal: boolean;
  write(text: string): void;
  /** Milliseconds. */
  now(): number;
}

const BAR = 24;
/** A longer line would wrap on a narrow terminal and couldn't be taken back. */
const WIDTH = 79;

/** Shows events of a matrix as they come. */
export function createProgress(place: ProgressPlace): (event: MatrixEvent) => void {
  const running = new Map<string, RunKey>();
  const began = place.now();
  let total = 0;
  let done = 0;
  let fresh = 0;

  function draw(): void {
    if (!place.terminal) return;
    const filled = total === 0 ? BAR : Math.round(BAR * done / total);
    const bar = "█".repeat(filled) + "░".repeat(BAR - filled);
    const names = [...running.values()].map((key) => `${key.fixture}/${key.protocol}`).join(", ");
    place.write("\r\x1b[K" + `${bar} ${done}/${total}${left()} ${names}`.slice(0, WIDTH));
  }

  /** Time left, from the mean of the runs so far. */
  function left(): string {
    if (fresh === 0 || done === total) return "";
    const ms = (place.now() - began) / fresh * (total - done);
    return `, ${formatDuration(Math.ceil(ms / 1000) * 1000, { ignoreZero: true })} left:`;
  }

  return (event) => {
    switch (event.kind) {
      case "begin":
        ({ total, done } = event);
        if (!place.terminal) place.write(`${total} runs, ${done} already done\n`);
        break;
      case "started":
        running.set(runName(event.key), event.key);
        break;
      case "finished":
        running.delete(runName(event.row));
        done++;
        fresh++;
        if (place.terminal) place.write("\r\x1b[K");
        place.write(lineOf(event.row, `${done}/${total}`));
        break;
    }
    draw();
    if (place.terminal && event.kind === "finished" && done === total) place.write("\r\x1b[K");
  };
}

function lineOf(row: Row, count: string): string {
  const what = `${row.fixture} ${row.protocol} ${row.model} #${row.rep}`;
  const why = row.message === "" ? "" : `: ${row.message.replace(/\s+/g, " ")}`;
  return `${count} ${row.outcome} ${what} (${row.wallS.toFixed(1)} s)${why}\n`;
}

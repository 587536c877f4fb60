/**
 * Draws the live region: at once for keys and for the first of what streams, then at most every 8 ms, ten times a
 * second while it waits.
 */
import type { Clock } from "../../system/system.ts";
import type { Terminal } from "../../system/terminal.ts";
import type { Asking } from "./asking.ts";
import type { Desk } from "./desk.ts";
import { createFrames } from "./frames.ts";
import { inputRows } from "./input_rows.ts";
import { cellsOf, fit, harmless, type Row, row, wrapSpans } from "./layout.ts";
import type { Prompt } from "./prompt.ts";
import { drawFrame, type Drawn, eraseDrawn, type Frame, NOTHING_DRAWN } from "./screen.ts";
import { statusLine } from "./status_line.ts";
import type { View } from "./view.ts";

/** How often the seconds and the spinner move. */
const TICK_MS = 100;
/** A terminal that is being dragged tells of many sizes. */
const RESIZE_MS = 60;
/** Queued messages that are shown. */
const QUEUED_SHOWN = 3;

/** What there is to draw. */
export interface Picture {
  readonly desk: Desk;
  readonly view: View;
  readonly prompt: Prompt;
  readonly asking: Asking | null;
  readonly queue: readonly string[];
}

/** What streams: the reply isn't held up by the frame of what else happens in a run, a flood of output say. */
export type Source = "reply" | "run";

/** Draws. */
export interface Painter {
  start(): void;
  /** Something streamed: draws as soon as all of it is there, or with the next frame of its source. */
  touch(source: Source): void;
  draw(): void;
  /** Erases the live region, so that something else may write there. */
  clear(): void;
  /** The screen was cleared: nothing of what was drawn is there any more. */
  forget(): void;
  /** Ends the drawing with what went wrong, for whoever waits. */
  fail(error: unknown): void;
  stop(): void;
}

/** What a painter works with. */
export interface PainterParts {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly color: boolean;
  status(): Picture;
  failed(error: unknown): void;
}

/** A painter on `terminal`. */
export function createPainter(parts: PainterParts): Painter {
  const { terminal, clock } = parts;
  const over = new AbortController();
  let drawn: Drawn = NOTHING_DRAWN;
  let last = "";
  const touch = {
    reply: createFrames(clock, draw, over.signal),
    run: createFrames(clock, draw, over.signal),
  };
  let resizing = false;

  function draw(): void {
    if (over.signal.aborted) return;
    const { columns, rows } = terminal.size();
    const picture = parts.status();
    const above = picture.view.take();
    const frame = composeFrame(picture, { columns, rows });
    const shape = JSON.stringify([frame, columns]);
    if (above.length === 0 && shape === last) return;
    last = shape;
    const update = drawFrame(drawn, { above, frame, columns, color: parts.color });
    drawn = update.drawn;
    terminal.write(update.output);
  }

  function forget(): void {
    drawn = NOTHING_DRAWN;
    last = "";
  }

  async function tick(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.sleep(TICK_MS, over.signal);
      if (parts.status().view.activity() !== null) draw();
    }
  }

  return {
    start() {
      terminal.onResize(() => {
        if (resizing) return;
        resizing = true;
        void clock.sleep(RESIZE_MS, over.signal).then(() => {
          resizing = false;
          draw();
        });
      });
      terminal.onResume(() => {
        forget();
        draw();
      });
      draw();
      void tick();
    },
    touch: (source) => touch[source](),
    draw,
    clear() {
      terminal.write(eraseDrawn(drawn, terminal.size().columns));
      forget();
    },
    forget,
    fail: parts.failed,
    stop() {
      if (over.signal.aborted) return;
      // What was said last stays; the input and the status line don't.
      const { view } = parts.status();
      const above = view.take();
      const frame = { rows: [row("")], cursor: { row: 0, column: 0 } };
      terminal.write(
        drawFrame(drawn, { above, frame, columns: terminal.size().columns, color: parts.color })
          .output,
      );
      over.abort();
    },
  };
}

/** The live region: what is coming in, what waits, the input, the status. Never higher than the screen. */
function composeFrame(
  picture: Picture,
  size: { readonly columns: number; readonly rows: number },
): Frame {
  const { desk, view, prompt, asking, queue } = picture;
  const { columns } = size;
  const activity = view.activity();
  const choices = asking?.choices() ?? null;
  const notes: Row[] = [
    ...candidateRows(prompt.candidates(), columns),
    ...queuedRows(queue, columns),
    ...(activity !== null && !asking ? [row(fit(`${activity} · Esc stops`, columns), "dim")] : []),
    ...(choices ? wrapSpans(choices, columns) : []),
  ];
  const input = inputRows(prompt.draft(), {
    columns,
    most: Math.max(1, Math.min(10, Math.floor(size.rows / 2) - 2)),
    label: asking?.label() ?? "> ",
    hint: "",
  });
  const { task, contextLimit } = desk.settings;
  const { session } = desk.opened;
  const status = row(
    statusLine({
      provider: task.provider.name,
      model: task.provider.model,
      protocol: task.protocol,
      usage: session.usage(),
      contextTokens: session.contextTokens(),
      contextLimit,
      price: task.provider.price,
      sandbox: desk.sandbox,
      rules: desk.rules,
    }, columns - 1),
    "dim",
  );
  const room = size.rows - 1 - notes.length - input.rows.length - 1;
  const live = view.live();
  const above = [...(room > 0 ? live.slice(-room) : []), ...notes];
  return {
    rows: [...above, ...input.rows, status],
    cursor: { row: above.length + input.cursor.row, column: input.cursor.column },
  };
}

function candidateRows(candidates: readonly string[], columns: number): Row[] {
  if (candidates.length === 0) return [];
  return [row(fit(`  ${candidates.map(harmless).join("  ")}`, columns), "dim")];
}

function queuedRows(queue: readonly string[], columns: number): Row[] {
  const rows = queue.slice(0, QUEUED_SHOWN).map((text) => {
    const [first = "", ...more] = text.split("\n");
    const tail = more.length > 0 ? ` (+${more.length} lines)` : "";
    return row(`${fit(`queued: ${harmless(first)}`, columns - cellsOf(tail))}${tail}`, "dim");
  });
  const hidden = queue.length - rows.length;
  return hidden > 0 ? [...rows, row(`queued: ${hidden} more`, "dim")] : rows;
}

/** A run in time, as SVG: what arrived, when calls were confirmed, when they ran, what overlapped. */
import { escapeHtml } from "./charts.ts";
import type { CallSpan, MessageSpan, Timeline } from "./measure.ts";

const WIDTH = 640;
const LEFT = 8;
const SPAN = WIDTH - 2 * LEFT;
const LANE = 18;
const TOP = 22;
/** Marks nearer than this many units of the drawing are one. */
const NEAR = 1.5;

/** Draws the streams in one lane and each call in a lane of its own, in the order in which they started. */
export function timelineChart(title: string, timeline: Timeline): string {
  const end = Math.max(
    ...timeline.messages.map((it) => Math.max(it.end, it.serverEnd ?? 0)),
    ...timeline.calls.map((it) => it.end),
    1,
  );
  const x = (ms: number) => LEFT + SPAN * ms / end;
  const streams = timeline.messages.map((message, i) => drawMessage(message, i, x));
  const calls = timeline.calls.map((call, i) => drawCall(call, TOP + LANE * (i + 2), x));
  const height = TOP + LANE * (timeline.calls.length + 2) + 6;
  return svg(title, height, axis(end, x, height) + streams.join("") + calls.join(""));
}

function drawMessage(message: MessageSpan, index: number, x: (ms: number) => number): string {
  const marks: string[] = [];
  let last = -Infinity;
  for (const [at] of message.bytes) {
    if (x(at) - last < NEAR) continue;
    last = x(at);
    marks.push(`M${last.toFixed(1)} ${TOP + 3}v10`);
  }
  const width = Math.max(1, x(message.end) - x(message.start));
  const closed = message.serverEnd === undefined
    ? ""
    : `<path class="closed" d="M${x(message.serverEnd).toFixed(1)} ${TOP - 2}v20"/>`;
  return `<g><title>message ${index + 1}: ${ms(message.start)} to ${ms(message.end)}</title>` +
    `<rect class="stream" x="${x(message.start).toFixed(1)}" y="${TOP}" width="${
      width.toFixed(1)
    }" height="16"/><path class="bytes" d="${marks.join("")}"/>${closed}</g>`;
}

function drawCall(call: CallSpan, y: number, x: (ms: number) => number): string {
  const width = Math.max(1.5, x(call.end) - x(call.start));
  const waited = `M${x(call.confirmed).toFixed(1)} ${y + 6}H${x(call.start).toFixed(1)}`;
  const words = `${call.name}: confirmed ${ms(call.confirmed)}, ran ${ms(call.start)} to ${
    ms(call.end)
  }, exit ${call.exit}`;
  // Near the right edge the name stands before the bar.
  const after = x(call.end) < WIDTH - 110;
  const name = after
    ? `<text class="note" x="${(x(call.end) + 4).toFixed(1)}" y="${y + 10}">`
    : `<text class="label" x="${(x(call.confirmed) - 4).toFixed(1)}" y="${y + 10}">`;
  return `<g><title>${escapeHtml(words)}</title><path class="wait" d="${waited}"/>` +
    `<rect class="${call.early ? "c3" : "c2"}" x="${x(call.start).toFixed(1)}" y="${y}" width="${
      width.toFixed(1)
    }" height="12" rx="2"/>${name}${escapeHtml(call.name)}</text></g>`;
}

/** Four marks of time. */
function axis(end: number, x: (ms: number) => number, height: number): string {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = x(end * share).toFixed(1);
    const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    return `<path class="grid" d="M${at} 14V${height}"/>` +
      `<text class="axis" text-anchor="${anchor}" x="${at}" y="10">${ms(end * share)}</text>`;
  }).join("");
}

function ms(value: number): string {
  return value < 10_000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** An SVG as wide as its column. */
function svg(title: string, height: number, content: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${
    escapeHtml(title)
  }">${content}</svg>`;
}

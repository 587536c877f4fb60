/** The task of the soaks: each call appends its number to a file, so that what ran can be counted. */
import type { Plan } from "../src/sim/plan.ts";

/** A plan of `calls` messages with one call each, then an answer. */
export function numbersPlan(calls: number): Plan {
  const steps = Array.from({ length: calls }, (_, i) => ({
    text: `Number ${i + 1}.`,
    calls: [{ name: "run", arguments: { command: `echo ${i + 1} >> numbers` } }],
  }));
  return { steps: [...steps, { text: "All numbers are written.", calls: [] }] };
}

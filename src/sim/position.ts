/** Where in its plan the model stands, told from the history alone. */
import type { Seen, SeenResult } from "./conversation.ts";
import type { Plan, PlannedCall, PlanStep } from "./plan.ts";

/** What is to be said next. */
export interface Position {
  /** Counts from 1. */
  readonly step: number;
  readonly text: string;
  /** The calls of the step that have no result yet. */
  readonly calls: readonly PlannedCall[];
  /** How many calls of the step have their result. */
  readonly answered: number;
  /** How many messages in a row were answered with a complaint. */
  readonly complaints: number;
}

/**
 * The next message of `plan` after what was seen. A step with calls is over when each has a result; an answer is
 * over when it stands in the history. After the last step, the last answer is given again.
 */
export function findPosition(plan: Plan, seen: readonly Seen[]): Position {
  const complaints = countComplaints(seen);
  let at = 0;
  let last: readonly SeenResult[] = [];
  let answer = "Nothing is left to do.";
  for (const [index, step] of plan.steps.entries()) {
    if (!applies(step, last)) continue;
    const number = index + 1;
    if (step.calls.length === 0) {
      const said = seen.findIndex((it, i) => i >= at && it.kind === "said" && isAnswer(it, step));
      answer = step.text;
      if (said < 0) {
        return { step: number, text: step.text, calls: [], answered: 0, complaints };
      }
      at = said + 1;
      continue;
    }
    const results: SeenResult[] = [];
    while (at < seen.length && results.length < step.calls.length) {
      const it = seen[at++]!;
      if (it.kind === "result") results.push(it.result);
    }
    if (results.length < step.calls.length) {
      const answered = results.length;
      const calls = step.calls.slice(answered);
      return { step: number, text: step.text, calls, answered, complaints };
    }
    last = results;
  }
  return { step: plan.steps.length + 1, text: answer, calls: [], answered: 0, complaints };
}

function applies(step: PlanStep, last: readonly SeenResult[]): boolean {
  return step.when === undefined ||
    step.when.test(last.map((it) => `exit=${it.exit}\n${it.output}`).join("\n"));
}

function isAnswer(it: { readonly text: string }, step: PlanStep): boolean {
  return it.text.trim() === step.text.trim();
}

/** Exchanges at the end of the history in which the model spoke and was told that something is wrong. */
function countComplaints(seen: readonly Seen[]): number {
  let count = 0;
  let asked = false;
  for (const it of seen.toReversed()) {
    if (it.kind === "asked") asked = true;
    else if (it.kind === "said") {
      if (!asked) break;
      count++;
      asked = false;
    } else if (!asked) break;
  }
  return count;
}

/** What the model is told about calls of a native message that did not run. */
import type { Confirmed } from "../vocab.ts";
import { type CallFault, nameCall, type OpenCall } from "./native_calls.ts";

/** Everything that the complaint names. */
export interface FaultReport {
  /** At least one; the first gives the kind. */
  readonly faults: readonly CallFault[];
  /** All calls of the message so far; the first `ran` of them have run. */
  readonly calls: readonly OpenCall[];
  readonly ran: number;
  readonly at: number;
  /** The one call that failed and has not run. */
  readonly failed?: OpenCall | undefined;
}

/** The violation that tells which calls failed and how, and which have not run: these are to be sent again. */
export function reportFaults(report: FaultReport): Confirmed {
  const { faults, calls, ran, at, failed } = report;
  const what = faults.map((fault) => fault.what).join("; ");
  const notRun = ran < calls.length
    ? `. Not run: ${names(calls.slice(ran))}: send each again, ` +
      "with arguments that are one complete JSON object"
    : "";
  return {
    kind: "violation",
    violation: {
      kind: faults[0]!.kind,
      message: what + notRun,
      at,
      ...(failed?.announced && { id: failed.id }),
    },
  };
}

function names(some: readonly OpenCall[]): string {
  return some.map(nameCall).join(", ");
}

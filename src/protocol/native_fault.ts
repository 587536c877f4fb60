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
  /** The call that failed. */
  readonly failed?: OpenCall;
}

/** The violation that tells which calls failed and how, which have run and which have not. */
export function reportFaults(report: FaultReport): Confirmed {
  const { faults, calls, ran, at, failed } = report;
  const sentences = [
    capitalise(faults.map((fault) => fault.what).join("; ")),
    ...(ran > 0 ? [`Done already, do not repeat: ${names(calls.slice(0, ran))}`] : []),
    ...(ran < calls.length ? [`Not run: ${names(calls.slice(ran))}`] : []),
    ran < calls.length
      ? "Send what was not run again, each call with arguments that are one complete JSON object"
      : "Go on from the results",
  ];
  return {
    kind: "violation",
    violation: {
      kind: faults[0]!.kind,
      message: sentences.join(". ") + ".",
      at,
      ...(failed?.announced && { id: failed.id }),
    },
  };
}

function names(some: readonly OpenCall[]): string {
  return some.map(nameCall).join(", ");
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

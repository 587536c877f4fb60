/** Which faults strike one message: seeded, so that a run can be repeated. */
import type { ProtocolName } from "../vocab.ts";
import type { FaultKind, FaultPlan, FaultRule } from "./faults.ts";
import { createRandom, type Random } from "./random.ts";

/** A fault that strikes, with its own chance for what is still to be drawn. */
export interface Strike {
  readonly rule: FaultRule;
  readonly random: Random;
}

/** The faults that strike a message. */
export type Strikes = ReadonlyMap<FaultKind, Strike>;

/** Faults in what the model writes; a complaint can cure these, but not a bad connection. */
const CURABLE: readonly FaultKind[] = [
  "empty_reply",
  "wrong_protocol",
  "duplicate_id",
  "invented_result",
  "miscounted_length",
  "broken_tag",
  "unescaped_newline",
  "truncation",
];

/**
 * Draws for the message that `key` names. A rule for single arguments (`miscounted_length`) always strikes:
 * its rate is drawn for each argument.
 */
export function drawStrikes(
  plan: FaultPlan,
  message: { key: string; protocol: ProtocolName; complaints: number },
): Strikes {
  const repaired = message.complaints > 0 &&
    createRandom(`${message.key}|repair`)() < plan.repair;
  const strikes = new Map<FaultKind, Strike>();
  for (const rule of plan.rules) {
    if (rule.protocols && !rule.protocols.includes(message.protocol)) continue;
    if (repaired && CURABLE.includes(rule.kind)) continue;
    const random = createRandom(`${message.key}|${rule.kind}`);
    if (rule.kind === "miscounted_length" || random() < rule.rate) {
      strikes.set(rule.kind, { rule, random });
    }
  }
  return strikes;
}

/** Which faults strike one message: seeded, so that a run can be repeated. */
import type { ProtocolName } from "../vocab.ts";
import { type FaultKind, type FaultPlan, type FaultRule, TEXT_FAULTS } from "./faults.ts";
import { createRandom, type Random } from "./random.ts";

/** A fault that strikes, with its own chance for what is still to be drawn. */
export interface Strike {
  readonly rule: FaultRule;
  readonly random: Random;
}

/** The faults that strike a message. */
export type Strikes = ReadonlyMap<FaultKind, Strike>;

const CURABLE: readonly FaultKind[] = TEXT_FAULTS;

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

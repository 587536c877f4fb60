/**
 * What can go wrong with a simulated model, as data. A `faults.json` reads:
 *
 * ```json
 * { "repair": 0.8, "giveUpAfter": 6, "rules": [
 *   { "kind": "miscounted_length", "rate": 0.85, "tooSmall": 0.7, "protocols": ["ctl"] },
 *   { "kind": "truncation", "rate": 0.1, "afterTokens": 20 },
 *   { "kind": "rate_limit", "rate": 0.3, "seconds": 1 } ] }
 * ```
 *
 * `rate` is a chance for each message, for `miscounted_length` for each length-prefixed argument of several lines. `repair` is the
 * chance that the message after a complaint is free of faults in its text; after `giveUpAfter` complaints in a row
 * the model answers that it gives up.
 */
import { ConfigError } from "../errors.ts";
import { PROTOCOL_NAMES } from "../protocol/mod.ts";
import type { Json, JsonObject, ProtocolName } from "../vocab.ts";

/** Faults in what the model writes; a complaint can cure these, but not a bad connection. */
export const TEXT_FAULTS = [
  "empty_reply",
  "wrong_protocol",
  "duplicate_id",
  "invented_result",
  "miscounted_length",
  "broken_tag",
  "unescaped_newline",
  "truncation",
] as const;

/** Every fault, in the order in which they take effect on a message. */
export const FAULT_KINDS = [
  "rate_limit",
  "server_error",
  ...TEXT_FAULTS,
  "dropped_connection",
  "stall",
] as const;

/** The name of a fault. */
export type FaultKind = typeof FAULT_KINDS[number];

/** One fault and how often it happens. */
export interface FaultRule {
  readonly kind: FaultKind;
  readonly rate: number;
  /** Where it happens; everywhere when left out. */
  readonly protocols?: readonly ProtocolName[];
  /** Of the miscounted lengths, the share that is too small; 0.5 when left out. */
  readonly tooSmall?: number;
  /** Tokens that still go out before the cut; drawn when left out. */
  readonly afterTokens?: number;
  /** The `Retry-After` of a `rate_limit` (1 when left out), or how long a `stall` lasts (for good when left out). */
  readonly seconds?: number;
}

/** All faults of a simulated model. */
export interface FaultPlan {
  readonly repair: number;
  readonly giveUpAfter: number;
  readonly rules: readonly FaultRule[];
}

/** A model that makes no mistake. */
export const NO_FAULTS: FaultPlan = { repair: 1, giveUpAfter: 6, rules: [] };

/**
 * The rates that were published for a real model (12 runs a protocol): of 33 length-prefixed arguments 20 were
 * declared too small and 8 too large, right after a complaint as well; of about 68 messages in XML 21 had a
 * broken tag; `ctl-heredoc` and the native protocols had no violation.
 */
export const PUBLISHED_FAULTS: FaultPlan = {
  repair: 0,
  giveUpAfter: 6,
  rules: [
    { kind: "miscounted_length", rate: 28 / 33, tooSmall: 20 / 28, protocols: ["ctl"] },
    { kind: "broken_tag", rate: 21 / 68, protocols: ["xml"] },
  ],
};

/**
 * Reads the text of a `faults.json`. Throws `ConfigError` that names the rule and what is wrong with it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const text = '{"rules":[{"kind":"empty_reply","rate":0.5}]}';
 * assertEquals(parseFaults(text, "faults.json"), {
 *   repair: 1,
 *   giveUpAfter: 6,
 *   rules: [{ kind: "empty_reply", rate: 0.5 }],
 * });
 * ```
 */
export function parseFaults(text: string, path: string): FaultPlan {
  let data: Json;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`Cannot read the faults "${path}": it is not JSON`, { cause });
  }
  if (!isObject(data)) throw new ConfigError(`Cannot read the faults "${path}": it is no object`);
  const { repair = 1, giveUpAfter = 6, rules = [], ...others } = data;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) {
    throw new ConfigError(`Cannot read the faults "${path}": unknown field "${unknown}"`);
  }
  if (!isShare(repair) || typeof giveUpAfter !== "number" || !Array.isArray(rules)) {
    throw new ConfigError(
      `Cannot read the faults "${path}": "repair" is a share from 0 to 1, "giveUpAfter" a number, "rules" a list`,
    );
  }
  return { repair, giveUpAfter, rules: rules.map((rule, i) => parseRule(rule, i, path)) };
}

function parseRule(rule: Json, index: number, path: string): FaultRule {
  const where = `Cannot read rule ${index + 1} of "${path}"`;
  if (!isObject(rule)) throw new ConfigError(`${where}: it is no object`);
  const kind = FAULT_KINDS.find((known) => known === rule["kind"]);
  if (!kind) throw new ConfigError(`${where}: "kind" is one of ${FAULT_KINDS.join(", ")}`);
  const rate = rule["rate"];
  if (!isShare(rate)) throw new ConfigError(`${where}: "rate" is a share from 0 to 1`);
  const { protocols, tooSmall, afterTokens, seconds } = rule;
  if (protocols !== undefined && !areProtocols(protocols)) {
    throw new ConfigError(`${where}: "protocols" is a list of ${PROTOCOL_NAMES.join(", ")}`);
  }
  return {
    kind,
    rate,
    ...(protocols === undefined ? {} : { protocols }),
    ...(isShare(tooSmall) ? { tooSmall } : {}),
    ...(typeof afterTokens === "number" ? { afterTokens } : {}),
    ...(typeof seconds === "number" ? { seconds } : {}),
  };
}

function areProtocols(value: Json): value is ProtocolName[] {
  return Array.isArray(value) && value.every((name) => PROTOCOL_NAMES.some((it) => it === name));
}

function isShare(value: Json | undefined): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What a simulated model does about a task, step by step; a fixture keeps it as `plan.json`:
 *
 * ```json
 * { "steps": [
 *   { "text": "I run the tests first.",
 *     "calls": [{ "name": "run", "arguments": { "command": "make test" } }] },
 *   { "when": "exit=[1-9]", "text": "…", "calls": [ … ] },
 *   { "text": "Done." }
 * ] }
 * ```
 *
 * A step is one message of the model. `when` is a regular expression over the results of the step before
 * (each as `exit=N`, a newline and the output); where it finds nothing, the step is left out.
 */
import { ConfigError } from "../errors.ts";
import type { Json, JsonObject } from "../vocab.ts";

/** One call of a step. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** One message of the model; without calls it is an answer. */
export interface PlanStep {
  readonly when?: RegExp;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/** The steps in order. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}

/**
 * Reads the text of a `plan.json`. Throws `ConfigError` that names the step and what is wrong with it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parsePlan('{"steps":[{"text":"Done."}]}', "plan.json"), {
 *   steps: [{ text: "Done.", calls: [] }],
 * });
 * ```
 */
export function parsePlan(text: string, path: string): Plan {
  const plan = parseJson(text, path);
  const steps = isObject(plan) ? plan["steps"] : undefined;
  if (!Array.isArray(steps) || steps.length === 0) {
    throw new ConfigError(`Cannot read the plan "${path}": it has no "steps"`);
  }
  return { steps: steps.map((step, i) => parseStep(step, `step ${i + 1} of "${path}"`)) };
}

function parseJson(text: string, path: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`Cannot read the plan "${path}": it is not JSON`, { cause });
  }
}

function parseStep(step: Json, where: string): PlanStep {
  if (!isObject(step)) throw new ConfigError(`Cannot read ${where}: it is not an object`);
  const { when, text = "", calls = [] } = step;
  if (typeof text !== "string") throw new ConfigError(`Cannot read ${where}: "text" is no string`);
  if (!Array.isArray(calls)) throw new ConfigError(`Cannot read ${where}: "calls" is no list`);
  const parsed = { text, calls: calls.map((call) => parseCall(call, where)) };
  return when === undefined ? parsed : { when: parsePattern(when, where), ...parsed };
}

function parseCall(call: Json, where: string): PlannedCall {
  const name = isObject(call) ? call["name"] : undefined;
  const args = isObject(call) ? call["arguments"] : undefined;
  if (typeof name !== "string" || !isObject(args)) {
    throw new ConfigError(`Cannot read ${where}: a call needs "name" and "arguments"`);
  }
  return { name, arguments: args };
}

function parsePattern(when: Json, where: string): RegExp {
  if (typeof when !== "string") throw new ConfigError(`Cannot read ${where}: "when" is no string`);
  try {
    return new RegExp(when);
  } catch (cause) {
    throw new ConfigError(`Cannot read ${where}: "when" is no regular expression`, { cause });
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

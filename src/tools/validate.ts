/** Arguments against a tool's schema (SPEC 3): typed values for the tool, or one sentence for the model. */
import type { Json, JsonObject, ToolCall, ToolParameter, ToolParameters } from "../vocab.ts";

/** The arguments as the schema types them, or what is wrong with them (the call's result is then `exit=2`). */
export type Validated =
  | { readonly kind: "ok"; readonly args: JsonObject }
  | { readonly kind: "bad"; readonly message: string };

/**
 * Checks a call's arguments. Values of a text protocol are converted by the schema; those of JSON must have the right
 * type already, but `null` stands for an optional argument that is left out. Unknown arguments are named, not dropped.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const line = { type: "integer", description: "" } as const;
 * const schema = { type: "object", properties: { line }, required: ["line"] } as const;
 * assertEquals(validateArguments({ arguments: { line: "7" }, values: "text" }, schema), {
 *   kind: "ok",
 *   args: { line: 7 },
 * });
 * ```
 */
export function validateArguments(
  call: Pick<ToolCall, "arguments" | "values">,
  schema: ToolParameters,
): Validated {
  const problems: string[] = [];
  const args: JsonObject = {};
  const known = Object.keys(schema.properties);
  for (const [key, value] of Object.entries(call.arguments)) {
    const parameter = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (!parameter) {
      problems.push(`there is no argument "${key}" (there are: ${known.join(", ")})`);
    } else if (value !== null || schema.required.includes(key)) {
      const typed = call.values === "text" ? convert(value, parameter) : value;
      const problem = problemOf(typed, parameter);
      if (problem) problems.push(`argument "${key}" ${problem}, not ${shown(value)}`);
      else args[key] = typed!;
    }
  }
  for (const key of schema.required) {
    if (!Object.hasOwn(call.arguments, key)) problems.push(`argument "${key}" is missing`);
  }
  if (problems.length === 0) return { kind: "ok", args };
  return { kind: "bad", message: `The call was not run: ${problems.join("; ")}.` };
}

/** A text value as its type; what can't be read as that stays text, to be named as wrong. */
function convert(value: Json, { type }: ToolParameter): Json | undefined {
  if (typeof value !== "string" || type === "string") return value;
  const text = value.trim();
  switch (type) {
    case "integer":
      return /^[+-]?\d+$/.test(text) ? Number(text) : value;
    case "number":
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : value;
    case "boolean":
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : value;
    case "object":
    case "array":
      try {
        return JSON.parse(text) as Json;
      } catch {
        return value;
      }
  }
}

function problemOf(value: Json | undefined, parameter: ToolParameter): string | undefined {
  const { type, minimum, maximum } = parameter;
  switch (type) {
    case "string":
      return typeof value === "string" ? undefined : "must be a string";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "array":
      return Array.isArray(value) ? undefined : "must be an array";
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? undefined
        : "must be an object";
    case "integer":
    case "number": {
      const kind = type === "integer" ? "a whole number" : "a number";
      const fits = type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
      if (!fits || typeof value !== "number") return `must be ${kind}`;
      if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
      return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined;
    }
  }
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

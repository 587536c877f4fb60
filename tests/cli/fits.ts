/** The part of JSON Schema that the schemas here use. */
import { assert } from "@std/assert";
import type { Json, JsonObject } from "../../src/vocab.ts";
import { eventSchema } from "../../src/cli/event_schema.ts";

/** Does `value` fit? Only what the schemas here use is known; anything else fails. */
export function fits(value: Json | undefined, shape: JsonObject): boolean {
  if (shape.oneOf) {
    return (shape.oneOf as JsonObject[]).filter((one) => fits(value, one)).length === 1;
  }
  if (shape.anyOf) return (shape.anyOf as JsonObject[]).some((one) => fits(value, one));
  if ("const" in shape) return value === shape.const;
  if (shape.enum) return (shape.enum as Json[]).includes(value!);
  switch (shape.type) {
    case "null":
      return value === null;
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "number":
    case "integer":
      return typeof value === "number" && value >= Number(shape.minimum ?? -Infinity) &&
        (shape.type === "number" || Number.isInteger(value));
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) &&
        fitsObject(value, shape);
    default:
      throw new Error(`Unknown shape ${JSON.stringify(shape)}`);
  }
}

function fitsObject(value: JsonObject, shape: JsonObject): boolean {
  const properties = (shape.properties ?? {}) as Record<string, JsonObject>;
  return ((shape.required ?? []) as string[]).every((name) => name in value) &&
    Object.entries(value).every(([name, entry]) => {
      const property = properties[name];
      return property ? fits(entry, property) : shape.additionalProperties !== false;
    });
}

const SCHEMA = eventSchema();

/** The events in what `run --json` printed; throws for a line that isn't one, and for an end that isn't the outcome. */
export function readEvents(stdout: string): JsonObject[] {
  const events = stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line) as JsonObject);
  assert(stdout.endsWith("\n"), "the last line has its end");
  for (const event of events) assert(fits(event, SCHEMA), JSON.stringify(event));
  assert(events[0]?.type === "schema" && events.at(-1)?.type === "outcome");
  assert(events.filter(({ type }) => type === "outcome").length === 1);
  return events;
}

/** `cst-agent schema`: the JSON Schemas of events and configuration (SPEC 10). */
import { EXIT, UsageError } from "../errors.ts";
import type { JsonObject } from "../vocab.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import type { Command } from "./command.ts";
import { eventSchema } from "./event_schema.ts";

/** The type of each key of a configuration file. */
export type ConfigKeys = { readonly [key: string]: "string" | "number" | "boolean" | "strings" };

/** What the command takes. */
export const SCHEMA_SPEC: CommandSpec = {
  name: "schema",
  usage: "schema events|config",
  summary: "Prints the JSON Schema of the events (NDJSON) or of the configuration file.",
  options: [],
  example: "cst-agent schema events > events.schema.json",
};

/** The command, given the keys that a configuration file may hold. */
export function createSchemaCommand(keys: ConfigKeys): Command {
  return (argv, world) => {
    const parsed = parseCommandLine(argv, SCHEMA_SPEC);
    if (parsed.flag("help")) world.stdout(helpText(SCHEMA_SPEC));
    else world.stdout(JSON.stringify(schemaOf(parsed.positional, keys), null, 2) + "\n");
    return Promise.resolve(EXIT.done);
  };
}

function schemaOf([which, extra]: readonly string[], keys: ConfigKeys): JsonObject {
  if (which === "events" && extra === undefined) return eventSchema();
  if (which === "config" && extra === undefined) return configSchema(keys);
  throw new UsageError('Say which schema: "cst-agent schema events" or "cst-agent schema config"');
}

function configSchema(keys: ConfigKeys): JsonObject {
  const properties = Object.entries(keys).map(([key, type]) => [
    key,
    type === "strings" ? { type: "array", items: { type: "string" } } : { type },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of cst-agent",
    description: "cst-agent.json in a project, or config.json in the user's configuration folder",
    type: "object",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(properties) as JsonObject },
    additionalProperties: false,
  };
}

/** The JSON Schema of the events that `parse`, `replay` and `run --json` print (SPEC 10). */
import type { Json, JsonObject } from "../vocab.ts";
import { EXIT } from "../errors.ts";
import { EVENT_SCHEMA } from "./json_lines.ts";

type Fields = { readonly [name: string]: JsonObject };

const TEXT: JsonObject = { type: "string" };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const NUMBER: JsonObject = { type: "number", minimum: 0 };
const AT: JsonObject = {
  ...COUNT,
  description: "Bytes of the protocol's own text up to the byte that confirmed it",
};
const ARGUMENTS: JsonObject = { type: "object" };
const USAGE: JsonObject = {
  type: "object",
  properties: { input_tokens: COUNT, output_tokens: COUNT, cached_tokens: COUNT },
  required: ["input_tokens", "output_tokens"],
  additionalProperties: false,
};

function oneOf(...values: readonly string[]): JsonObject {
  return { enum: [...values] };
}

function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: "null" }] };
}

/** An event: what it says, its fields, and those of them that may be absent. */
interface EventShape {
  readonly says: string;
  readonly fields: Fields;
  readonly optional?: readonly string[];
}

/** What `parse` and `replay` print. */
const READ: { readonly [type: string]: EventShape } = {
  text: { says: "Prose that is certain", fields: { text: TEXT } },
  call: {
    says: "The identity of a call: never withdrawn",
    fields: { id: TEXT, name: TEXT, at: AT },
  },
  arg: {
    says: "An argument's key and form",
    fields: {
      id: TEXT,
      key: TEXT,
      form: oneOf("length", "inline", "heredoc", "json", "xml"),
      at: AT,
    },
  },
  ready: {
    says: "The call is executable",
    fields: { id: TEXT, name: TEXT, arguments: ARGUMENTS, at: AT },
  },
  violation: {
    says: "The message left its language; nothing more is read from it",
    fields: {
      kind: oneOf(
        "bad_call",
        "bad_arg",
        "unexpected_line",
        "body_eof",
        "heredoc_eof",
        "call_eof",
        "line_too_long",
        "limit",
        "bad_json",
        "bad_xml",
      ),
      message: TEXT,
      at: AT,
    },
  },
  stop: {
    says: "Reading stopped without an error",
    fields: { reason: oneOf("prose_after_call"), at: AT },
  },
  end: {
    says: "The message ended",
    fields: {
      how: oneOf("complete", "cut"),
      finish_reason: orNull(TEXT),
      usage: orNull(USAGE),
      pending_max: { ...COUNT, description: "The most bytes that were held back" },
      why: { ...TEXT, description: "Why it was cut" },
    },
    optional: ["why"],
  },
};

/** What `run --json` prints besides. */
const RUN: { readonly [type: string]: EventShape } = {
  schema: {
    says: "The first line: within a version, events and fields are only added",
    fields: { schema: { const: EVENT_SCHEMA.name }, version: { const: EVENT_SCHEMA.version } },
  },
  reasoning: { says: "Reasoning of the model", fields: { text: TEXT } },
  start: {
    says: "A run begins",
    fields: {
      session: TEXT,
      protocol: oneOf("native-eos", "native-inc", "ctl", "ctl-heredoc", "xml"),
      provider: TEXT,
      model: TEXT,
      cwd: TEXT,
      sandbox: TEXT,
    },
  },
  user: { says: "A message of the user", fields: { text: TEXT } },
  request: { says: "A request goes out", fields: { step: COUNT } },
  wait: {
    says: "The agent waits",
    fields: { reason: oneOf("retry", "idle", "empty_reply"), seconds: NUMBER, message: TEXT },
  },
  tool_start: {
    says: "A call starts",
    fields: {
      id: TEXT,
      name: TEXT,
      arguments: ARGUMENTS,
      confirmed_to_started_ms: NUMBER,
      stream_ended: { type: "boolean" },
    },
  },
  tool_progress: { says: "A call still runs", fields: { id: TEXT, seconds: COUNT } },
  tool_output: { says: "Output of a running command", fields: { id: TEXT, text: TEXT } },
  tool_result: {
    says: "What came of a call",
    fields: { id: TEXT, name: TEXT, exit: { type: "integer" }, output: TEXT, ms: NUMBER },
  },
  notice: { says: "Something that the user should know", fields: { message: TEXT } },
  outcome: {
    says: "The run ended",
    fields: {
      outcome: oneOf(
        "done",
        "agent_error",
        "provider_error",
        "try_later",
        "step_limit",
        "refused",
        "timeout",
        "cancelled",
        "terminated",
        "usage_error",
        "config_error",
        "session_error",
        "internal_error",
      ),
      exit: { enum: [...new Set(Object.values(EXIT))] },
      message: TEXT,
      text: { ...TEXT, description: "The final answer" },
      steps: COUNT,
      usage: USAGE,
      denied: COUNT,
    },
  },
};

/** The schema of one line. */
export function eventSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "An event of cst-agent",
    description: "One line of NDJSON. parse and replay print " +
      `${Object.keys(READ).join(", ")}; run --json prints all`,
    oneOf: Object.entries({ ...READ, ...RUN }).map(([type, shape]) => objectSchema(type, shape)),
  };
}

function objectSchema(type: string, { says, fields, optional = [] }: EventShape): Json {
  return {
    description: says,
    type: "object",
    properties: { type: { const: type }, ...fields },
    required: ["type", ...Object.keys(fields).filter((name) => !optional.includes(name))],
    additionalProperties: false,
  };
}

import { assert, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/errors.ts";
import type { AgentEvent, Json, JsonObject, ToolCall, Usage } from "../../src/vocab.ts";
import { toJsonEvent } from "../../src/cli/events.ts";
import { createSchemaCommand } from "../../src/cli/schema.ts";
import { fits } from "./fits.ts";
import { runCommand } from "./io.ts";

const schema = createSchemaCommand({ protocol: "string", maxSteps: "number", redact: "strings" });

const usage: Usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0 };
const call: ToolCall = { id: "c1", name: "run", arguments: { a: 1 }, values: "json", extra: {} };
const violation = { kind: "bad_arg", message: "No.", at: 3, id: "c1" } as const;

/** One of each kind. */
const EVENTS: { readonly [kind in AgentEvent["kind"]]: AgentEvent } = {
  text: { kind: "text", text: "a" },
  reasoning: { kind: "reasoning", text: "a" },
  call: { kind: "call", id: "c1", name: "run", at: 1 },
  arg: { kind: "arg", id: "c1", key: "a", form: "json", at: 1 },
  piece: { kind: "piece", id: "c1", key: "a", text: "x" },
  ready: { kind: "ready", call, at: 2 },
  violation: { kind: "violation", violation },
  stop: { kind: "stop", reason: "prose_after_call", at: 4 },
  end: { kind: "end", how: "cut", finishReason: null, usage, pendingMax: 9, why: "lost" },
  start: {
    kind: "start",
    session: "s",
    protocol: "xml",
    provider: "p",
    model: "m",
    cwd: "/",
    sandbox: "rules only",
  },
  user: { kind: "user", text: "a" },
  request: { kind: "request", step: 1 },
  wait: { kind: "wait", reason: "retry", seconds: 0.5, message: "a" },
  tool_start: { kind: "tool_start", call, confirmedToStartedMs: 0.1, streamEnded: false },
  tool_output: { kind: "tool_output", id: "c1", text: "a" },
  tool_result: {
    kind: "tool_result",
    result: { id: "c1", name: "run", exit: -1, output: "" },
    ms: 1.5,
  },
  notice: { kind: "notice", message: "a" },
  outcome: {
    kind: "outcome",
    outcome: "done",
    exit: 0,
    message: "",
    text: "a",
    steps: 1,
    usage,
    denied: 0,
  },
};

Deno.test("every event fits the printed schema, and no other shape does", async () => {
  const { stdout } = await runCommand(schema, ["events"]);
  const shape = JSON.parse(stdout) as JsonObject;
  for (const [kind, event] of Object.entries(EVENTS)) {
    const json = toJsonEvent(event);
    if (kind === "piece") assertEquals(json, undefined);
    else {
      assert(fits(JSON.parse(JSON.stringify(json)) as Json, shape), kind);
      assert(!fits({ ...json!, more: 1 }, shape), kind);
      assert(!fits({ ...json!, type: "other" }, shape), kind);
    }
  }
});

Deno.test("the schema of the configuration names every key", async () => {
  const { stdout } = await runCommand(schema, ["config"]);
  const { properties, additionalProperties } = JSON.parse(stdout) as JsonObject;
  assertEquals(properties, {
    $schema: { type: "string" },
    protocol: { type: "string" },
    maxSteps: { type: "number" },
    redact: { type: "array", items: { type: "string" } },
  });
  assertEquals(additionalProperties, false);
});

Deno.test("schema says what it needs", () => {
  for (const argv of [[], ["event"], ["events", "config"]]) {
    assertThrows(() => schema(argv, {} as never), UsageError, "Say which schema");
  }
});

import { assertEquals } from "@std/assert";
import type { AgentEvent, ToolCall } from "../../src/vocab.ts";
import { createMeter, sumUp } from "../../src/eval/measure.ts";

const call = (id: string): ToolCall => ({ id, name: "run", arguments: {}, values: "text" });
const result = (id: string, exit: number) => ({ id, name: "run", exit, output: "" });
const end: AgentEvent = {
  kind: "end",
  how: "complete",
  finishReason: "stop",
  usage: null,
  pendingMax: 0,
};

/** A run of two messages: the first runs a call inside its stream, the second one after it. */
const RUN: readonly (readonly [at: number, AgentEvent])[] = [
  [0, { kind: "request", step: 1 }],
  [100, { kind: "text", text: "Hello" }],
  [105, { kind: "text", text: "!" }],
  [150, { kind: "arg", id: "a", key: "command", form: "inline", at: 1 }],
  [160, { kind: "ready", call: call("a"), at: 2 }],
  [160, { kind: "tool_start", call: call("a"), confirmedToStartedMs: 0, streamEnded: false }],
  [360, { kind: "tool_result", result: result("a", 1), ms: 200 }],
  [400, end],
  [500, { kind: "request", step: 2 }],
  [600, { kind: "ready", call: call("a"), at: 2 }],
  [620, { kind: "violation", violation: { kind: "bad_arg", message: "", at: 3 } }],
  [740, { kind: "tool_start", call: call("a"), confirmedToStartedMs: 140, streamEnded: true }],
  [800, { kind: "tool_result", result: result("a", 0), ms: 60 }],
  [810, end],
];

Deno.test("a meter turns events into a timeline and figures", () => {
  let now = 0;
  const meter = createMeter(() => now);
  for (const [at, event] of RUN) {
    now = at;
    meter.listen(event);
  }
  const measured = meter.result();
  assertEquals(measured, {
    timeline: {
      messages: [
        { start: 0, end: 400, bytes: [[100, 6]] },
        { start: 500, end: 740, bytes: [] },
      ],
      calls: [
        {
          message: 0,
          id: "a",
          name: "run",
          confirmed: 160,
          start: 160,
          end: 360,
          exit: 1,
          early: true,
        },
        {
          message: 1,
          id: "a",
          name: "run",
          confirmed: 600,
          start: 740,
          end: 800,
          exit: 0,
          early: false,
        },
      ],
    },
    violations: { bad_arg: 1 },
    forms: { inline: 1 },
    waits: [0, 140],
  });
  assertEquals(sumUp(measured), {
    modelS: 0.44,
    toolS: 0.26,
    waitMs: 70,
    firstActionMs: 200,
    overlapS: 0.2,
    calls: 2,
    early: 1,
  });
});

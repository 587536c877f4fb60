/** When a call starts, and what stops it: a cancel, a signal, the time limit of the run. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentEvent, JsonObject } from "../../src/vocab.ts";
import { callOf, saying, withRig } from "../world.ts";

const ANSWER = { deltas: [{ kind: "text", text: "ok" }] } as const;

/** Aborts the run when an event is told. */
function abortAt(matches: (event: AgentEvent) => boolean, reason = "SIGINT") {
  const controller = new AbortController();
  const onEvent = (event: AgentEvent) => {
    if (matches(event) && !controller.signal.aborted) controller.abort(reason);
  };
  return { signal: controller.signal, onEvent };
}

const LONG_RUN = "echo partial; sleep 60";
const both = [
  callOf("c1", "run", { command: LONG_RUN }),
  callOf("c2", "run", { command: "echo > ran-after" }),
];

Deno.test("a cancel at any moment is recorded, ends with its outcome, and runs nothing more", async (t) => {
  const moments: { readonly [title: string]: (event: AgentEvent) => boolean } = {
    "before the first request": (event) => event.kind === "user",
    "while the request goes out": (event) => event.kind === "request",
    "in the text": (event) => event.kind === "text",
    "in a call": (event) => event.kind === "call" || event.kind === "ready",
    "while a tool runs": (event) => event.kind === "tool_output",
  };
  for (const protocol of ["ctl-heredoc", "native-eos"] as const) {
    for (const [title, matches] of Object.entries(moments)) {
      await t.step(`${protocol}: ${title}`, async () => {
        const { signal, onEvent } = abortAt(matches);
        const answers = [saying(protocol, "I start.", both), ANSWER];
        await withRig(answers, { protocol, onEvent }, async (rig) => {
          const end = await rig.run("Go", signal);
          assertEquals([end.outcome, end.message], ["cancelled", "Cancelled"]);
          assertEquals(rig.events.at(-1)!.kind, "outcome");
          const records = rig.records();
          assertEquals(records.at(-1), { kind: "cancel", why: "SIGINT" });
          const kinds = records.map(({ kind }) => kind);
          assertEquals(
            kinds.filter((kind) => kind === "call").length,
            kinds.filter((kind) => kind === "result").length,
          );
          for (const record of records) {
            if (record.kind === "result") assertEquals(record.result.exit, 130);
          }
          assertEquals([...Deno.readDirSync(rig.cwd)], []);
        });
      });
    }
  }
});

Deno.test("a cancelled command's output so far is kept and goes back with what was said", async () => {
  const { signal, onEvent } = abortAt((event) => event.kind === "tool_output");
  const answers = [saying("ctl-heredoc", "I start.", both), ANSWER];
  await withRig(answers, { onEvent }, async (rig) => {
    await rig.run("Go", signal);
    await rig.run("Go on");
    const sent = JSON.stringify((rig.bodies[1] as JsonObject).messages);
    assertStringIncludes(sent, "partial\\n[cancelled: the command and its children were stopped]");
    assertStringIncludes(sent, "I start.");
    assertStringIncludes(sent, "The user cancelled this message.");
  });
});

Deno.test("each reason to stop has its outcome", async (t) => {
  const rows = [
    ["SIGINT", "cancelled", 130],
    ["esc", "cancelled", 130],
    ["SIGPIPE", "cancelled", 130],
    ["SIGTERM", "terminated", 143],
    ["SIGHUP", "terminated", 143],
  ] as const;
  for (const [reason, outcome, exit] of rows) {
    await t.step(reason, async () => {
      const { signal, onEvent } = abortAt((event) => event.kind === "tool_output", reason);
      await withRig([saying("ctl", "", both)], { protocol: "ctl", onEvent }, async (rig) => {
        assertEquals((await rig.run("Go", signal)).outcome, outcome);
        const last = rig.events.at(-1)!;
        assertEquals(last.kind === "outcome" && last.exit, exit);
      });
    });
  }
});

Deno.test("the time limit of a run stops its tool and is outcome timeout, exit 124", async () => {
  const ring: { now?: () => void } = {};
  const onEvent = (event: AgentEvent) => {
    if (event.kind === "tool_output") ring.now?.();
  };
  const options = { timeoutMs: 1_000_000, onEvent };
  await withRig([saying("ctl-heredoc", "", both), ANSWER], options, async (rig) => {
    ring.now = rig.clock.ring;
    const end = await rig.run();
    assertEquals([end.outcome, end.message], ["timeout", "Stopped at the time limit (--timeout)"]);
    const last = rig.events.at(-1)!;
    assertEquals(last.kind === "outcome" && last.exit, 124);
    assertEquals(rig.records().at(-1), { kind: "cancel", why: "timeout" });
  });
});

Deno.test("calls that are confirmed together are timed from when they were confirmed", async () => {
  const calls = [callOf("a", "list_files", {}), callOf("b", "list_files", {})];
  await withRig(
    [saying("native-eos", "", calls), ANSWER],
    { protocol: "native-eos" },
    async (rig) => {
      await rig.run();
      const starts = rig.events.flatMap((event) => event.kind === "tool_start" ? [event] : []);
      const results = rig.events.flatMap((event) => event.kind === "tool_result" ? [event] : []);
      assert(starts[1]!.confirmedToStartedMs > starts[0]!.confirmedToStartedMs + results[0]!.ms);
      assertEquals(starts.map(({ streamEnded }) => streamEnded), [true, true]);
    },
  );
});

Deno.test("an eager call starts while the stream goes on", async () => {
  for (const protocol of ["ctl", "ctl-heredoc", "native-inc"] as const) {
    const calls = [callOf("a", "list_files", {}), callOf("b", "list_files", {})];
    await withRig([saying(protocol, "", calls), ANSWER], { protocol }, async (rig) => {
      await rig.run();
      const starts = rig.events.flatMap((event) => event.kind === "tool_start" ? [event] : []);
      assertEquals(starts[0]!.streamEnded, false, protocol);
    });
  }
});

Deno.test("a cancel while a person is asked is a cancel, not a refusal, and nothing has run", async () => {
  const stop = new AbortController();
  const approve = () => {
    stop.abort("esc");
    return Promise.resolve({ kind: "no", reason: "" } as const);
  };
  const call = callOf("c1", "run", { command: "touch ran" });
  const answers = [saying("ctl", "", [call]), ANSWER];
  await withRig(answers, { protocol: "ctl", flags: [], approve }, async (rig) => {
    const end = await rig.run("Go", stop.signal);
    assertEquals([end.outcome, end.denied], ["cancelled", 0]);
    const results = rig.records().flatMap((record) => record.kind === "result" ? [record] : []);
    assertEquals(results.map(({ result, note }) => [result.exit, note]), [[130, undefined]]);
    assertEquals([...Deno.readDirSync(rig.cwd)], []);
  });
});

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Delta, JsonObject } from "../../src/vocab.ts";
import { ProviderError } from "../../src/errors.ts";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { type Answer, callOf, LOST, type RigOptions, saying, withRig } from "../world.ts";
import { ended, finished, lastUserText, run, TEXT, words } from "./loop_rig.ts";

for (const protocol of PROTOCOL_NAMES) {
  Deno.test(`${protocol}: a call runs, its result goes back, the answer ends the run; the session has all of it in order`, async () => {
    const answers = [
      saying(protocol, "I look.", [run("echo hi; exit 3"), run("pwd", "c2")]),
      finished("Done so."),
    ];
    await withRig(answers, { protocol }, async (rig) => {
      const end = await rig.run("Look");
      assertEquals([end.outcome, end.text, end.steps], ["done", "Done so.", 2]);
      assertEquals(rig.records().map(({ kind }) => kind), [
        "header",
        "user",
        "call",
        "result",
        "call",
        "result",
        "text",
        "message",
        "text",
        "message",
      ]);
      const results = rig.records().flatMap((record) => record.kind === "result" ? [record] : []);
      assertEquals(results.map(({ result }) => [result.name, result.exit, result.output]), [
        ["run", 3, "hi\n"],
        ["run", 0, `${rig.cwd}\n`],
      ]);
      const sent = JSON.stringify(rig.bodies[1]!.messages);
      assertStringIncludes(sent, "exit=3");
      assertStringIncludes(sent, rig.cwd);
      assertEquals(rig.events.at(-1), {
        kind: "outcome",
        exit: 0,
        outcome: "done",
        message: "Done",
        text: "Done so.",
        steps: 2,
        usage: { inputTokens: 200, outputTokens: 20, cachedTokens: 0 },
        denied: 0,
      });
    });
  });
}

Deno.test("in text protocols one user message carries the frames of all calls, exact to the byte", async () => {
  const answers = [
    saying(TEXT, "", [run("printf é"), run("true", "c2")]),
    finished("Yes."),
  ];
  await withRig(answers, {}, async (rig) => {
    await rig.run();
    assertEquals(
      lastUserText(rig),
      "result c1 exit=0 2\né\nend\nresult c2 exit=0 0\n\nend\n",
    );
  });
});

Deno.test("each way for a run to end has its outcome, its sentence and its number of requests", async (t) => {
  const cut: Answer = { deltas: [words("Half")], end: LOST };
  const bad = finished("call c1\n");
  const empty: Answer = { deltas: [] };
  const rows: {
    readonly title: string;
    readonly answers: readonly Answer[];
    readonly options?: RigOptions;
    readonly outcome: string;
    readonly message: string;
    readonly text?: string;
    readonly requests: number;
  }[] = [
    {
      title: "a cut is asked again three times",
      answers: [cut, cut, cut, cut, finished("Never")],
      outcome: "provider_error",
      message: "The answer was cut 4 times: The connection was lost",
      text: "Half",
      requests: 4,
    },
    {
      title: "after three cuts the answer may still come",
      answers: [cut, cut, cut, finished("Whole")],
      outcome: "done",
      message: "Done",
      text: "Whole",
      requests: 4,
    },
    {
      title: "a cut that is no use to ask again ends the run",
      answers: [{ deltas: [], end: { ...LOST, retryable: false, why: "Wrong key" } }],
      outcome: "provider_error",
      message: "Wrong key",
      requests: 1,
    },
    {
      title: "an empty reply is asked again twice",
      answers: [empty, empty, empty, finished("Never")],
      outcome: "agent_error",
      message: "The model answered nothing, 3 times",
      requests: 3,
    },
    {
      title: "a reply of white space is empty",
      answers: [finished(" \n"), finished("Here")],
      outcome: "done",
      message: "Done",
      text: "Here",
      requests: 2,
    },
    {
      title: "a fourth violation in a row is an error",
      answers: [bad, bad, bad, bad, finished("Never")],
      outcome: "agent_error",
      message: '4 violations in a row; the last: the line "call c1" has no tool name',
      requests: 4,
    },
    {
      title: "a good call between violations begins a new row",
      answers: [bad, bad, bad, saying(TEXT, "", [run("true")]), bad, finished("Late")],
      outcome: "done",
      message: "Done",
      text: "Late",
      requests: 6,
    },
    {
      title: "the step limit",
      answers: Array.from({ length: 6 }, () => saying(TEXT, "On.", [run("true")])),
      options: { maxSteps: 3 },
      outcome: "step_limit",
      message: "Stopped after 3 steps (--max-steps)",
      text: "On.\n",
      requests: 3,
    },
    {
      title: "cuts are no steps",
      answers: [cut, cut, finished("One step")],
      options: { maxSteps: 1 },
      outcome: "done",
      message: "Done",
      text: "One step",
      requests: 3,
    },
    {
      title: "a server that refuses",
      answers: [{ deltas: [], error: new ProviderError("Answered 400") }],
      outcome: "provider_error",
      message: "Answered 400",
      requests: 1,
    },
    {
      title: "a server that says later",
      answers: [{ deltas: [], error: new ProviderError("Answered 429", { tryLater: true }) }],
      outcome: "try_later",
      message: "Answered 429",
      requests: 1,
    },
    {
      title: "a refused call that the model takes for the end",
      answers: [saying(TEXT, "", [run("true")]), finished("I may not.")],
      options: { flags: [] },
      outcome: "refused",
      message: "A permission was refused and the task ended there",
      text: "I may not.",
      requests: 2,
    },
    {
      title: "a refused call after which another one does",
      answers: [
        saying(TEXT, "", [run("true")]),
        saying(TEXT, "", [callOf("c2", "list_files", {})]),
        finished("Looked instead."),
      ],
      options: { flags: [] },
      outcome: "done",
      message: "Done",
      text: "Looked instead.",
      requests: 3,
    },
    {
      title: "the length limit inside prose is told to the model",
      answers: [
        {
          deltas: [words("Long")],
          end: { how: "cut", cause: "cut_by_server", finishReason: "length" },
        },
        finished("Short"),
      ],
      outcome: "done",
      message: "Done",
      text: "Short",
      requests: 2,
    },
  ];
  for (const row of rows) {
    await t.step(row.title, async () => {
      const { end, requests } = await ended(row.answers, row.options);
      assertEquals([end.outcome, end.text, requests], [
        row.outcome,
        row.text ?? "",
        row.requests,
      ]);
      assertStringIncludes(String(end.message), row.message);
    });
  }
});

Deno.test("what a server's end was odd about, and how the history was mended, is told once", async () => {
  const answers = [
    saying("native-eos", "", [run("true", "x y")], { notes: ["The server gave no finish_reason"] }),
    saying("native-eos", "", [run("true", "x y")]),
    saying("native-eos", "", [run("true", "x y")]),
    finished("ok"),
  ];
  await withRig(answers, { protocol: "native-eos" }, async (rig) => {
    await rig.run();
    const notices = rig.events.flatMap((event) => event.kind === "notice" ? [event.message] : []);
    assertEquals(notices.filter((text) => text.includes("finish_reason")).length, 1);
    assertEquals(notices.length, new Set(notices).size);
    const ids = (rig.bodies[3]!.messages as JsonObject[]).flatMap((message) =>
      message.role === "tool" ? [message.tool_call_id] : []
    );
    assertEquals([ids.length, new Set(ids).size], [3, 3]);
  });
});

Deno.test("what was typed meanwhile goes out with the next request", async () => {
  const queue = [["and quickly"], [], []];
  const takeQueued = () => queue.shift() ?? [];
  const answers = [saying(TEXT, "", [run("true")]), finished("ok")];
  await withRig(answers, { takeQueued }, async (rig) => {
    await rig.run("Go");
    assertEquals(lastUserText(rig, 0), "Go\n\nand quickly");
  });
});

Deno.test("the end of a message says the most bytes that were held back in it", async () => {
  const slices = ["Hi.\nca", "ll c1", " run\narg com", "mand true\nend\n"];
  await withRig([{ deltas: slices.map(words) }, finished("ok")], {}, async (rig) => {
    await rig.run();
    const held = rig.events.flatMap((event) => event.kind === "end" ? [event.pendingMax] : []);
    assertEquals(held, ["arg com".length, 0]);
  });
});

Deno.test("reasoning is shown and kept in whole characters, however the server cuts it", async () => {
  const thought = (text: string): Delta => ({
    kind: "reasoning",
    text,
    field: "reasoning_content",
  });
  for (const protocol of PROTOCOL_NAMES) {
    const deltas = [thought("hm \ud83d"), thought("\ude00"), thought(" so"), words("ok")];
    await withRig([{ deltas }], { protocol }, async (rig) => {
      await rig.run();
      const told = rig.events.flatMap((event) => event.kind === "reasoning" ? [event.text] : []);
      assertEquals(told, ["hm ", "😀", " so"]);
      const kept = rig.records().flatMap((record) =>
        record.kind === "message" ? [record.reasoning, record.reasoningField] : []
      );
      assertEquals(kept, ["hm 😀 so", "reasoning_content"]);
    });
  }
});

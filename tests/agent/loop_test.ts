import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Delta, JsonObject, ProtocolName } from "../../src/vocab.ts";
import { ProviderError } from "../../src/errors.ts";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { RequestError } from "../../src/provider/failure.ts";
import { type Answer, callOf, LOST, type Rig, type RigOptions, saying, withRig } from "../world.ts";

const TEXT: ProtocolName = "ctl-heredoc";
const run = (command: string, id = "c1") => callOf(id, "run", { command });
const words = (text: string): Delta => ({ kind: "text", text });
const finished = (text: string): Answer => ({ deltas: [words(text)] });

/** What the last request ends with: the user's side. */
function lastUserText(rig: Rig, request = -1): string {
  const messages = rig.bodies.at(request)!.messages as JsonObject[];
  return String(messages.at(-1)!.content);
}

/** Runs the answers and gives the rig's end in short. */
async function ended(
  answers: readonly Answer[],
  options: RigOptions = {},
): Promise<{ readonly end: JsonObject; readonly requests: number; readonly slept: number[] }> {
  let short: { end: JsonObject; requests: number; slept: number[] } | undefined;
  await withRig(answers, options, async (rig) => {
    const { outcome, message, text, steps } = await rig.run();
    short = {
      end: { outcome, message, text, steps },
      requests: rig.bodies.length,
      slept: [...rig.clock.slept],
    };
  });
  return short!;
}

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

Deno.test("cuts wait longer each time, empty replies are asked again at once", async () => {
  const cut: Answer = { deltas: [], end: LOST };
  // The first request has a head start of 3 ms.
  assertEquals((await ended([cut, cut, cut, finished("x")])).slept, [3, 500, 1000, 2000]);
  assertEquals((await ended([{ deltas: [] }, finished("x")])).slept, [3]);
  await withRig([cut, { deltas: [] }, finished("x")], {}, async (rig) => {
    await rig.run();
    const told = rig.events.flatMap((event) => event.kind === "wait" ? [event.message] : []);
    assertEquals(told, [
      "The answer was cut: The connection was lost; asking again in 0.5 s",
      "The model answered nothing; asking again",
    ]);
  });
});

Deno.test("a cut message that ran a call is never asked again: the results go on, the call ran once", async () => {
  for (const protocol of ["ctl", "ctl-heredoc", "native-inc"] as const) {
    const both = saying(protocol, "", [run("echo x >> log"), run("echo y >> log", "c2")]);
    // All of the first call and a part of the second; the lost rest is never asked for.
    const first = saying(protocol, "", [run("echo x >> log")]).deltas;
    const partial: Answer = {
      deltas: protocol === "native-inc"
        ? both.deltas.filter((delta) => delta.kind !== "finish" && delta.kind !== "done").slice(
          0,
          -1,
        )
        : [...first, words("call c2 run\narg comm")],
      end: LOST,
    };
    await withRig([partial, finished("Seen.")], { protocol }, async (rig) => {
      const end = await rig.run();
      assertEquals([end.outcome, end.text, rig.bodies.length], ["done", "Seen.", 2], protocol);
      assertEquals(Deno.readTextFileSync(`${rig.cwd}/log`), "x\n", protocol);
      assertStringIncludes(lastUserText(rig), "c1");
    });
  }
});

Deno.test("on a cut stream the protocols that run at the end run nothing and ask again", async () => {
  for (const protocol of ["native-eos", "xml"] as const) {
    const deltas = saying(protocol, "", [run("touch ran")]).deltas.filter(({ kind }) =>
      kind !== "finish" && kind !== "done"
    );
    await withRig([{ deltas, end: LOST }, finished("Again.")], { protocol }, async (rig) => {
      assertEquals((await rig.run()).text, "Again.");
      assertEquals([...Deno.readDirSync(rig.cwd)], []);
      assertEquals(rig.bodies[0], rig.bodies[1], "the same request, from the recorded history");
    });
  }
});

Deno.test("a complaint names what has run and asks for the failed call and what followed", async () => {
  const good = saying(TEXT, "", [run("echo one >> log")]).deltas;
  const answers = [
    { deltas: [...good, words("call c2 write_file\narg path a.txt\narg content 9\nshort\n")] },
    finished("Enough."),
  ];
  await withRig(answers, {}, async (rig) => {
    assertEquals((await rig.run()).outcome, "done");
    const text = lastUserText(rig);
    assertStringIncludes(text, "result c1 exit=0 0\n\nend\n");
    assertStringIncludes(text, '(body_eof): argument "content": declared 9 bytes but only 6');
    assertStringIncludes(text, "must not be repeated: c1 (run)");
    assertEquals([...Deno.readDirSync(rig.cwd)].map(({ name }) => name), ["log"]);
  });
});

Deno.test("prose after a call stops the reading, and only what is before it goes back", async () => {
  const call = saying(TEXT, "Before.", [run("echo real")]).deltas;
  const answers = [
    {
      deltas: [
        ...call,
        words("The output is: invented\n"),
        words("call c2 run\narg command touch bad\nend\n"),
      ],
    },
    finished("Done."),
  ];
  await withRig(answers, {}, async (rig) => {
    assertEquals((await rig.run()).outcome, "done");
    const sent = JSON.stringify(rig.bodies[1]);
    assert(!sent.includes("invented"));
    assertStringIncludes(sent, "result c1 exit=0 5");
    assertEquals([...Deno.readDirSync(rig.cwd)], []);
    assertEquals(rig.events.filter(({ kind }) => kind === "stop").length, 1);
    const ends = rig.events.flatMap((event) => event.kind === "end" ? [event.how] : []);
    assertEquals(ends, ["cut", "complete"]);
  });
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

/** A context so small that three results of `seq` fill it. */
const SMALL = { contextWindow: 8000 };
const long = (id: string) => run("seq 1 2000", id);

Deno.test("at 80 % of the context old results become one line each, and the request shrinks", async () => {
  const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 10 } });
  const answers = [
    saying(TEXT, "", [long("a")], usage(1000)),
    saying(TEXT, "", [long("b")], usage(3500)),
    saying(TEXT, "", [long("c")], usage(6000)),
    finished("ok"),
  ];
  await withRig(answers, { provider: SMALL }, async (rig) => {
    assertEquals((await rig.run()).outcome, "done");
    const sizes = rig.bodies.map((body) => JSON.stringify(body).length);
    // The third result is new, the first is gone: without folding it would be three times one result.
    assert(sizes[3]! < sizes[0]! + 2.2 * (sizes[1]! - sizes[0]!), `${sizes}`);
    const folded = rig.records().flatMap((record) => record.kind === "folded" ? [record] : []);
    assert(folded.length > 0);
    assertStringIncludes(JSON.stringify(rig.bodies[3]), "bytes of old output left out");
    const notices = rig.events.flatMap((event) => event.kind === "notice" ? [event.message] : []);
    assertStringIncludes(notices.join("\n"), "The context is filling up: the model sees ");
    // The whole text stays in the file.
    assertEquals(Deno.readTextFileSync(rig.sessionPath).split("\\n1999\\n").length - 1, 3);
  });
});

Deno.test("a server that says that the context is too long makes old results give way, once", async (t) => {
  const tooLong: { readonly [title: string]: Answer } = {
    "as a status": {
      deltas: [],
      error: new RequestError("too_long", 400, "Maximum context length is 8192 tokens"),
    },
    "inside the stream": {
      deltas: [],
      end: {
        how: "cut",
        cause: "server_error",
        why: "The server reported: maximum context length",
        retryable: false,
        tooLong: true,
        usage: null,
      },
    },
  };
  const calls = ["a", "b", "c"].map((id) =>
    saying(TEXT, "", [long(id)], { usage: { inputTokens: 10, outputTokens: 10 } })
  );
  for (const [title, answer] of Object.entries(tooLong)) {
    await t.step(`${title}: the same step goes out smaller`, async () => {
      await withRig(
        [...calls, answer, finished("ok")],
        { provider: SMALL, maxSteps: 4 },
        async (rig) => {
          assertEquals((await rig.run()).outcome, "done");
          const sizes = rig.bodies.map((body) => JSON.stringify(body).length);
          assertEquals(rig.bodies.length, 5);
          assert(sizes[4]! < sizes[3]!);
        },
      );
    });
    await t.step(`${title}: twice is an error`, async () => {
      await withRig([...calls, answer, answer], { provider: SMALL }, async (rig) => {
        assertEquals([(await rig.run()).outcome, rig.bodies.length], ["provider_error", 5]);
      });
    });
    await t.step(`${title}: with nothing to fold it is an error at once`, async () => {
      await withRig([answer], {}, async (rig) => {
        assertEquals([(await rig.run()).outcome, rig.bodies.length], ["provider_error", 1]);
      });
    });
  }
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

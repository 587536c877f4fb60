/** What becomes of a conversation that fills the context. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { RequestError } from "../../src/provider/failure.ts";
import { type Answer, saying, withRig } from "../world.ts";
import { finished, run, TEXT } from "./loop_rig.ts";

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

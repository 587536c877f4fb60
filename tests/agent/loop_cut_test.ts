/** Messages that end otherwise than well: cut, complained of, stopped. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, LOST, saying, withRig } from "../world.ts";
import { ended, finished, lastUserText, run, TEXT, words } from "./loop_rig.ts";

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

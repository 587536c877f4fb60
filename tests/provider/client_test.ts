import { assert, assertEquals } from "@std/assert";
import { createClock } from "../../src/system/clock.ts";
import { BODY, chunk, DONE, drain, GOOD, textOf, withServer } from "./client_world.ts";
import type { ScriptedAnswer } from "../scripted_server.ts";

const signal = new AbortController().signal;

Deno.test("A good reply comes whole, and the request is as it must be", async () => {
  await withServer([GOOD], { key: "sk-secret" }, async (client, server) => {
    const { deltas, end } = await drain(await client.openStream(BODY, signal));
    assertEquals(deltas, [
      { kind: "text", text: "Hi" },
      { kind: "finish", reason: "stop" },
      { kind: "done" },
    ]);
    assertEquals(end, {
      kind: "ended",
      how: "complete",
      cause: "finished",
      retryable: false,
      tooLong: false,
      finishReason: "stop",
      usage: null,
      receivedBytes: GOOD.body!.length,
      notes: [],
    });
    const request = server.requests[0]!;
    assertEquals(request.path, "/v1/chat/completions");
    assertEquals(request.headers.authorization, "Bearer sk-secret");
    assertEquals(request.headers["content-type"], "application/json");
    assertEquals(JSON.stringify(request.body), JSON.stringify(BODY));
  });
});

Deno.test("Without a key no authorization is sent", async () => {
  await withServer([GOOD], {}, async (client, server) => {
    await drain(await client.openStream(BODY, signal));
    assertEquals(server.requests[0]!.headers.authorization, undefined);
  });
});

Deno.test("[DONE] ends the stream at once, though the server holds the socket open", async () => {
  await withServer([{ ...GOOD, holdOpenMs: 60_000 }], {}, async (client) => {
    const { end } = await drain(await client.openStream(BODY, signal));
    assertEquals([end.how, end.cause], ["complete", "finished"]);
  });
});

Deno.test("Silence after finish_reason ends a reply as complete, though neither [DONE] nor the end comes", async () => {
  const held: ScriptedAnswer = { status: 200, body: chunk("Hi", "stop"), holdOpenMs: 60_000 };
  await withServer([held], { idleMs: 100 }, async (client) => {
    const { deltas, end } = await drain(await client.openStream(BODY, signal));
    assertEquals([textOf(deltas), end.how, end.cause], ["Hi", "complete", "finished"]);
  });
});

Deno.test("Characters that the network cuts come whole", async () => {
  const body = new TextEncoder().encode(chunk("é你😀", "stop") + DONE);
  const every = Array.from(body.slice(1), (_, i) => i + 1);
  await withServer([{ status: 200, body, cuts: every }], {}, async (client) => {
    assertEquals(textOf((await drain(await client.openStream(BODY, signal))).deltas), "é你😀");
  });
});

Deno.test("A completion as plain JSON is used", async () => {
  const body = JSON.stringify({
    object: "chat.completion",
    choices: [{ message: { content: "plain" }, finish_reason: "stop" }],
  });
  const answer = { status: 200, headers: { "content-type": "application/json" }, body };
  await withServer([answer], {}, async (client) => {
    const { deltas, end } = await drain(await client.openStream(BODY, signal));
    assertEquals([textOf(deltas), end.how], ["plain", "complete"]);
  });
});

Deno.test("A stream is read only when asked: the server feels it", async () => {
  const piece = chunk("x".repeat(60_000));
  const pieces = Array.from({ length: 500 }, () => piece).join("");
  const cutsAt = Array.from({ length: 499 }, (_, i) => (i + 1) * piece.length);
  const answer = { status: 200, body: pieces + chunk("", "stop") + DONE, cuts: cutsAt };
  await withServer([answer], {}, async (client, server) => {
    const stream = await client.openStream(BODY, signal);
    await stream.next();
    await createClock().sleep(200);
    assert(server.sentBytes < 20_000_000, `${server.sentBytes} bytes were sent to nobody`);
    const { end } = await drain(stream);
    assertEquals([end.how, end.receivedBytes], ["complete", answer.body.length]);
  });
});

Deno.test("A stream that is stopped lets go of the server at once", async () => {
  const held = { status: 200, body: chunk("par"), holdOpenMs: 60_000 };
  await withServer([held], {}, async (client, server) => {
    const stream = await client.openStream(BODY, signal);
    await stream.next();
    stream.stop();
    const end = await stream.next();
    assertEquals(end.kind === "ended" && [end.how, end.cause], ["cut", "stopped"]);
    for (let i = 0; i < 100 && server.hangUps === 0; i++) await createClock().sleep(10);
    assertEquals(server.hangUps, 1);
  });
});

Deno.test("Two dozen replies at once keep to themselves", async () => {
  const script = Array.from({ length: 24 }, (_, i) => ({
    status: 200,
    body: [...String(i).repeat(20)].map((it) => chunk(it)).join("") + chunk("", "stop"),
    eventIntervalMs: 1,
  }));
  await withServer(script, {}, async (client) => {
    const texts = await Promise.all(script.map(async () => {
      const { deltas, end } = await drain(await client.openStream(BODY, signal));
      assertEquals(end.how, "complete");
      return textOf(deltas);
    }));
    assertEquals(texts.sort(), script.map((_, i) => String(i).repeat(20)).sort());
  });
});

Deno.test("A hundred replies leave no connection behind, finished, stopped or cut", async () => {
  const held = { status: 200, body: chunk("a"), holdOpenMs: 60_000 };
  const answers = Array.from(
    { length: 100 },
    (_, i) => [{ ...GOOD, holdOpenMs: 60_000 }, GOOD, held][i % 3]!,
  );
  const openFiles = () => [...Deno.readDirSync("/proc/self/fd")].length;
  await withServer(answers, {}, async (client) => {
    const before = openFiles();
    for (let i = 0; i < answers.length; i++) {
      const stream = await client.openStream(BODY, signal);
      await stream.next();
      if (i % 3 === 2) stream.stop();
      await drain(stream);
    }
    await createClock().sleep(100);
    assert(openFiles() <= before + 6, `${openFiles()} files are open, ${before} before`);
  });
});

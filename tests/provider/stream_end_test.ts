/** How a stream can be cut, and what is said of it. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createClock } from "../../src/system/clock.ts";
import type { Wait } from "../../src/provider/patience.ts";
import { BODY, chunk, DONE, drain, textOf, withServer } from "./client_world.ts";
import type { ScriptedAnswer } from "../scripted_server.ts";

const signal = new AbortController().signal;

const cuts: readonly {
  readonly name: string;
  readonly answer: ScriptedAnswer;
  readonly text: string;
  readonly cause: string;
  readonly why: string;
  readonly retryable: boolean;
}[] = [
  {
    name: "reset in the middle",
    answer: { status: 200, body: chunk("par"), end: "rst" },
    text: "par",
    cause: "lost",
    why: "The connection was lost after",
    retryable: true,
  },
  {
    name: "closed in the middle without the last chunk",
    answer: { status: 200, body: chunk("par"), end: "drop" },
    text: "par",
    cause: "lost",
    why: "The connection was lost after",
    retryable: true,
  },
  {
    name: "ended with neither finish_reason nor [DONE]",
    answer: { status: 200, body: chunk("par") },
    text: "par",
    cause: "unfinished",
    why: "with neither finish_reason nor [DONE]",
    retryable: true,
  },
  {
    name: "silent after a piece",
    answer: { status: 200, body: chunk("par"), holdOpenMs: 60_000 },
    text: "par",
    cause: "idle",
    why: "The server sent nothing for 0.2 s, after",
    retryable: true,
  },
  {
    name: "silent before the head",
    answer: { status: 200, end: "silent" },
    text: "",
    cause: "idle",
    why: "The server sent nothing for 0.2 s",
    retryable: true,
  },
  {
    name: "empty",
    answer: { status: 200, body: "" },
    text: "",
    cause: "empty",
    why: "The server sent an empty reply",
    retryable: true,
  },
  {
    name: "cut by the token limit",
    answer: { status: 200, body: chunk("par", "length") + DONE },
    text: "par",
    cause: "cut_by_server",
    why: "The reply reached the server's length limit",
    retryable: false,
  },
  {
    name: "cut by the content filter, though another reason follows",
    answer: { status: 200, body: chunk("par", "content_filter") + chunk("", "stop") + DONE },
    text: "par",
    cause: "cut_by_server",
    why: "The server's content filter cut the reply",
    retryable: false,
  },
  {
    name: "an error inside",
    answer: {
      status: 200,
      body: chunk("par") +
        'data: {"error":{"message":"upstream overloaded","type":"server_error","code":"busy"}}\n\n',
    },
    text: "par",
    cause: "server_error",
    why: "The server reported: upstream overloaded (server_error, busy)",
    retryable: true,
  },
  {
    name: "a wrong key reported inside",
    answer: {
      status: 200,
      body:
        'data: {"error":{"message":"Incorrect API key","type":"authentication_error","code":401}}\n\n',
    },
    text: "",
    cause: "server_error",
    why: "The server reported: Incorrect API key (authentication_error, 401)",
    retryable: false,
  },
  {
    name: "a web page",
    answer: {
      status: 200,
      headers: { "content-type": "text/html" },
      body: "<!doctype html>\n<title>Sign in</title>\n",
    },
    text: "",
    cause: "not_a_stream",
    why: 'The server answered with "text/html" instead of an event stream: "<!doctype html>',
    retryable: false,
  },
  {
    name: "another protocol",
    answer: { status: 200, body: '{"model":"m","message":{"content":"a"},"done":false}\n' },
    text: "",
    cause: "not_a_stream",
    why: "The server speaks Ollama's own protocol here: use the base URL that ends in /v1",
    retryable: false,
  },
  {
    name: "busy, told as JSON with status 200",
    answer: { status: 200, body: '{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}' },
    text: "",
    cause: "server_error",
    why: "The server reported: rate limit (1002)",
    retryable: true,
  },
  {
    name: "too many bytes",
    answer: { status: 200, body: chunk("x".repeat(2000)) },
    text: "",
    cause: "limit",
    why: "The reply is longer than 1000 bytes",
    retryable: false,
  },
];

for (const { name, answer, text, cause, why, retryable } of cuts) {
  Deno.test(`A cut stream ends with a value that says why: ${name}`, async () => {
    await withServer([answer], { idleMs: 200, maxBytes: 1000 }, async (client, server) => {
      const stream = await client.openStream(BODY, signal);
      const { deltas, end } = await drain(stream);
      assertEquals([textOf(deltas), end.how, end.cause], [text, "cut", cause]);
      assertStringIncludes(end.why!, why);
      assertEquals(end.retryable, retryable);
      assertEquals(await stream.next(), end);
      assertEquals(server.requests.length, 1);
    });
  });
}

Deno.test("A long silence is announced once, then borne until the limit", async () => {
  const waits: Wait[] = [];
  const slow = { status: 200, body: chunk("a") + chunk("b", "stop") + DONE, eventIntervalMs: 300 };
  const onWait = (wait: Wait) => waits.push(wait);
  await withServer([slow], { idleMs: 60_000, noticeMs: 100, onWait }, async (client) => {
    const { deltas } = await drain(await client.openStream(BODY, signal));
    assertEquals(textOf(deltas), "ab");
    assert(waits.length >= 1);
    assertEquals(waits[0], {
      reason: "idle",
      seconds: 60,
      message: "The server has sent nothing for 0 s; waiting for 60 s more",
    });
  });
});

Deno.test("A slow drip is no silence: each byte starts the idle limit anew", async () => {
  const body = chunk("slow", "stop") + DONE;
  const cutsAt = Array.from({ length: 11 }, (_, i) => (i + 1) * 8);
  const drip = { status: 200, body, cuts: cutsAt, eventIntervalMs: 40 };
  await withServer([drip], { idleMs: 300 }, async (client) => {
    const { deltas, end } = await drain(await client.openStream(BODY, signal));
    assertEquals([textOf(deltas), end.how], ["slow", "complete"]);
  });
});

Deno.test("All waiting for one answer has an end, however steadily it drips", async () => {
  const body = chunk("slow").repeat(50);
  const drip = { status: 200, body, eventIntervalMs: 40 };
  await withServer([drip], { maxMs: 200 }, async (client) => {
    const { end } = await drain(await client.openStream(BODY, signal));
    assertEquals([end.how, end.cause], ["cut", "limit"]);
    assertStringIncludes(end.why!, "The reply took longer than");
  });
});

Deno.test("Time in which nobody asks for bytes is no waiting", async () => {
  const script = { status: 200, body: chunk("a") + chunk("b", "stop") + DONE, eventIntervalMs: 20 };
  await withServer([script], { idleMs: 200, maxMs: 400 }, async (client) => {
    const stream = await client.openStream(BODY, signal);
    await stream.next();
    await createClock().sleep(600);
    assertEquals((await drain(stream)).end.how, "complete");
  });
});

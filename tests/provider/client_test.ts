import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EXIT } from "../../src/errors.ts";
import { createClock } from "../../src/system/clock.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { createModelClient } from "../../src/provider/client.ts";
import { RequestError } from "../../src/provider/failure.ts";
import type { Wait } from "../../src/provider/patience.ts";
import { BODY, createRetryWatch, drain, textOf, withServer } from "./client_world.ts";
import type { ScriptedAnswer } from "../scripted_server.ts";

const signal = new AbortController().signal;

const chunk = (content: string, finish: string | null = null) =>
  `data: ${
    JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })
  }\n\n`;
const DONE = "data: [DONE]\n\n";
const GOOD: ScriptedAnswer = { status: 200, body: chunk("Hi", "stop") + DONE };

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

const aborts: readonly { readonly name: string; readonly answer: ScriptedAnswer }[] = [
  { name: "before the head", answer: { status: 200, end: "silent" } },
  { name: "in the body", answer: { status: 200, body: chunk("par"), holdOpenMs: 60_000 } },
];
for (const { name, answer } of aborts) {
  Deno.test(`Cancelling ends a stream with a value: ${name}`, async () => {
    await withServer([answer], {}, async (client) => {
      const aborter = new AbortController();
      const timer = setTimeout(() => aborter.abort(), 100);
      const { end } = await drain(await client.openStream(BODY, aborter.signal));
      clearTimeout(timer);
      assertEquals([end.how, end.cause, end.why], ["cut", "cancelled", "Cancelled"]);
    });
  });
}

Deno.test("Cancelling ends the wait before a retry", async () => {
  const aborter = new AbortController();
  const onWait = () => aborter.abort();
  await withServer(
    [{ status: 429, headers: { "retry-after": "50" } }],
    { onWait },
    async (client, server) => {
      const { end } = await drain(await client.openStream(BODY, aborter.signal));
      assertEquals([end.cause, server.requests.length], ["cancelled", 1]);
    },
  );
});

Deno.test("A signal that is aborted already sends nothing", async () => {
  await withServer([GOOD], {}, async (client, server) => {
    const { end } = await drain(await client.openStream(BODY, AbortSignal.abort()));
    assertEquals([end.cause, server.requests.length], ["cancelled", 0]);
  });
});

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

for (const status of [408, 409, 429, 500, 502, 503, 529]) {
  Deno.test(`Status ${status} is tried again, with growing waits`, async () => {
    const bad = { status, body: '{"error":{"message":"busy"}}' };
    const watch = createRetryWatch();
    await withServer([bad, bad, bad, GOOD], watch, async (client, server) => {
      const { deltas } = await drain(await client.openStream(BODY, signal));
      assertEquals([textOf(deltas), server.requests.length], ["Hi", 4]);
      assertEquals(watch.waits.map((wait) => wait.seconds), [0.5, 1, 2]);
      assertStringIncludes(watch.waits[0]!.message, `answered ${status}: busy`);
    });
  });
}

for (const status of [400, 401, 402, 403, 404, 413, 422]) {
  Deno.test(`Status ${status} is never tried again`, async () => {
    const bad = { status, body: '{"error":{"message":"No such thing"}}' };
    await withServer([bad, GOOD], { key: "sk-1" }, async (client, server) => {
      const error = await assertRejects(
        () => client.openStream(BODY, signal),
        RequestError,
        "No such thing",
      );
      assertEquals([error.exit, error.status, server.requests.length], [EXIT.provider, status, 1]);
    });
  });
}

Deno.test("A server that stays busy is an error that says: try later", async () => {
  for (const [status, exit] of [[429, EXIT.tryLater], [503, EXIT.tryLater], [500, EXIT.provider]]) {
    const watch = createRetryWatch();
    await withServer(
      [{ status: status!, repeat: true }],
      { ...watch, retries: 2 },
      async (client, server) => {
        const error = await assertRejects(() => client.openStream(BODY, signal), RequestError);
        assertEquals([error.exit, server.requests.length], [exit!, 3]);
      },
    );
  }
});

Deno.test("Retry-After is kept, in seconds and as a date", async () => {
  const now = Date.UTC(2026, 0, 1);
  const watch = createRetryWatch({ now });
  const script: ScriptedAnswer[] = [
    { status: 429, headers: { "retry-after": "2" } },
    { status: 503, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" } },
    GOOD,
  ];
  await withServer(script, watch, async (client) => {
    await drain(await client.openStream(BODY, signal));
    assertEquals(watch.waits.map((wait) => wait.seconds), [2, 7]);
  });
});

Deno.test("A server that asks to wait too long is an error at once that names the wait", async () => {
  const watch = createRetryWatch();
  const busy = { status: 429, headers: { "retry-after": "300" }, repeat: true };
  await withServer([busy], watch, async (client, server) => {
    const error = await assertRejects(() => client.openStream(BODY, signal), RequestError, "300 s");
    assertEquals([error.exit, server.requests.length, watch.waits], [EXIT.tryLater, 1, []]);
  });
});

Deno.test("A connection that closes before the head is tried again openly, never in silence", async () => {
  const watch = createRetryWatch();
  await withServer([{ status: 200, end: "half_head" }, GOOD], watch, async (client, server) => {
    await drain(await client.openStream(BODY, signal));
    assertEquals([server.requests.length, watch.waits.length], [2, 1]);
    assertStringIncludes(watch.waits[0]!.message, "it closed the connection before answering");
  });
});

Deno.test("A refused connection is an error with a hint, after all retries", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const provider = findProvider("custom", {
    baseUrl: `http://me:pw@127.0.0.1:${port}/v1`,
    model: "m",
  });
  const watch = createRetryWatch();
  const client = createModelClient({ provider, ...watch, retries: 1 });
  const error = await assertRejects(() => client.openStream(BODY, signal), RequestError);
  assertEquals(
    error.message,
    `Cannot reach http://127.0.0.1:${port}/v1/chat/completions: connection refused (is the server running?)`,
  );
  assertEquals([error.exit, watch.waits.length], [EXIT.provider, 1]);
  const behind = createModelClient({ provider, ...watch, retries: 0, proxyVariable: "HTTP_PROXY" });
  await assertRejects(
    () => behind.openStream(BODY, signal),
    RequestError,
    "through the proxy in HTTP_PROXY: connection refused",
  );
});

Deno.test("The key is in no message, though the server repeats it", async () => {
  const bad = {
    status: 401,
    body: '{"error":{"message":"Incorrect API key provided: sk-secret"}}',
  };
  await withServer([bad], { key: "sk-secret" }, async (client) => {
    const error = await assertRejects(() => client.openStream(BODY, signal), RequestError);
    assertStringIncludes(
      error.message,
      "answered 401: Incorrect API key provided: *** (is the key in CUSTOM_API_KEY right?)",
    );
    assert(!error.message.includes("sk-secret"));
  });
});

Deno.test("The key is in no end of a stream either", async () => {
  const said = "Incorrect API key provided: sk-secret";
  const body = `data: {"error":{"message":"${said}"}}\n\n`;
  await withServer([{ status: 200, body }], { key: "sk-secret" }, async (client) => {
    const drained = await drain(await client.openStream(BODY, signal));
    assertEquals(drained.end.why, "The server reported: Incorrect API key provided: ***");
    assert(!JSON.stringify(drained).includes("sk-secret"));
  });
});

Deno.test("A redirect is named, not followed: the request would lose its body and give away the key", async () => {
  const moved = { status: 307, headers: { location: "http://127.0.0.1:1/elsewhere" } };
  await withServer([moved], {}, async (client, server) => {
    await assertRejects(
      () => client.openStream(BODY, signal),
      RequestError,
      'redirects to "http://127.0.0.1:1/elsewhere"',
    );
    assertEquals(server.requests.length, 1);
  });
});

Deno.test("A request that is too long for the model is told as such", async () => {
  const body =
    '{"error":{"code":400,"message":"request (2009 tokens) exceeds the available context size (512 tokens)","type":"exceed_context_size_error"}}';
  await withServer([{ status: 400, body }], {}, async (client) => {
    const error = await assertRejects(() => client.openStream(BODY, signal), RequestError);
    assertEquals(error.kind, "too_long");
  });
});

const concessions: readonly {
  readonly name: string;
  readonly sent: Record<string, unknown>;
  readonly status: number;
  readonly says: string;
  readonly then: Record<string, unknown>;
}[] = [
  {
    name: "without stream_options",
    sent: { stream_options: { include_usage: true } },
    status: 400,
    says: "Unknown parameter: 'stream_options'",
    then: {},
  },
  {
    name: "with the other name of the token limit",
    sent: { max_tokens: 5 },
    status: 400,
    says: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    then: { max_completion_tokens: 5 },
  },
  {
    name: "without streaming",
    sent: { tools: [{}] },
    status: 500,
    says: "Cannot use tools with stream",
    then: { tools: [{}], stream: false },
  },
];
for (const { name, sent, status, says, then } of concessions) {
  Deno.test(`What a server says it can't take is left out at once: ${name}`, async () => {
    const bad = { status, body: JSON.stringify({ error: { message: says } }) };
    const watch = createRetryWatch();
    await withServer([bad, GOOD], watch, async (client, server) => {
      await drain(await client.openStream({ ...BODY, ...sent } as typeof BODY, signal));
      assertEquals(watch.waits, []);
      assertEquals({ ...server.requests[1]!.body }, { ...BODY, ...then });
    });
  });
}

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

Deno.test("Cancelling at any moment ends a stream with a value, never with a rejection", async () => {
  const drip = {
    status: 200,
    body: chunk("x").repeat(10) + chunk("", "stop") + DONE,
    eventIntervalMs: 5,
  };
  const script = Array.from({ length: 24 }, () => drip);
  await withServer(script, {}, async (client) => {
    const causes = await Promise.all(script.map(async (_, i) => {
      const aborter = new AbortController();
      const timer = setTimeout(() => aborter.abort(), i * 4);
      const { deltas, end } = await drain(await client.openStream(BODY, aborter.signal));
      clearTimeout(timer);
      assert("x".repeat(10).startsWith(textOf(deltas)));
      return end.cause;
    }));
    assert(causes.every((cause) => cause === "cancelled" || cause === "finished"), causes.join());
    assert(causes.includes("cancelled"));
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

/** Requests that are refused or get no answer. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EXIT } from "../../src/errors.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { createModelClient } from "../../src/provider/client.ts";
import { RequestError } from "../../src/provider/failure.ts";
import { BODY, createRetryWatch, drain, GOOD, textOf, withServer } from "./client_world.ts";
import type { ScriptedAnswer } from "../scripted_server.ts";

const signal = new AbortController().signal;

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

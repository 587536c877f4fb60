/** Esc, SIGINT or a time limit, at any moment. */
import { assert, assertEquals } from "@std/assert";
import { BODY, chunk, DONE, drain, GOOD, textOf, withServer } from "./client_world.ts";
import type { ScriptedAnswer } from "../scripted_server.ts";

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

Deno.test({
  name: "Cancelling at any moment ends a stream with a value, never with a rejection",
  // The runtime forgets a response whose head comes in the very moment of the abort: `fetch` rejects, so nobody
  // can close the body, and it goes with the next collection (1 in 25 runs of this test).
  sanitizeResources: false,
  fn: cancelAtAnyMoment,
});

async function cancelAtAnyMoment(): Promise<void> {
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
}

Deno.test("Cancelling ends a read also after memory was collected, when fetch has forgotten its signal", async () => {
  const answer = { status: 200, body: chunk("par"), holdOpenMs: 60_000 };
  await withServer([answer], {}, async (_, server) => {
    const program = new URL("collected_cancel.ts", import.meta.url).pathname;
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", program, server.url],
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "cancelled\n");
  });
});

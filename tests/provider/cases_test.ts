/** The public bug reports of areas A and B, as far as transport and decoding can show them. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Message } from "../../src/vocab.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { RequestError } from "../../src/provider/failure.ts";
import { buildRequest } from "../../src/provider/request.ts";
import { judgeEnd } from "../../src/provider/stream_end.ts";
import { cutAt } from "../split.ts";
import { sharedData } from "../shared_data.ts";
import { readCaseScript, readCuts } from "../scripted_server.ts";
import { decodeSlices, sumUp } from "./decoded.ts";
import { BODY, createRetryWatch, drain, textOf, withServer } from "./client_world.ts";

interface Expect {
  readonly turn?: "complete" | "incomplete" | "error";
  readonly text?: string;
  readonly text_kept?: string;
  readonly error_contains?: readonly string[];
  readonly calls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  readonly tool_errors?: readonly unknown[];
}

const cases = sharedData("cases/");
const signal = new AbortController().signal;

function readExpect(folder: URL): { readonly kind: string; readonly expect: Expect } {
  return JSON.parse(Deno.readTextFileSync(new URL("expected.json", folder)));
}

/** The slices that a case is about: its own cuts, and every byte alone. */
function slicings(bytes: Uint8Array, folder: URL): Uint8Array[][] {
  const every = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
  return [cutAt(bytes, readCuts(folder, bytes.length)), cutAt(bytes, every)];
}

function checkStream(folder: URL, file: string, expect: Expect): void {
  const bytes = Deno.readFileSync(new URL(file, folder));
  const { deltas, facts } = decodeSlices([bytes]);
  for (const slices of slicings(bytes, folder)) {
    assertEquals(decodeSlices(slices), { deltas, facts });
  }
  const sum = sumUp(deltas, facts);
  const outside = { contentType: "text/event-stream", receivedBytes: bytes.length };
  const end = judgeEnd(facts, { kind: "eof" }, outside);
  if (expect.turn) assertEquals(end.how, expect.turn === "complete" ? "complete" : "cut");
  const text = expect.text ?? expect.text_kept;
  if (text !== undefined) assertEquals(sum.text, text);
  for (const part of expect.error_contains ?? []) assertStringIncludes(end.why!, part);
  if (expect.calls && !expect.tool_errors) {
    const ran = sum.calls.map(({ id, name, arguments: args }, i) => ({
      ...(expect.calls![i]?.id === undefined ? {} : { id }),
      name,
      arguments: JSON.parse(args || "{}"),
    }));
    assertEquals(ran, [...expect.calls]);
  }
}

if (cases) {
  for (const id of [...Deno.readDirSync(cases)].map((entry) => entry.name).sort()) {
    if (!/^[AB]\d/.test(id)) continue;
    const folder = new URL(`${id}/`, cases);
    const { kind, expect } = readExpect(folder);
    if (kind !== "sse") continue;
    for (const { name } of Deno.readDirSync(folder)) {
      if (!name.endsWith(".sse")) continue;
      Deno.test(`A reported stream is decoded rightly for every cut: ${id}/${name}`, () => {
        checkStream(folder, name, expect);
      });
    }
  }

  const script = (id: string, file?: string) => readCaseScript(new URL(`${id}/`, cases), file);

  Deno.test("A04: an empty reply is a cut that may be asked again, never a success", async () => {
    await withServer(script("A04"), {}, async (client) => {
      const { end } = await drain(await client.openStream(BODY, signal));
      assertEquals([end.how, end.retryable], ["cut", true]);
    });
  });

  Deno.test("A14: a wrong key is told at once, in the server's words, as a status or inside a stream", async () => {
    await withServer(script("A14"), { key: "k" }, async (client, server) => {
      const error = await assertRejects(
        () => client.openStream(BODY, signal),
        RequestError,
        "Incorrect API key",
      );
      assertEquals([error.kind, server.requests.length], ["auth", 1]);
    });
    await withServer(script("A14", "http_variant.json"), { key: "k" }, async (client) => {
      const { end } = await drain(await client.openStream(BODY, signal));
      assertStringIncludes(end.why!, "Incorrect API key");
      assertEquals(end.retryable, false);
    });
  });

  Deno.test("A16: a web page is named as one, a plain completion is used", async () => {
    await withServer(script("A16"), {}, async (client) => {
      const { end } = await drain(await client.openStream(BODY, signal));
      assertEquals(end.how, "cut");
      assertStringIncludes(end.why!, "text/html");
    });
    await withServer(script("A16", "http_variant.json"), {}, async (client) => {
      const { deltas, end } = await drain(await client.openStream(BODY, signal));
      assertEquals([textOf(deltas), end.how], ["plain", "complete"]);
    });
  });

  Deno.test("A17: a stream that falls silent ends after the idle limit", async () => {
    await withServer(script("A17"), { idleMs: 200 }, async (client) => {
      const { end } = await drain(await client.openStream(BODY, signal));
      assertEquals([end.how, end.cause, end.retryable], ["cut", "idle", true]);
    });
  });

  Deno.test("A19: Retry-After is kept twice, then the answer comes", async () => {
    const watch = createRetryWatch();
    await withServer(script("A19"), watch, async (client, server) => {
      const { deltas } = await drain(await client.openStream(BODY, signal));
      assertEquals([textOf(deltas), server.requests.length], ["late", 3]);
      assertEquals(watch.waits.map((wait) => wait.seconds), [2, 2]);
    });
  });

  Deno.test("A21: only the failed request is sent again", async () => {
    const watch = createRetryWatch();
    await withServer(script("A21"), watch, async (client, server) => {
      const first = { ...BODY, n: 1 };
      const second = { ...BODY, n: 2 };
      await drain(await client.openStream(first, signal));
      await drain(await client.openStream(second, signal));
      assertEquals(server.requests.map((request) => request.body.n), [1, 2, 2]);
    });
  });

  for (const file of ["http.json", "http_variant.json"]) {
    Deno.test(`A22: a reset is a cut that may be asked again (${file})`, async () => {
      await withServer(script("A22", file), {}, async (client) => {
        const { end } = await drain(await client.openStream(BODY, signal));
        assertEquals([end.how, end.cause, end.retryable], ["cut", "lost", true]);
        assertEquals((await drain(await client.openStream(BODY, signal))).end.how, "complete");
      });
    });
  }

  Deno.test("B27: a call-only turn goes out with null, which this server takes", async () => {
    await withServer(script("B27"), {}, async (client) => {
      await drain(await client.openStream(BODY, signal));
      const messages: readonly Message[] = [
        { role: "user", content: "Go" },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c1", type: "function", function: { name: "list", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "" },
      ];
      const provider = findProvider("custom", { baseUrl: "http://x/v1", model: "m" });
      const { body } = buildRequest(provider, { messages });
      const { end } = await drain(await client.openStream(body, signal));
      assert(end.how === "complete");
    });
  });
}

/** A client against a scripted server, and a watch over its retries. */
import type { Delta } from "../../src/vocab.ts";
import { createClock } from "../../src/system/clock.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { type ClientOptions, createModelClient } from "../../src/provider/client.ts";
import type { Wait } from "../../src/provider/patience.ts";
import type { ModelStream } from "../../src/provider/model_stream.ts";
import type { StreamEnded } from "../../src/provider/stream_end.ts";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from "../scripted_server.ts";

/** A request body that says nothing. */
export const BODY = { model: "m", messages: [{ role: "user", content: "Hi" }], stream: true };

/** The event that says `content`, and perhaps that the reply is over. */
export function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ choices })}\n\n`;
}

/** The event that ends every good stream. */
export const DONE = "data: [DONE]\n\n";

/** A good reply. */
export const GOOD = { status: 200, body: chunk("Hi", "stop") + DONE } as const;

/** Skips the waits before retries and keeps them; every other sleep is real. */
export function createRetryWatch(
  options: { readonly random?: number; readonly now?: number } = {},
): Pick<ClientOptions, "clock" | "onWait"> & { readonly waits: Wait[] } {
  const real = createClock();
  const waits: Wait[] = [];
  let skip = false;
  return {
    waits,
    clock: {
      ...real,
      now: () => options.now ?? real.now(),
      random: () => options.random ?? 0,
      sleep(ms, signal) {
        if (!skip) return real.sleep(ms, signal);
        skip = false;
        return Promise.resolve();
      },
    },
    onWait(wait) {
      waits.push(wait);
      skip = wait.reason === "retry";
    },
  };
}

/** All that a stream gave. */
export async function drain(
  stream: ModelStream,
): Promise<{ readonly deltas: readonly Delta[]; readonly end: StreamEnded }> {
  const deltas: Delta[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.kind === "ended") return { deltas, end: step };
    deltas.push(...step.deltas);
  }
}

/** The text of some deltas. */
export function textOf(deltas: readonly Delta[]): string {
  return deltas.map((delta) => delta.kind === "text" ? delta.text : "").join("");
}

/** Runs `test` with a client whose server plays `answers`, and closes the server after it. */
export async function withServer(
  answers: readonly ScriptedAnswer[],
  options: Partial<ClientOptions>,
  test: (client: ReturnType<typeof createModelClient>, server: ScriptedServer) => Promise<void>,
): Promise<void> {
  const server = startScriptedServer(answers);
  try {
    const provider = findProvider("custom", { baseUrl: server.url, model: "m" });
    await test(
      createModelClient({ provider, clock: createClock(), onWait() {}, ...options }),
      server,
    );
  } finally {
    await server.close();
  }
}

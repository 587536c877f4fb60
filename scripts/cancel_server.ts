/** The model server of `soak_cancel.ts`: it brings the agent into one phase and holds it there. */
import { createProtocol, DEFAULT_PROTOCOL } from "../src/protocol/mod.ts";
import type { ToolCall } from "../src/vocab.ts";

/** Where in a task the agent is. */
export type CancelPhase = "connecting" | "headers" | "stream" | "tool" | "sandbox" | "patch";

/** How many files the patch of the phase `patch` makes. */
export const PATCH_FILES = 100;
/** Between two pieces of the phase `stream`, in ms. */
const PIECE_MS = 3;

/** A running server. */
export interface CancelServer {
  /** Base URL; in the phase `connecting` nobody listens there. */
  readonly url: string;
  /** Resolves when the first request has come. */
  readonly asked: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the server on a free port of loopback; commands of its calls sleep `seconds`. */
export function startCancelServer(phase: CancelPhase, seconds: string): CancelServer {
  const over = new AbortController();
  const asked = Promise.withResolvers<void>();
  let requests = 0;

  async function answer(): Promise<Response> {
    requests++;
    asked.resolve();
    if (phase === "stream") return eventStream(pieces(over.signal));
    const calls = requests === 1 ? callsOf(phase, seconds) : [];
    if (calls.length > 0) return eventStream(whole(calls));
    await new Promise((resolve) => over.signal.addEventListener("abort", resolve));
    return new Response(null, { status: 503 });
  }

  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: over.signal,
    onListen: () => {},
  }, answer);
  const url = `http://127.0.0.1:${server.addr.port}/v1`;
  if (phase === "connecting") over.abort();
  return {
    url,
    asked: asked.promise,
    async stop() {
      over.abort();
      await server.finished;
    },
  };
}

function callsOf(phase: CancelPhase, seconds: string): readonly ToolCall[] {
  switch (phase) {
    case "tool":
    case "sandbox":
      return [callOf("run", {
        command:
          `sleep ${seconds} & setsid sleep ${seconds} & (sleep ${seconds} &); sleep ${seconds}`,
      })];
    case "patch":
      return [callOf("apply_patch", { patch: newFiles() })];
    case "connecting":
    case "headers":
    case "stream":
      return [];
  }
}

function callOf(name: string, args: { readonly [key: string]: string }): ToolCall {
  return { id: "c1", name, arguments: args, values: "text" };
}

function newFiles(): string {
  const lines = Array.from({ length: 20 }, (_, at) => `+line ${at + 1}\n`).join("");
  return Array.from(
    { length: PATCH_FILES },
    (_, at) => `--- /dev/null\n+++ b/f${at}.txt\n@@ -0,0 +1,20 @@\n${lines}`,
  ).join("");
}

function* whole(calls: readonly ToolCall[]): Generator<string> {
  for (const delta of createProtocol(DEFAULT_PROTOCOL)!.encode("I begin.\n", calls)) {
    if (delta.kind === "text") yield event({ content: delta.text });
  }
  yield event({}, "stop");
  yield "data: [DONE]\n\n";
}

async function* pieces(over: AbortSignal): AsyncGenerator<string> {
  for (let count = 1; !over.aborted; count++) {
    yield event({ content: `Piece ${count}. ` });
    await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
  }
}

function event(delta: { readonly content?: string }, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function eventStream(events: Iterable<string> | AsyncIterable<string>): Response {
  return new Response(ReadableStream.from(events).pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "text/event-stream" },
  });
}

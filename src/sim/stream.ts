/** One streamed answer, generated at the model's own pace: the client's reading doesn't hold it back. */
import { endEvents, tokenEvent } from "./chunks.ts";
import type { SimLogEntry, SimOptions } from "./options.ts";
import { createPacer, type Pacer } from "./pacer.ts";
import { createRandom } from "./random.ts";
import type { Utterance } from "./speak.ts";

/** The request that is answered. */
export interface Answering {
  /** Counts from 1. */
  readonly request: number;
  /** Seeds the pace. */
  readonly key: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly options: SimOptions;
  readonly log: SimLogEntry[];
}

/** Enqueued bytes leave in this time; a connection that breaks sooner takes them along. */
const LEAVE_MS = 20;

/** Answers with `utterance` as server-sent events. */
export function streamUtterance(utterance: Utterance, answering: Answering): Response {
  const { options, log, request } = answering;
  const now = () => options.clock.monotonic();
  const gone = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const pacer = createPacer({
        chunk: options.chunk,
        write(bytes) {
          if (gone.signal.aborted) return;
          log.push({ at: now(), request, kind: "bytes", bytes: bytes.length });
          controller.enqueue(bytes);
        },
      });
      // Not awaited: a pending start() would hold back the response head.
      generate(utterance, { ...answering, pacer, gone: gone.signal }).then((how) => {
        log.push({ at: now(), request, kind: "end", how });
        if (how === "done") controller.close();
        else if (how === "dropped") controller.error(new Error("Dropped by a fault"));
      });
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

async function generate(
  utterance: Utterance,
  means: Answering & { readonly pacer: Pacer; readonly gone: AbortSignal },
): Promise<"done" | "dropped" | "client_gone"> {
  const { options, pacer, gone, request } = means;
  const head = { id: `sim-${request}`, model: means.model };
  const pace = createRandom(`${means.key}|pace`);
  for (const token of utterance.tokens) {
    const wait = options.delayMs + options.jitterMs * pace();
    if (wait > 0) await options.clock.sleep(wait, gone);
    if (gone.aborted) return "client_gone";
    pacer.push(tokenEvent(token, head));
  }
  if (utterance.then !== "finish") {
    pacer.flush();
    await options.clock.sleep(utterance.then === "stall" ? utterance.stallMs : LEAVE_MS, gone);
    return gone.aborted ? "client_gone" : "dropped";
  }
  if (options.hold) {
    pacer.flush();
    means.log.push({ at: options.clock.monotonic(), request, kind: "held" });
    await options.hold(request);
    means.log.push({ at: options.clock.monotonic(), request, kind: "released" });
  }
  pacer.push(endEvents(head, {
    finish: utterance.finish,
    inputTokens: means.inputTokens,
    outputTokens: utterance.tokens.length,
  }));
  pacer.flush();
  return gone.aborted ? "client_gone" : "done";
}

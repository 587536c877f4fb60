/** Bytes as they are wanted → deltas as they are wanted: nothing is read ahead, so that the server feels it (SPEC 3). */
import type { Delta, JsonObject } from "../vocab.ts";
import { createDecoder } from "./chat_completions.ts";
import { type Close, judgeEnd, type StreamEnded } from "./stream_end.ts";

/** What one more look at a stream gives. */
export type StreamStep =
  | { readonly kind: "deltas"; readonly deltas: readonly Delta[] }
  | StreamEnded;

/** One reply of a model, read when asked. */
export interface ModelStream {
  /** The next deltas, or the end: from then on always the same end. Never rejects, never gives an empty list. */
  next(): Promise<StreamStep>;
  /** Closes the stream from this side, because the rest isn't wanted; `next` then gives the end. */
  stop(): void;
}

/** Where a request goes: a server, or a recording. */
export interface ModelClient {
  /**
   * The reply to one request, once the server has begun it. Throws `ProviderError` where it refuses or can't be
   * reached, after all retries; a stream that was cancelled meanwhile has ended.
   */
  openStream(body: ModelBody, signal: AbortSignal): Promise<ModelStream>;
}

/** A request body as {@linkcode buildRequest} makes it. */
export type ModelBody = JsonObject;

/** Where a stream's bytes come from. */
export interface ByteSource {
  readonly contentType: string | null;
  /** The next bytes, or what closed the stream. `settled`: the reply is over but for usage, so waiting long is no use. */
  read(settled: boolean): Promise<Uint8Array | Close>;
  /** Lets go of the connection; twice does no harm. */
  close(): void;
}

/** The most bytes of one answer unless told otherwise (SPEC 4). */
export const MAX_BYTES = 32 * 1024 * 1024;

/** What a stream is read with. */
export interface StreamOptions {
  /** {@linkcode MAX_BYTES} unless told. */
  readonly maxBytes?: number | undefined;
  /** Takes the key out of what the server says went wrong: some repeat it. */
  readonly redact?: (text: string) => string;
}

/** The stream of deltas that the bytes of `source` say. */
export function createModelStream(source: ByteSource, options: StreamOptions = {}): ModelStream {
  const { maxBytes = MAX_BYTES, redact = (text: string) => text } = options;
  const decoder = createDecoder();
  let receivedBytes = 0;
  let closed: Close | undefined;
  let ended: StreamEnded | undefined;

  function redactError(delta: Delta): Delta {
    return delta.kind === "error" ? { ...delta, message: redact(delta.message) } : delta;
  }

  function redactEnd(end: StreamEnded): StreamEnded {
    const notes = end.notes.map(redact);
    return end.why === undefined ? { ...end, notes } : { ...end, why: redact(end.why), notes };
  }

  function close(how: Close): readonly Delta[] {
    closed ??= how;
    source.close();
    return decoder.end();
  }

  async function take(): Promise<readonly Delta[]> {
    const { finishReason, error, done } = decoder.facts;
    if (done) return close({ kind: "eof" });
    const step = await source.read(finishReason !== null || error !== null);
    if (closed) return [];
    if (!(step instanceof Uint8Array)) return close(step);
    receivedBytes += step.length;
    if (receivedBytes > maxBytes) {
      return close({ kind: "limit", message: `The reply is longer than ${maxBytes} bytes` });
    }
    return decoder.push(step);
  }

  return {
    async next() {
      while (!closed) {
        const deltas = await take();
        if (deltas.length > 0) return { kind: "deltas", deltas: deltas.map(redactError) };
      }
      return ended ??= redactEnd(
        judgeEnd(decoder.facts, closed, { contentType: source.contentType, receivedBytes }),
      );
    },
    stop() {
      closed ??= { kind: "stopped" };
      source.close();
    },
  };
}

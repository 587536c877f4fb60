/** The body of a response, read one piece at a time and only when asked. */
import { explainConnection } from "./failure.ts";
import type { ByteSource } from "./model_stream.ts";
import { type Patience, waitFor } from "./patience.ts";
import type { Recording } from "./record.ts";
import type { Close } from "./stream_end.ts";

/** Once the reply is over but for usage, silence ends it sooner: some servers never close (QUIRKS 6). */
const SETTLED_MS = 10_000;

/** What a body is read with. */
export interface BodyOptions {
  readonly patience: Patience;
  /** The caller's: Esc, a signal, a time limit. */
  readonly signal: AbortSignal;
  readonly recording: Recording | undefined;
  /** Ends the connection itself. */
  disconnect(): void;
}

/** The bytes of `response`, whose body must be there. */
export function createBodySource(response: Response, options: BodyOptions): ByteSource {
  const { patience, signal } = options;
  const reader = response.body!.getReader();
  let waitedMs = 0;
  let closed = false;
  // `fetch` forgets its signal once the head is there and memory was collected: aborting it ends no read then.
  const letGo = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", letGo);

  /** A body that breaks off rejects: it's never taken for a clean end. */
  async function readOnce(): Promise<Uint8Array | Close> {
    try {
      const { value, done } = await reader.read();
      if (!done) return value;
      return signal.aborted ? { kind: "cancelled" } : { kind: "eof" };
    } catch (error) {
      if (signal.aborted) return { kind: "cancelled" };
      return { kind: "lost", message: explainConnection(error) };
    }
  }

  return {
    contentType: response.headers.get("content-type"),
    async read(settled) {
      if (signal.aborted) return { kind: "cancelled" };
      const { clock, idleMs, maxMs } = patience;
      const idle = settled ? Math.min(idleMs, SETTLED_MS) : idleMs;
      const left = maxMs - waitedMs;
      const since = clock.monotonic();
      const step = await waitFor(readOnce(), Math.min(idle, left), patience);
      waitedMs += clock.monotonic() - since;
      if (step instanceof Uint8Array) options.recording?.write(step);
      if (step !== "idle") return step;
      if (idle <= left) return { kind: "idle", seconds: idle / 1000 };
      return { kind: "limit", message: `The reply took longer than ${maxMs / 60_000} minutes` };
    },
    close() {
      if (closed) return;
      closed = true;
      options.recording?.close();
      signal.removeEventListener("abort", letGo);
      // Aborting alone leaves the body open for a while.
      letGo();
      options.disconnect();
    },
  };
}

/** A source that was closed before it began. */
export function createClosedSource(close: Close): ByteSource {
  return { contentType: null, read: () => Promise.resolve(close), close() {} };
}

/**
 * The only `fetch`: one request → one stream, with retries before the first byte, an idle limit, and a clean way out
 * at any moment (SPEC 4). After the first byte nothing is asked again here: only the agent knows what has run.
 */
import type { JsonObject } from "../vocab.ts";
import type { Clock } from "../system/system.ts";
import { backoffMs, MAX_RETRY_AFTER_MS, retryAfterMs } from "./backoff.ts";
import { createBodySource, createClosedSource } from "./body_source.ts";
import type { Provider } from "./catalog.ts";
import { concede } from "./concede.ts";
import {
  type FailureContext,
  fromConnection,
  fromResponse,
  isForbidden,
  isRetryable,
  RequestError,
} from "./failure.ts";
import { createModelStream, type ModelClient } from "./model_stream.ts";
import { type Patience, type Wait, waitFor } from "./patience.ts";
import type { Recorder } from "./record.ts";
import type { Close } from "./stream_end.ts";

/** What a client works with. */
export interface ClientOptions {
  readonly provider: Provider;
  /** Sent as `Authorization: Bearer`; nothing is sent without one, and it is never shown. */
  readonly key?: string | undefined;
  readonly clock: Clock;
  /** How often a request is sent again; 4 unless told. */
  readonly retries?: number | undefined;
  /** Silence that ends a stream, in ms; 120,000 unless told. */
  readonly idleMs?: number | undefined;
  /** Silence after which `onWait` hears of it, in ms; 15,000 unless told. */
  readonly noticeMs?: number | undefined;
  /** All waiting for one answer, in ms, tools that run meanwhile aside; 30 minutes unless told. */
  readonly maxMs?: number | undefined;
  /** The most bytes of one answer; 32 MiB unless told. */
  readonly maxBytes?: number | undefined;
  /** The name of the proxy variable that applies to the base URL, for error messages. */
  readonly proxyVariable?: string | undefined;
  readonly recorder?: Recorder | undefined;
  onWait(wait: Wait): void;
}

/** What came of sending a request once. */
type Attempt =
  | { readonly kind: "response"; readonly response: Response }
  | { readonly kind: "closed"; readonly close: Close }
  | Failed;

interface Failed {
  readonly kind: "failed";
  readonly error: RequestError;
  readonly retryable: boolean;
  /** The wait that the server asked for. */
  readonly askedMs?: number | undefined;
}

/** A request on its way: the caller's signal, and the handle that ends the connection. */
interface Flight {
  readonly signal: AbortSignal;
  readonly connection: AbortController;
}

/** The most of an error's body that is looked at, in bytes. */
const ERROR_BYTES = 65_536;

/** The client of one server. */
export function createModelClient(options: ClientOptions): ModelClient {
  const { provider, clock, key } = options;
  const url = `${provider.baseUrl}/chat/completions`;
  const patience: Patience = {
    clock,
    idleMs: options.idleMs ?? 120_000,
    noticeMs: options.noticeMs ?? 15_000,
    maxMs: options.maxMs ?? 30 * 60_000,
    onWait: options.onWait,
  };
  const context: FailureContext = {
    url: shownUrl(url),
    keyVariable: provider.keyVariable,
    hasKey: key !== undefined,
    proxyVariable: options.proxyVariable,
    redact: (text) => isSecret(key) ? text.replaceAll(key, "***") : text,
  };

  async function send(body: JsonObject, flight: Flight): Promise<Attempt> {
    const answer = post(url, body, { key, signal: flight.connection.signal });
    const head = await waitFor(answer, patience.idleMs, patience);
    if (flight.signal.aborted) {
      letGo(answer);
      return { kind: "closed", close: { kind: "cancelled" } };
    }
    if (head === "idle") {
      letGo(answer);
      return { kind: "closed", close: { kind: "idle", seconds: patience.idleMs / 1000 } };
    }
    if (head instanceof Response) return await examine(head);
    return {
      kind: "failed",
      error: fromConnection(head.error, context),
      retryable: !isForbidden(head.error),
    };
  }

  async function examine(response: Response): Promise<Attempt> {
    if (response.ok && response.body) return { kind: "response", response };
    const { status, headers } = response;
    const read = await waitFor(readSome(response, ERROR_BYTES), patience.idleMs, patience);
    const body = read === "idle" ? "" : read;
    return {
      kind: "failed",
      error: fromResponse(status, { body, location: headers.get("location") }, context),
      retryable: isRetryable(status),
      askedMs: retryAfterMs(headers, clock.now()),
    };
  }

  /** Waits before the next try; throws where waiting is no use. */
  async function holdOff(failed: Failed, retry: number, signal: AbortSignal): Promise<void> {
    if (!failed.retryable || retry >= (options.retries ?? 4)) throw failed.error;
    const asked = failed.askedMs;
    if (asked !== undefined && asked > MAX_RETRY_AFTER_MS) {
      const { kind, status, message } = failed.error;
      const wait = `it asks to wait ${Math.ceil(asked / 1000)} s, longer than 60 s`;
      throw new RequestError(kind, status, `${message} (${wait})`);
    }
    const ms = asked ?? backoffMs(retry, clock.random());
    const message = `${failed.error.message}; asking again in ${(ms / 1000).toFixed(1)} s`;
    options.onWait({ reason: "retry", seconds: ms / 1000, message });
    await clock.sleep(ms, signal);
  }

  async function sendUntilAnswered(
    body: JsonObject,
    flight: Flight,
  ): Promise<Exclude<Attempt, Failed>> {
    let current = body;
    let retry = 0;
    while (!flight.signal.aborted) {
      const tried = await send(current, flight);
      if (tried.kind !== "failed") return tried;
      const changed = concede(current, tried.error);
      if (changed) current = changed;
      else await holdOff(tried, retry++, flight.signal);
    }
    return { kind: "closed", close: { kind: "cancelled" } };
  }

  return {
    async openStream(body, signal) {
      const connection = new AbortController();
      const abort = () => connection.abort();
      const disconnect = () => {
        signal.removeEventListener("abort", abort);
        connection.abort("over");
      };
      signal.addEventListener("abort", abort);
      try {
        const answer = await sendUntilAnswered(body, { signal, connection });
        if (answer.kind === "closed") {
          disconnect();
          return createModelStream(createClosedSource(answer.close));
        }
        const recording = options.recorder?.begin(context.url, body);
        const source = createBodySource(answer.response, {
          patience,
          signal,
          recording,
          disconnect,
        });
        return createModelStream(source, { maxBytes: options.maxBytes, redact: context.redact });
      } catch (error) {
        disconnect();
        throw error;
      }
    },
  };
}

/** "ollama" and the like are placeholders, and taking them out would only garble messages. */
function isSecret(key: string | undefined): key is string {
  return key !== undefined && key.length >= 8;
}

function post(
  url: string,
  body: JsonObject,
  options: { readonly key: string | undefined; readonly signal: AbortSignal },
): Promise<Response | { readonly error: unknown }> {
  return fetch(url, {
    method: "POST",
    headers: {
      accept: "text/event-stream, application/json",
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    },
    // A string is sent a second time, in silence, when the connection closes before the head; a Blob isn't.
    body: new Blob([JSON.stringify(body)], { type: "application/json" }),
    redirect: "manual",
    signal: options.signal,
  }).catch((error: unknown) => ({ error }));
}

/** Closes a response that comes when nobody wants it any more. */
function letGo(answer: ReturnType<typeof post>): void {
  answer.then((late) => late instanceof Response ? late.body?.cancel() : undefined).catch(() => {});
}

/** The beginning of a body; what can't be read is left out. */
async function readSome(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= limit) break;
    }
  } catch {
    // The status says enough.
  }
  return text.slice(0, limit);
}

/** A URL for people: user, password and query may be secrets. */
function shownUrl(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  shown.search = "";
  return shown.href;
}

/**
 * The simulated model's server: OpenAI-compatible Chat Completions over real HTTP on loopback. What it says follows
 * from the request alone; only identical requests are counted, so that a retry draws its faults anew.
 */
import { serveLoopback } from "../system/http_server.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import { drawStrikes, type Strikes } from "./draw.ts";
import type { SimLogEntry, SimOptions } from "./options.ts";
import { findPosition } from "./position.ts";
import { recogniseProtocol } from "./recognise.ts";
import { say, speak } from "./speak.ts";
import { streamUtterance } from "./stream.ts";

/** A running simulated model. */
export interface Sim {
  /** Base URL, as `--base-url` takes it. */
  readonly url: string;
  readonly log: readonly SimLogEntry[];
  stop(): Promise<void>;
}

/** Starts the server. */
export function startSim(options: SimOptions): Sim {
  const log: SimLogEntry[] = [];
  // By digest: the requests of a long task are long, and there are many.
  const attempts = new Map<string, number>();
  let requests = 0;
  const server = serveLoopback(async (request) => {
    const path = new URL(request.url).pathname;
    if (request.method === "GET" && path.endsWith("/models")) {
      return Response.json({ object: "list", data: [{ id: "sim", object: "model" }] });
    }
    if (request.method !== "POST" || !path.endsWith("/chat/completions")) {
      return refuse(404, `No such path: ${request.method} ${path}`);
    }
    const text = await request.text();
    const digest = await digestOf(text);
    const attempt = attempts.get(digest) ?? 0;
    attempts.set(digest, attempt + 1);
    return answer(text, { request: ++requests, attempt, log, options });
  }, { port: options.port });
  return { url: `${server.url}/v1`, log, stop: () => server.stop() };
}

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex();
}

/** One request as it comes in. */
interface Incoming {
  readonly request: number;
  /** How often the same request came before. */
  readonly attempt: number;
  readonly log: SimLogEntry[];
  readonly options: SimOptions;
}

function answer(text: string, incoming: Incoming): Response {
  const { request, attempt, log, options } = incoming;
  let conversation: Conversation;
  try {
    conversation = readConversation(JSON.parse(text));
  } catch (error) {
    return refuse(400, error instanceof Error ? error.message : String(error));
  }
  if (!conversation.stream) return refuse(400, 'The simulated model only streams: "stream": true');
  const { inputTokens, model, seen } = conversation;
  const protocol = options.protocol ?? recogniseProtocol(conversation);
  const position = findPosition(options.plan, seen);
  const { step, complaints, answered } = position;
  const stamp = () => ({ at: options.clock.monotonic(), request });
  log.push({ ...stamp(), kind: "request", protocol, step, complaints, inputTokens });
  // A complaint may have been joined to the message before it: the length of what was asked tells them apart.
  const asked = seen.reduce((sum, it) => sum + (it.kind === "asked" ? it.text.length : 0), 0);
  const key = [options.seed, step, answered, seen.length, asked, attempt].join("|");
  const strikes = drawStrikes(options.faults, { key, protocol, complaints });
  const refusal = refuseIfStruck(strikes);
  if (refusal) {
    const fault = `status ${refusal.status}`;
    log.push({ ...stamp(), kind: "fault", note: fault }, {
      ...stamp(),
      kind: "end",
      how: "refused",
    });
    return refusal;
  }
  const utterance = complaints >= options.faults.giveUpAfter
    ? say(`I give up: ${complaints} of my messages in a row were not understood.`)
    : speak(position, strikes, protocol);
  for (const note of utterance.notes) log.push({ ...stamp(), kind: "fault", note });
  return streamUtterance(utterance, { request, key, model, inputTokens, options, log });
}

function refuseIfStruck(strikes: Strikes): Response | undefined {
  const limited = strikes.get("rate_limit");
  if (limited) {
    const seconds = String(limited.rule.seconds ?? 1);
    return refuse(429, "Rate limit reached", { "retry-after": seconds });
  }
  return strikes.has("server_error") ? refuse(500, "Internal error") : undefined;
}

/** An error as OpenAI-compatible servers write it. */
function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message, type: "sim" } }, { status, headers });
}

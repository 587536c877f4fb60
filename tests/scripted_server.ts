/**
 * A model server that plays a script over plain sockets, so that it can also do what a good server never does: cut
 * with RST, hold a socket open, stop inside the head, drip. One answer a request; each connection takes one request.
 */

/** One answer of a script. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array | null;
  /** Where the body is cut into chunks on the wire; nothing means one chunk. */
  readonly cuts?: readonly number[];
  /** Time between chunks; for an event stream without cuts, between its events. */
  readonly eventIntervalMs?: number;
  /** Stays silent this long after the body instead of ending it. */
  readonly holdOpenMs?: number;
  /** `rst` resets the connection after the body, `drop` closes it without an end, `half_head` stops inside the head, `silent` sends nothing at all. */
  readonly end?: "close" | "rst" | "drop" | "half_head" | "silent";
  /** The last answer goes on for ever. */
  readonly repeat?: boolean;
  /** Answers with this one only if the request is so; else with `otherwise`. */
  readonly onlyIf?: (body: RequestBody) => boolean;
  readonly otherwise?: ScriptedAnswer;
}

/** A request body as the tests look at it. */
export interface RequestBody {
  readonly [key: string]: unknown;
  readonly messages: readonly { readonly [key: string]: unknown }[];
}

/** One request that came. */
export interface ScriptedRequest {
  readonly at: number;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: RequestBody;
}

/** A running script. */
export interface ScriptedServer {
  /** Base URL that ends in `/v1`. */
  readonly url: string;
  readonly requests: readonly ScriptedRequest[];
  /** How many connections were closed from the other side while an answer was on its way. */
  readonly hangUps: number;
  /** Bytes of bodies that the operating system has taken. */
  readonly sentBytes: number;
  close(): Promise<void>;
}

const OVER: ScriptedAnswer = { status: 418, body: '{"error":"The script is over"}' };

/** Starts a server on a free port of 127.0.0.1 that plays `answers`, one a request. */
export function startScriptedServer(answers: readonly ScriptedAnswer[]): ScriptedServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const stop = new AbortController();
  const requests: ScriptedRequest[] = [];
  const open = new Set<Promise<void>>();
  const counter = { hangUps: 0, sentBytes: 0 };

  async function serve(connection: Deno.Conn): Promise<void> {
    try {
      const request = await readRequest(connection);
      if (!request) return;
      const turn = requests.push(request) - 1;
      const last = answers.at(-1);
      const scripted = answers[turn] ?? (last?.repeat ? last : OVER);
      const chosen = scripted.onlyIf && !scripted.onlyIf(request.body)
        ? scripted.otherwise ?? OVER
        : scripted;
      // The last byte of a request stays unread until here: closing over unread bytes is what sends a RST.
      if (chosen.end !== "rst") await readExactly(connection, new Uint8Array(1));
      await play(connection, chosen, { stop: stop.signal, counter });
    } catch {
      counter.hangUps++;
    } finally {
      try {
        connection.close();
      } catch { /* closed already */ }
    }
  }

  const accepting = (async () => {
    for await (const connection of listener) {
      const served = serve(connection).finally(() => open.delete(served));
      open.add(served);
    }
  })();

  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/v1`,
    requests,
    get hangUps() {
      return counter.hangUps;
    },
    get sentBytes() {
      return counter.sentBytes;
    },
    async close() {
      stop.abort();
      listener.close();
      await accepting;
      await Promise.all(open);
    },
  };
}

/** The request but for its last byte, which is the `}` of its body. */
async function readRequest(connection: Deno.Conn): Promise<ScriptedRequest | undefined> {
  const head = await readHead(connection);
  if (head === undefined) return undefined;
  const [first, ...lines] = head.trimEnd().split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  const bytes = new Uint8Array(Number(headers["content-length"] ?? 1) - 1);
  await readExactly(connection, bytes);
  const body = JSON.parse(new TextDecoder().decode(bytes) + "}") as RequestBody;
  return { at: performance.now(), path: first!.split(" ")[1]!, headers, body };
}

/** Byte by byte, so that nothing of the body is taken with it. */
async function readHead(connection: Deno.Conn): Promise<string | undefined> {
  let head = "";
  const byte = new Uint8Array(1);
  while (!head.endsWith("\r\n\r\n")) {
    if (await connection.read(byte) === null) return undefined;
    head += String.fromCharCode(byte[0]!);
  }
  return head;
}

async function readExactly(connection: Deno.Conn, into: Uint8Array): Promise<void> {
  for (let at = 0; at < into.length;) {
    const count = await connection.read(into.subarray(at));
    if (count === null) throw new Error("the request ended early");
    at += count;
  }
}

async function play(
  connection: Deno.Conn,
  answer: ScriptedAnswer,
  { stop, counter }: { readonly stop: AbortSignal; readonly counter: { sentBytes: number } },
): Promise<void> {
  if (answer.end === "silent") {
    return await holdOpen(connection, answer.holdOpenMs ?? 600_000, stop);
  }
  const headers = { "content-type": "text/event-stream", ...answer.headers };
  const head = `HTTP/1.1 ${answer.status} Scripted\r\n` +
    Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("") +
    "transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
  if (answer.end === "half_head") return await write(connection, head.slice(0, 20));
  await write(connection, head);
  for (const [i, chunk] of chunksOf(answer).entries()) {
    if (i > 0 && answer.eventIntervalMs) await pause(answer.eventIntervalMs, stop);
    if (stop.aborted) return;
    await write(connection, `${chunk.length.toString(16)}\r\n`);
    await write(connection, chunk);
    counter.sentBytes += chunk.length;
    await write(connection, "\r\n");
  }
  if (answer.holdOpenMs) await holdOpen(connection, answer.holdOpenMs, stop);
  // What was sent must have been read before a RST throws it away.
  if (answer.end === "rst") await pause(50, stop);
  else if (answer.end !== "drop") await write(connection, "0\r\n\r\n");
}

function chunksOf(answer: ScriptedAnswer): Uint8Array[] {
  const body = answer.body ?? "";
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const edges = [0, ...(answer.cuts ?? eventEnds(bytes, answer)), bytes.length];
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge)).filter((it) => it.length);
}

function eventEnds(bytes: Uint8Array, answer: ScriptedAnswer): number[] {
  if (!answer.eventIntervalMs) return [];
  const ends: number[] = [];
  for (let at = 1; at < bytes.length; at++) {
    if (bytes[at] === 10 && bytes[at - 1] === 10) ends.push(at + 1);
  }
  return ends;
}

async function write(connection: Deno.Conn, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Until the time is over, the script is stopped, or the other side hangs up (which throws). */
async function holdOpen(connection: Deno.Conn, ms: number, stop: AbortSignal): Promise<void> {
  const done = new AbortController();
  const hungUp = connection.read(new Uint8Array(1)).then((count) => count === null, () => true);
  const left = await Promise.race([
    pause(ms, AbortSignal.any([stop, done.signal])).then(() => false),
    hungUp,
  ]);
  done.abort();
  if (left) throw new Error("the other side hung up");
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const timer = setTimeout(finish, ms);
    stop.addEventListener("abort", finish, { once: true });
    function finish() {
      clearTimeout(timer);
      stop.removeEventListener("abort", finish);
      resolve();
    }
  });
}

/** What an answer looks like in `http.json` of a shared case. */
interface CaseAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | null;
  readonly hold_open_ms?: number;
  readonly event_interval_ms?: number;
  readonly end?: "rst";
  readonly repeat?: boolean;
  readonly if?: string;
  readonly else?: CaseAnswer;
}

/** The conditions that the cases put on a request, by their words. */
const CONDITIONS: { readonly [words: string]: (body: RequestBody) => boolean } = {
  "assistant content is an empty string": (body) =>
    body.messages.some((message) => message.role === "assistant" && message.content === ""),
};

/** The script in `file` of a case's folder, which ends in a slash; `cuts.json` beside it cuts each body. */
export function readCaseScript(folder: URL, file = "http.json"): ScriptedAnswer[] {
  const answers = JSON.parse(Deno.readTextFileSync(new URL(file, folder))) as CaseAnswer[];
  return answers.map((answer) => toAnswer(answer, folder));
}

function toAnswer(answer: CaseAnswer, folder: URL): ScriptedAnswer {
  const body = answer.body ? Deno.readFileSync(new URL(answer.body, folder)) : null;
  const condition = answer.if === undefined ? undefined : CONDITIONS[answer.if];
  if (answer.if !== undefined && !condition) throw new Error(`Unknown condition: "${answer.if}"`);
  return {
    status: answer.status,
    body,
    ...(answer.headers ? { headers: answer.headers } : {}),
    ...(body ? { cuts: readCuts(folder, body.length) } : {}),
    ...(answer.event_interval_ms ? { eventIntervalMs: answer.event_interval_ms } : {}),
    ...(answer.hold_open_ms ? { holdOpenMs: answer.hold_open_ms } : {}),
    ...(answer.end ? { end: answer.end } : {}),
    ...(answer.repeat ? { repeat: true } : {}),
    ...(condition ? { onlyIf: condition } : {}),
    ...(answer.else ? { otherwise: toAnswer(answer.else, folder) } : {}),
  };
}

/** Where `cuts.json` cuts a body: at offsets, or every so many bytes. */
export function readCuts(folder: URL, length: number): number[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(new URL("cuts.json", folder));
  } catch {
    return [];
  }
  const cuts = JSON.parse(text) as { byte_offsets?: number[]; chunk_size?: number };
  if (cuts.byte_offsets) return cuts.byte_offsets.filter((at) => at < length);
  const size = cuts.chunk_size ?? length;
  return Array.from({ length: Math.ceil(length / size) - 1 }, (_, i) => (i + 1) * size);
}

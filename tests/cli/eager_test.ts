/** A tool that starts before the stream has ended, proven by the server: it holds the end back until the tool's file is there. */
import { assertEquals } from "@std/assert";
import type { Delta, ProtocolName } from "../../src/vocab.ts";
import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { callOf } from "../world.ts";
import { withStage } from "./agent_world.ts";

/** How long a server waits for the file of a protocol that isn't to write it yet. */
const PATIENCE_MS = { eager: 10_000, late: 300 };

type Held = "the file was there before the end" | "the end came first";

/** A model that asks for two files and ends its message only when it sees the first, or loses patience. */
function startHoldingServer(deltas: readonly Delta[], file: string, patienceMs: number) {
  const log: Held[] = [];
  let requests = 0;
  async function* reply(): AsyncIterable<string> {
    if (++requests > 1) return yield chunk({ content: "Done." }, "stop") + DONE;
    for (const delta of deltas.filter(({ kind }) => !isEnd(kind))) yield encode(delta);
    log.push(
      await appears(file, patienceMs) ? "the file was there before the end" : "the end came first",
    );
    yield chunk({}, "tool_calls") + DONE;
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await request.body?.cancel();
    const body = ReadableStream.from(reply()).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return { log, url: `http://127.0.0.1:${server.addr.port}/v1`, close: () => server.shutdown() };
}

const DONE = "data: [DONE]\n\n";

function isEnd(kind: Delta["kind"]): boolean {
  return kind === "finish" || kind === "done" || kind === "usage";
}

function chunk(delta: unknown, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function encode(delta: Delta): string {
  if (delta.kind === "text") return chunk({ content: delta.text });
  if (delta.kind !== "tool_call") throw new Error(`no delta of a message: ${delta.kind}`);
  const { slot, id, name, arguments: text } = delta;
  return chunk({ tool_calls: [{ index: slot, id, function: { name, arguments: text } }] });
}

async function appears(path: string, patienceMs: number): Promise<boolean> {
  for (let waited = 0; waited < patienceMs; waited += 10) {
    if (await Deno.stat(path).then(() => true, () => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

async function watch(protocol: ProtocolName, eager: boolean): Promise<void> {
  await withStage([], async (stage) => {
    const deltas = createProtocol(protocol)!.encode("", [
      callOf("c1", "run", { command: "echo one > one" }),
      callOf("c2", "run", { command: "echo two > two" }),
    ]);
    const patience = eager ? PATIENCE_MS.eager : PATIENCE_MS.late;
    const server = startHoldingServer(deltas, `${stage.cwd}/one`, patience);
    try {
      const base = stage.flags.filter((flag) => !flag.startsWith("--base-url"));
      const argv = [`--base-url=${server.url}`, `--protocol=${protocol}`, "-A", "--json", "Go"];
      const ran = await stage.run(argv, { flags: base });
      assertEquals(ran.exit, 0, ran.stderr);
      assertEquals(server.log, [
        eager ? "the file was there before the end" : "the end came first",
      ]);
      assertEquals(Deno.readTextFileSync(`${stage.cwd}/two`), "two\n");
      const order = ran.events.map(({ type }) => type).filter((type) =>
        type === "ready" || type === "tool_start" || type === "tool_result" || type === "end"
      );
      const pair = ["ready", "tool_start", "tool_result"];
      // A message ends when its last call is settled, also where its calls run only after the stream.
      assertEquals(order, [...pair, ...pair, "end", "end"]);
      const early = ran.events.filter(({ type }) => type === "tool_start")
        .map(({ stream_ended }) => stream_ended);
      assertEquals(early[0], !eager);
    } finally {
      await server.close();
    }
  });
}

for (const protocol of PROTOCOL_NAMES) {
  const { eager } = createProtocol(protocol)!;
  const title = eager
    ? "a confirmed call has run before the stream ends"
    : "nothing runs before the stream ends";
  Deno.test(`${protocol}: ${title}`, () => watch(protocol, eager));
}

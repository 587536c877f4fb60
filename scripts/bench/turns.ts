/**
 * What the agent adds to a conversation: N tool turns against a server that answers at once, and one write call with
 * a large argument, against bare clients in one interleaved run.
 *
 * Usage: deno run -A scripts/bench/turns.ts [--runs 5] [--turns 50] [--only NAME,…] [--memory]
 * (after `deno task compile`)
 *
 * "gap" is measured by the server: the next request's arrival minus the end of the answer before (median of all).
 * "peak MB" is the client's own process. `--memory` plays the turns again, not timed, and looks at the client with all
 * that it started: "tree MB" is the peak of the sum of PSS (of RSS).
 */
import { parseArgs } from "@std/cli/parse-args";
import { peakMemory, type TreeMemory } from "./memory.ts";

const root = new URL("../../", import.meta.url).pathname;
const options = parseArgs(Deno.args, {
  string: ["runs", "turns", "only", "program"],
  boolean: ["memory"],
  default: { runs: "5", turns: "50", only: "", program: `${root}dist/cst-agent` },
});
const runs = Number(options.runs);
const turns = Number(options.turns);
const folder = await Deno.makeTempDir({ prefix: "cst-turns-" });

/** What is to be played next: `turns` commands, or one write of `bytes`. */
let scene: { readonly turns: number; readonly bytes: number; readonly memory?: boolean } = {
  turns: 1,
  bytes: 0,
};
/** What the server saw of the current run. */
let seen = { requests: 0, bytes: 0, first: 0, lastEnd: 0, gaps: [] as number[], peakKb: 0 };
let child: Deno.ChildProcess | undefined;

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const at = performance.now();
    const text = await request.text();
    if (seen.requests++ === 0) seen.first = text.length;
    else seen.gaps.push(at - seen.lastEnd);
    seen.bytes += text.length;
    const native = text.includes('"tools"');
    const events = answer(seen.requests, native);
    if (seen.requests > Math.min(scene.turns, 1_000_000)) notePeak();
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const slice = events.splice(0, 400);
        if (slice.length > 0) controller.enqueue(encoder.encode(slice.join("")));
        if (events.length === 0) {
          controller.close();
          seen.lastEnd = performance.now();
        }
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
);
const base = `http://127.0.0.1:${server.addr.port}/v1`;

/** The most memory that the client has taken, as Linux counts it; asked while it waits for its last answer. */
function notePeak(): void {
  const status = Deno.readTextFileSync(`/proc/${child!.pid}/status`);
  seen.peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
}

function answer(nth: number, native: boolean): string[] {
  if (nth > scene.turns) return [...deltas("Done."), ...FINISH("stop")];
  const args = scene.bytes > 0
    ? { path: "big.txt", content: bigText(scene.bytes) }
    : { command: `echo turn ${nth}` };
  const name = scene.bytes > 0 ? "write_file" : "run";
  if (!native) {
    const lines = Object.entries(args).map(([key, value]) =>
      value.length > 60 ? `arg ${key} <<EOF\n${value}EOF\n` : `arg ${key} ${value}\n`
    );
    return [...deltas(`call c${nth} ${name}\n${lines.join("")}end\n`), ...FINISH("stop")];
  }
  return [...callDeltas(`c${nth}`, name, JSON.stringify(args)), ...FINISH("tool_calls")];
}

const event = (choice: unknown) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
const FINISH = (reason: string) => [
  event({ index: 0, delta: {}, finish_reason: reason }),
  "data: [DONE]\n\n",
];
/** Characters of a delta, as a token has them more or less. */
const DELTA = 16;

function pieces(text: string): string[] {
  return Array.from(
    { length: Math.ceil(text.length / DELTA) },
    (_, i) => text.slice(i * DELTA, (i + 1) * DELTA),
  );
}

function deltas(text: string): string[] {
  return pieces(text).map((content) => event({ index: 0, delta: { content } }));
}

function callDeltas(id: string, name: string, args: string): string[] {
  const part = (fields: unknown) => event({ index: 0, delta: { tool_calls: [fields] } });
  return [
    part({ index: 0, id, type: "function", function: { name, arguments: "" } }),
    ...pieces(args).map((it) => part({ index: 0, function: { arguments: it } })),
  ];
}

function bigText(bytes: number): string {
  const line = `const value = compute("some text", 42); // and a remark\n`;
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes - 1) + "\n";
}

/** Who is measured: its name and its argv. */
const bare = `${root}scripts/bench/bare_client.mjs`;
const ours = (protocol: string, ...more: string[]) => [
  String(options.program),
  "run",
  "Work",
  "--provider=custom",
  "--model=m",
  `--base-url=${base}`,
  `--protocol=${protocol}`,
  "--max-steps=100000",
  "--allow-run",
  "--quiet",
  ...more,
];
const ALL: readonly (readonly [string, readonly string[]])[] = [
  ["bare Deno client", ["deno", "run", "-A", bare, base]],
  ["bare Deno client, sync", ["deno", "run", "-A", bare, base, "sync"]],
  ["bare Deno client, sync, detached", ["deno", "run", "-A", bare, base, "sync", "detached"]],
  ["bare Deno client, sync, setsid", ["deno", "run", "-A", bare, base, "sync", "setsid"]],
  ["bare Deno client, sync, detached, bwrap", [
    "deno",
    "run",
    "-A",
    bare,
    base,
    "sync",
    "detached",
    "bwrap",
  ]],
  ["bare Node client", ["node", bare, base]],
  ["cst-agent ctl-heredoc, sandbox", ours("ctl-heredoc", "--sandbox=bwrap")],
  ["cst-agent ctl-heredoc, sandbox off", ours("ctl-heredoc", "--sandbox=off")],
  ["cst-agent native-eos, sandbox off", ours("native-eos", "--sandbox=off")],
];
const only = String(options.only).split(",").filter((it) => it !== "");
const clients = ALL.filter(([name]) => only.length === 0 || only.some((it) => name.includes(it)));

async function play(
  argv: readonly string[],
): Promise<{ wall: number; tree?: TreeMemory } & typeof seen> {
  const [program, ...args] = argv;
  const work = await Deno.makeTempDir({ dir: folder });
  seen = { requests: 0, bytes: 0, first: 0, lastEnd: 0, gaps: [], peakKb: 0 };
  const started = performance.now();
  child = new Deno.Command(program!, {
    args,
    cwd: work,
    env: { HOME: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const tree = scene.memory ? await peakMemory(child.pid, child.status) : undefined;
  const { code } = await child.status;
  const wall = performance.now() - started;
  if (code !== 0 || seen.requests !== scene.turns + 1) {
    throw new Error(`${argv.join(" ")}: exit ${code} after ${seen.requests} requests`);
  }
  if (scene.bytes > 0 && (await Deno.stat(`${work}/big.txt`)).size !== scene.bytes) {
    throw new Error(`${argv.join(" ")}: the file is not what was sent`);
  }
  return { wall, ...seen, ...(tree ? { tree } : {}) };
}

const medianOf = (list: readonly number[]) =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;

/** Plays one scene with every client, interleaved; returns each client's runs. */
async function measure(next: typeof scene) {
  scene = next;
  const results = new Map<string, Awaited<ReturnType<typeof play>>[]>();
  for (let round = -1; round < runs; round++) {
    for (const [name, argv] of clients) {
      const result = await play(argv);
      if (round >= 0) results.set(name, [...results.get(name) ?? [], result]);
    }
  }
  return results;
}

/** The medians over `runs` of what their trees took: PSS, and RSS in parentheses. */
function treeWords(runs: readonly { readonly tree?: TreeMemory }[]): string {
  const most = (field: "pssKb" | "rssKb") =>
    (medianOf(runs.map(({ tree }) => tree![field])) / 1024).toFixed(0);
  return `${most("pssKb")} (${most("rssKb")})`;
}

const one = await measure({ turns: 1, bytes: 0 });
const many = await measure({ turns, bytes: 0 });
const big = await measure({ turns: 1, bytes: 1 << 20 });
const bigger = await measure({ turns: 1, bytes: 4 << 20 });
const watched = options.memory ? await measure({ turns, bytes: 0, memory: true }) : undefined;

console.log(`n = ${runs} each, interleaved, ${turns} turns; medians (minimum)`);
console.log(
  "| client | N=1 ms | N=" + turns +
    " ms | ms a turn | gap ms | peak MB | first request B | bytes sent | 1 MiB ms | 4 MiB ms | 4:1 |" +
    (watched ? " tree MB |" : ""),
);
console.log(`|---|${"---:|".repeat(watched ? 11 : 10)}`);
for (const [name] of clients) {
  const walls = (from: typeof one) => from.get(name)!.map(({ wall }) => wall);
  const both = (list: readonly number[]) =>
    `${medianOf(list).toFixed(0)} (${Math.min(...list).toFixed(0)})`;
  const slope = (medianOf(walls(many)) - medianOf(walls(one))) / (turns - 1);
  const gaps = many.get(name)!.map((run) => medianOf(run.gaps));
  const peak = medianOf(many.get(name)!.map(({ peakKb }) => peakKb / 1024));
  const { first, bytes } = many.get(name)![0]!;
  const row = [
    name,
    both(walls(one)),
    both(walls(many)),
    slope.toFixed(1),
    `${medianOf(gaps).toFixed(1)} (${Math.min(...gaps).toFixed(1)})`,
    peak.toFixed(0),
    first,
    bytes,
    both(walls(big)),
    both(walls(bigger)),
    (medianOf(walls(bigger)) / medianOf(walls(big))).toFixed(1),
    ...(watched ? [treeWords(watched.get(name)!)] : []),
  ];
  console.log(`| ${row.join(" | ")} |`);
}
await server.shutdown();
await Deno.remove(folder, { recursive: true });

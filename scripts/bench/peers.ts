/**
 * The compiled program beside other agents, all on one scripted server, in one interleaved run: a run of one command,
 * a run of many, one write call of 1 MiB, and what the whole process tree takes of the memory meanwhile.
 *
 * Usage: deno run -A scripts/bench/peers.ts --table AGENTS.json [--runs 5] [--turns 50] [--only NAME,…]
 *   [--scenes one,many,memory,big] [--limit SECONDS] [--raw FILE]                     (after `deno task compile`)
 *
 * AGENTS.json is a list of agents that are installed already (docs/performance.md has an example):
 *   name, interface ("chat", "frames", "responses", "messages", "gemini"), argv, env, files (path → text or JSON),
 *   run and write: `{tool, args}` or `{tool, input}`, the calls by which this agent runs a command and writes a file.
 * In every string `{base}` is the server's URL with /v1, `{root}` without it, `{home}` the agent's own home, `{prompt}`
 * the task; in calls `{command}`, `{path}`, `{content}`, and `{+content}` with a "+" before each line.
 *
 * An agent sees the PATH, its home, and what `env` says; give it no key that is worth something. To be sure that none
 * asks anybody else: `unshare -rn sh -c 'ip link set lo up && exec deno run -A …'`.
 * `--raw` keeps each run as a line of JSON and adds to what is there, so that a long comparison can be taken in parts.
 */
import { parseArgs } from "@std/cli/parse-args";
import { peakMemory } from "./memory.ts";
import { answerIn, GEMINI_WHOLE, type Interface, type ScriptedCall } from "./scripted_model.ts";

type CallForm = Pick<ScriptedCall, "tool" | "args" | "input">;
interface Agent {
  readonly name: string;
  readonly interface: Interface;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, unknown>>;
  readonly run: CallForm;
  readonly write: CallForm;
}
type Scene = "one" | "many" | "memory" | "big";
interface Run {
  readonly name: string;
  readonly scene: Scene;
  readonly wall: number;
  readonly firstMs: number;
  readonly first: number;
  readonly bytes: number;
  readonly gap: number;
  readonly pssKb?: number;
  readonly rssKb?: number;
  readonly failed?: string;
}

const root = new URL("../../", import.meta.url).pathname;
const options = parseArgs(Deno.args, {
  string: ["table", "runs", "turns", "only", "scenes", "limit", "raw", "program"],
  default: {
    runs: "5",
    turns: "50",
    only: "",
    scenes: "one,many,memory,big",
    limit: "120",
    program: `${root}dist/cst-agent`,
  },
});
const turns = Number(options.turns);
const raw = options.raw === undefined ? undefined : String(options.raw);
const scenes = String(options.scenes).split(",") as readonly Scene[];
const folder = await Deno.makeTempDir({ prefix: "cst-peers-" });

/** What all agents are to write, with what JSON and patches have to escape. */
const LINE = 'const text = "caf\u00e9 \\t \\"quoted\\""; // + a remark\n';
const CONTENT = LINE.repeat(Math.ceil((1 << 20) / new TextEncoder().encode(LINE).length));

const TOOLS = {
  run: { tool: "run", args: { command: "{command}" } },
  write: { tool: "write_file", args: { path: "{path}", content: "{content}" } },
};
const ours = (name: string, ...more: readonly string[]): Agent => ({
  name,
  interface: "frames",
  argv: [
    String(options.program),
    "run",
    "{prompt}",
    "--provider=custom",
    "--model=m",
    "--base-url={base}",
    "--protocol=ctl-heredoc",
    "--max-steps=100000",
    "--allow-run",
    "--quiet",
    ...more,
  ],
  ...TOOLS,
});
const OURS: readonly Agent[] = [
  ours("cst-agent"),
  ours("cst-agent, sandbox off", "--sandbox=off"),
  {
    name: "bare Deno client",
    interface: "chat",
    argv: [Deno.execPath(), "run", "-A", `${root}scripts/bench/bare_client.mjs`, "{base}"],
    ...TOOLS,
  },
];

/** `value` with every `{word}` of `words` filled in, however deep it lies. */
function fill<Value>(value: Value, words: Readonly<Record<string, string>>): Value {
  if (typeof value === "string") {
    return value.replace(/\{(\+?\w+)\}/g, (all, word: string) => words[word] ?? all) as Value;
  }
  if (Array.isArray(value)) return value.map((it) => fill(it, words)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [key, fill(it, words)]),
  ) as Value;
}

/** What is played now: by whom, and the answers, made before so that making them takes no time of the run. */
let now: { readonly agent: Agent; readonly scene: Scene; readonly answers: readonly string[][] };
let seen = { requests: 0, bytes: 0, first: 0, firstAt: 0, lastEnd: 0, gaps: [] as number[] };
let wrong = "";

/** One answer for each call of the scene, and a last one. */
function answersFor(agent: Agent, scene: Scene, cwd: string): readonly string[][] {
  const calls = Array.from(
    { length: scene === "many" || scene === "memory" ? turns : 1 },
    (_, nth) => ({
      id: `c${nth}`,
      ...fill(scene === "big" ? agent.write : agent.run, {
        // What it prints is not in the call, so that the next request shows whether it ran.
        command: `printf 'step-%s\\n' ${nth}`,
        path: `${cwd}/big.txt`,
        content: CONTENT,
        "+content": CONTENT.replace(/^(?=.)/gm, "+"),
      }),
    }),
  );
  return [...calls, undefined].map((call) => answerIn(agent.interface, call));
}

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const at = performance.now();
    const bytes = new Uint8Array(await request.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    seen.bytes += bytes.length;
    const to = now.agent.interface;
    const path = new URL(request.url).pathname;
    if (path.endsWith(":generateContent")) return Response.json(GEMINI_WHOLE);
    if (!/\/(chat\/completions|responses|messages|.*:streamGenerateContent)$/.test(path)) {
      return Response.json({ data: [] });
    }
    // Titles, summaries and the like are asked for without tools.
    const events = to === "frames" || /"tools": ?\[ ?\{/.test(text)
      ? nextAnswer(at, text, bytes.length)
      : answerIn(to, undefined);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const slice = events.splice(0, 400);
        if (slice.length > 0) controller.enqueue(encoder.encode(slice.join("")));
        if (events.length > 0) return;
        controller.close();
        seen.lastEnd = performance.now();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
);
const rootUrl = `http://127.0.0.1:${server.addr.port}`;

function nextAnswer(at: number, text: string, bytes: number): string[] {
  const nth = seen.requests++;
  if (nth === 0) [seen.first, seen.firstAt] = [bytes, at];
  else seen.gaps.push(at - seen.lastEnd);
  const ran = nth === 0 || now.scene === "big" || text.includes(`step-${nth - 1}`);
  if (!ran) wrong ||= `request ${nth} lacks the result before it`;
  return [...now.answers[nth] ?? now.answers.at(-1)!];
}

const medianOf = (list: readonly number[]) =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;

/** A project as agents like it: a repository of git with a file. */
async function makeProject(): Promise<string> {
  const cwd = await Deno.makeTempDir({ dir: folder });
  await Deno.writeTextFile(`${cwd}/README.md`, "# A project\n");
  await new Deno.Command("git", { args: ["init", "-q"], cwd }).output();
  return cwd;
}

async function play(agent: Agent, scene: Scene): Promise<Run> {
  const home = `${folder}/${agent.name.replace(/\W+/g, "-")}`;
  const words = { base: `${rootUrl}/v1`, root: rootUrl, home, prompt: "Work step by step." };
  const { argv, env = {}, files = {} } = fill(agent, words);
  await Deno.mkdir(home, { recursive: true });
  for (const [path, value] of Object.entries(files).map((it) => fill(it, words))) {
    await Deno.mkdir(path.replace(/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(path, typeof value === "string" ? value : JSON.stringify(value));
  }
  const cwd = await makeProject();
  now = { agent, scene, answers: answersFor(agent, scene, cwd) };
  seen = { requests: 0, bytes: 0, first: 0, firstAt: 0, lastEnd: 0, gaps: [] };
  wrong = "";
  const [program, ...args] = argv;
  const started = performance.now();
  const child = new Deno.Command(program!, {
    args,
    cwd,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: home, LANG: "C.UTF-8", ...env },
    ...{ stdin: "null", stdout: "null", stderr: "null", detached: true } as const,
  }).spawn();
  const timer = setTimeout(() => {
    wrong ||= `not done in ${options.limit} s`;
    Deno.kill(-child.pid, "SIGKILL");
  }, Number(options.limit) * 1000);
  const memory = scene === "memory" ? await peakMemory(child.pid, child.status) : undefined;
  const { code } = await child.status;
  const wall = performance.now() - started;
  clearTimeout(timer);
  if (code !== 0) wrong ||= `exit ${code}`;
  if (seen.requests !== now.answers.length) wrong ||= `${seen.requests} requests`;
  if (scene === "big") {
    const text = await Deno.readTextFile(`${cwd}/big.txt`).catch(() => "");
    if (text !== CONTENT) wrong ||= "the file is not what was sent";
  }
  return {
    name: agent.name,
    scene,
    wall,
    firstMs: seen.firstAt - started,
    first: seen.first,
    bytes: seen.bytes,
    gap: medianOf(seen.gaps),
    ...(memory ? { pssKb: memory.pssKb, rssKb: memory.rssKb } : {}),
    ...(wrong === "" ? {} : { failed: wrong }),
  };
}

/** Plays every scene with every agent, interleaved, after one round that doesn't count. */
async function measure(agents: readonly Agent[]): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let round = -1; round < Number(options.runs); round++) {
    for (const scene of round < 0 ? ["one" as const] : scenes) {
      for (const agent of agents) {
        const run = await play(agent, scene);
        if (run.failed) console.error(`${agent.name}, ${scene}: ${run.failed}`);
        if (round < 0) continue;
        runs.push(run);
        if (raw) {
          await Deno.writeTextFile(raw, `${JSON.stringify(run)}\n`, { append: true });
        }
      }
    }
  }
  return runs;
}

function printTable(agents: readonly Agent[], runs: readonly Run[]): void {
  console.log(`medians (minimum; runs), ${turns} turns`);
  console.log(
    "| agent | first request ms | N=1 ms | ms a turn | gap ms | first request B | bytes sent | tree MB, PSS (RSS) | 1 MiB ms |",
  );
  console.log(`|---|${"---:|".repeat(8)}`);
  const number = (value: number, digits = 0) => isNaN(value) ? "–" : value.toFixed(digits);
  for (const { name } of agents) {
    const of = (scene: Scene, field: keyof Run) =>
      runs.filter((run) => run.name === name && run.scene === scene && !run.failed)
        .map((run) => Number(run[field]));
    const both = (list: readonly number[], digits = 0) =>
      list.length === 0
        ? "–"
        : `${medianOf(list).toFixed(digits)} (${
          Math.min(...list).toFixed(digits)
        }; ${list.length})`;
    const slope = (medianOf(of("many", "wall")) - medianOf(of("one", "wall"))) / (turns - 1);
    const megabytes = (field: "pssKb" | "rssKb") => number(medianOf(of("memory", field)) / 1024);
    const cells = [
      name,
      both(of("one", "firstMs")),
      both(of("one", "wall")),
      number(slope, 1),
      both(of("many", "gap"), 1),
      number(medianOf(of("many", "first"))),
      number(medianOf(of("many", "bytes"))),
      `${megabytes("pssKb")} (${megabytes("rssKb")})`,
      both(of("big", "wall")),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

const only = String(options.only).split(",").filter((it) => it !== "");
const others: readonly Agent[] = options.table
  ? JSON.parse(await Deno.readTextFile(String(options.table)))
  : [];
const agents = [...OURS, ...others].filter(({ name }) => only.length === 0 || only.includes(name));
const runs = await measure(agents);
const all = raw ? (await Deno.readTextFile(raw)).trim().split("\n") : undefined;
printTable(agents, all?.map((it) => JSON.parse(it)) ?? runs);
await server.shutdown();
await Deno.remove(folder, { recursive: true });

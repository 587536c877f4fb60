/**
 * How long the compiled program takes to start, against a compiled hello-world: `--version`, `--help`, and until the
 * first request of `run` arrives at a server on loopback. All in one interleaved run.
 *
 * Usage: deno run -A scripts/bench/start.ts [--runs 25] [--program dist/cst-agent]     (after `deno task compile`)
 */
import { parseArgs } from "@std/cli/parse-args";

const root = new URL("../../", import.meta.url).pathname;
const options = parseArgs(Deno.args, {
  string: ["program", "runs"],
  default: { program: `${root}dist/cst-agent`, runs: "25" },
});
const program = String(options.program);
const folder = await Deno.makeTempDir({ prefix: "cst-start-" });

/** Compiles a program that prints one word, onto the base that the tests use when it's there. */
async function compileHello(): Promise<string> {
  await Deno.writeTextFile(`${folder}/hello.js`, 'console.log("hello");\n');
  const base = `${root}dist/base/denort-${Deno.build.target}`;
  const env = await Deno.stat(base).then(() => ({ DENORT_BIN: base }), () => undefined);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", "-q", "-A", "--no-code-cache", "-o", `${folder}/hello`, `${folder}/hello.js`],
    ...(env ? { env } : {}),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return `${folder}/hello`;
}

let arrived: (() => void) | undefined;
const REPLY =
  'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
  arrived?.();
  return new Response(REPLY, { headers: { "content-type": "text/event-stream" } });
});
const run = [
  "run",
  "Say hi",
  "--provider=custom",
  "--model=m",
  `--base-url=http://127.0.0.1:${server.addr.port}/v1`,
  `--cwd=${folder}`,
];

const hello = await compileHello();
const CASES: readonly { name: string; argv: readonly string[]; until?: "request" }[] = [
  { name: "hello-world", argv: [hello] },
  { name: "--version", argv: [program, "--version"] },
  { name: "--help", argv: [program, "--help"] },
  { name: "run --help", argv: [program, "run", "--help"] },
  { name: "run, first request arrives", argv: [program, ...run], until: "request" },
  {
    name: "… with --sandbox=off",
    argv: [program, ...run, "--sandbox=off"],
    until: "request",
  },
  { name: "run, one answer, whole", argv: [program, ...run] },
];

async function time({ argv, until }: (typeof CASES)[number]): Promise<number> {
  const [path, ...args] = argv;
  const request = new Promise<void>((resolve) => arrived = resolve);
  const started = performance.now();
  const child = new Deno.Command(path!, {
    args,
    env: { HOME: folder, PATH: Deno.env.get("PATH") ?? "" },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  if (until === "request") await request;
  else await child.status;
  const ms = performance.now() - started;
  await child.status;
  return ms;
}

const times = new Map<string, number[]>(CASES.map(({ name }) => [name, []]));
const runs = Number(options.runs);
for (let round = -1; round < runs; round++) {
  for (const it of CASES) {
    const ms = await time(it);
    if (round >= 0) times.get(it.name)!.push(ms);
  }
}
const medianOf = (list: readonly number[]) =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
const floor = times.get("hello-world")!;
console.log(`n = ${runs}, interleaved; ms: median (min), × hello-world by median (by min)`);
for (const [name, list] of times) {
  const [median, min] = [medianOf(list), Math.min(...list)];
  const times = `${(median / medianOf(floor)).toFixed(2)} (${
    (min / Math.min(...floor)).toFixed(2)
  })`;
  console.log(`${name.padEnd(28)} ${median.toFixed(1)} (${min.toFixed(1)})  × ${times}`);
}
await server.shutdown();
await Deno.remove(folder, { recursive: true });

/**
 * Many agents at once, and one agent for long, against one simulated model on this machine.
 *
 * Usage: deno run -A --v8-flags=--expose-gc scripts/soak_load.ts [AGENTS=24] [TURNS=200] [PROGRAM …]
 *
 * 1. AGENTS tasks of 20 calls start at once; each must end right, its calls in order, each once.
 * 2. One task of TURNS calls in this process: at turn 20 and at the last one the live heap (after a full collection)
 *    and the open files are read.
 * 3. The time between its requests, in tenths of the run: linear means that they don't grow (but for the longer request).
 */
import { runCommand } from "../src/cli/run.ts";
import { STEADY } from "../src/sim/options.ts";
import { type Sim, startSim } from "../src/sim/server.ts";
import { createClock } from "../src/system/clock.ts";
import { readSurroundings } from "../src/system/environment.ts";
import { createFiles } from "../src/system/files.ts";
import { createLogFiles } from "../src/system/log_file.ts";
import { createProcesses, findSetsid } from "../src/system/process_group.ts";
import { numbersPlan } from "./numbers_plan.ts";

const CALLS = 20;
/** The turn from which on memory may not grow by more than a fifth. */
const WARM = 20;

function startModel(calls: number, hold?: (request: number) => Promise<void>): Sim {
  return startSim({
    plan: numbersPlan(calls),
    clock: createClock(),
    ...STEADY,
    seed: "load",
    ...(hold ? { hold } : {}),
  });
}

/** Starts the agent in a folder of its own. */
async function startAgent(program: readonly string[], url: string, turns: number) {
  const folder = await Deno.makeTempDir({ prefix: "cst-load-" });
  const [command, ...args] = program;
  const child = new Deno.Command(command!, {
    args: [
      ...args,
      "run",
      "Write the numbers",
      "-A",
      "--quiet",
      "--provider=sim",
      `--base-url=${url}`,
      `--session-dir=${folder}/sessions`,
      `--max-steps=${turns + 10}`,
    ],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  return { folder, child };
}

/** What is wrong with an agent's end; undefined where nothing is. */
async function faultOf(
  agent: { readonly folder: string; readonly child: Deno.ChildProcess },
  calls: number,
): Promise<string | undefined> {
  const { code, stderr } = await agent.child.output();
  const numbers = await Deno.readTextFile(`${agent.folder}/numbers`).catch(() => "");
  await Deno.remove(agent.folder, { recursive: true });
  const wanted = Array.from({ length: calls }, (_, i) => `${i + 1}\n`).join("");
  if (code === 0 && numbers === wanted) return undefined;
  return `exit ${code}, numbers ${numbers.trim().replaceAll("\n", " ")}: ${
    new TextDecoder().decode(stderr).trim()
  }`;
}

/** Runs `agents` tasks at once; one sentence for each that went wrong. */
export async function soakAtOnce(program: readonly string[], agents: number): Promise<string[]> {
  const sim = startModel(CALLS);
  try {
    const started = await Promise.all(
      Array.from({ length: agents }, () => startAgent(program, sim.url, CALLS)),
    );
    const faults = await Promise.all(started.map((agent) => faultOf(agent, CALLS)));
    return faults.filter((fault) => fault !== undefined);
  } finally {
    await sim.stop();
  }
}

/** What a long run used at one of its turns. */
export interface Use {
  readonly turn: number;
  /** Live after a full collection. */
  readonly heapMB: number;
  readonly files: number;
}

/** How a long run went. */
export interface LongRun {
  readonly exit: number;
  readonly numbers: number;
  readonly early: Use;
  readonly late: Use;
  /** Milliseconds between requests, the median of each tenth of the run. */
  readonly gaps: readonly number[];
}

/** Runs one task of `turns` calls in this process and looks at it as it goes. Needs `--v8-flags=--expose-gc`. */
export async function soakLong(turns: number): Promise<LongRun> {
  const folder = await Deno.makeTempDir({ prefix: "cst-load-" });
  const uses: Use[] = [];
  const times: number[] = [];
  const sim = startModel(turns, (request) => {
    times.push(performance.now());
    if (request === WARM || request === turns) uses.push(useNow(request));
    return Promise.resolve();
  });
  const world = createWorld(folder);
  try {
    const exit = await runCommand([
      "Write the numbers",
      "-A",
      "--quiet",
      "--provider=sim",
      `--base-url=${sim.url}`,
      `--session-dir=${folder}/sessions`,
      `--max-steps=${turns + 10}`,
    ], world);
    const numbers = (await Deno.readTextFile(`${folder}/numbers`)).trim().split("\n").length;
    const none: Use = { turn: 0, heapMB: 0, files: 0 };
    return { exit, numbers, early: uses[0] ?? none, late: uses[1] ?? none, gaps: tenths(times) };
  } finally {
    await world.processes.close();
    await sim.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

function createWorld(cwd: string) {
  const clock = createClock();
  return {
    files: createFiles(),
    logFiles: createLogFiles(),
    processes: createProcesses({ clock, setsid: findSetsid() }),
    clock,
    env: readSurroundings().env,
    cwd,
    async *readStdin() {},
    stdout: () => {},
    stderr: () => {},
    terminal: { stdin: false, stdout: false, stderr: false },
    signal: new AbortController().signal,
  };
}

function useNow(turn: number): Use {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error("Run this with --v8-flags=--expose-gc");
  gc();
  const files = [...Deno.readDirSync("/proc/self/fd")].length;
  return { turn, heapMB: Deno.memoryUsage().heapUsed / 1e6, files };
}

function tenths(times: readonly number[]): number[] {
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  const size = Math.max(1, Math.floor(gaps.length / 10));
  return Array.from({ length: 10 }, (_, i) => {
    const part = gaps.slice(i * size, (i + 1) * size).sort((a, b) => a - b);
    return Math.round((part[Math.floor(part.length / 2)] ?? 0) * 10) / 10;
  });
}

if (import.meta.main) {
  const [agents = "24", turns = "200", ...given] = Deno.args;
  const main = new URL("../main.ts", import.meta.url).pathname;
  const program = given.length > 0 ? given : [Deno.execPath(), "run", "-A", "--no-check", main];
  const faults = await soakAtOnce(program, Number(agents));
  for (const fault of faults) console.log(fault);
  console.log(`${agents} tasks of ${CALLS} calls at once: ${faults.length} faults`);
  const long = await soakLong(Number(turns));
  console.log(`one task of ${turns} calls: exit ${long.exit}, ${long.numbers} numbers`);
  for (const { turn, heapMB, files } of [long.early, long.late]) {
    console.log(`turn ${turn}: ${heapMB.toFixed(2)} MB of live heap, ${files} open files`);
  }
  console.log(`ms a turn, by tenths of the run: ${long.gaps.join(" ")}`);
  const grown = long.late.heapMB > 1.2 * long.early.heapMB || long.late.files > long.early.files;
  const right = long.exit === 0 && long.numbers === Number(turns);
  Deno.exit(faults.length === 0 && right && !grown ? 0 : 1);
}

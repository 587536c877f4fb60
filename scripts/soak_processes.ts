/**
 * Runs commands that are hard to end, many times each, by the tool `run`, and shows that none hangs, none leaves a
 * process and none costs memory.
 *
 * Usage: deno run -A scripts/soak_processes.ts [COUNT] [KIND...]      (COUNT is 200)
 */
import { createClock } from "../src/system/clock.ts";
import { createProcesses, findSetsid } from "../src/system/process_group.ts";
import { runTool } from "../src/tools/run.ts";
import type { ToolWorld } from "../src/tools/tool.ts";
import { createToolWorld } from "./tool_world.ts";

/** A command that is hard to end. `SECONDS` in it becomes a number that finds its `sleep` again. */
interface Kind {
  readonly name: string;
  readonly command: string;
  readonly timeoutS: number;
  readonly exit: number;
}

const KINDS: readonly Kind[] = [
  { name: "background", command: "sleep SECONDS & echo started", timeoutS: 5, exit: 0 },
  {
    name: "ignores-term",
    command: "sh -c 'trap \"\" TERM; while :; do sleep SECONDS; done' & wait",
    timeoutS: 0.2,
    exit: 124,
  },
  { name: "double-fork", command: "(sleep SECONDS & ) ; echo started", timeoutS: 5, exit: 0 },
  { name: "yes", command: "yes # SECONDS", timeoutS: 0.3, exit: 124 },
  { name: "gigabyte", command: "yes SECONDS | head -c 1000000000", timeoutS: 60, exit: 0 },
  { name: "binary", command: "head -c 20000000 /dev/urandom # SECONDS", timeoutS: 60, exit: 0 },
  { name: "reads-stdin", command: "cat; read -r line; echo SECONDS", timeoutS: 5, exit: 0 },
  { name: "setsid", command: "setsid sleep SECONDS & sleep SECONDS", timeoutS: 0.2, exit: 124 },
];

/** What was seen of one kind. */
export interface Soaked {
  readonly kind: string;
  readonly runs: number;
  readonly faults: readonly string[];
  readonly slowestS: number;
  /** Of the resident memory, in MB, between the first run's end and the last one's. */
  readonly growth: number;
  /** The most resident memory that was seen while it ran, in MB over the start's. */
  readonly peak: number;
}

/** Runs each kind `count` times. */
export async function soak(count: number, only: readonly string[] = []): Promise<Soaked[]> {
  const kinds = KINDS.filter(({ name }) => only.length === 0 || only.includes(name));
  const folder = Deno.makeTempDirSync();
  const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
  const world = { ...createToolWorld(folder, processes), killBackground: true };
  const seen: Soaked[] = [];
  for (const kind of kinds) seen.push(await soakKind(kind, count, world));
  await processes.close();
  Deno.removeSync(folder, { recursive: true });
  return seen;
}

async function soakKind(kind: Kind, count: number, world: ToolWorld): Promise<Soaked> {
  const faults: string[] = [];
  const start = rss();
  let first = start;
  let peak = 0;
  let slowestS = 0;
  const sampler = setInterval(() => peak = Math.max(peak, rss() - start), 20);
  for (let run = 0; run < count; run++) {
    const seconds = `4${Math.floor(Math.random() * 1e6)}.${run}`;
    const command = kind.command.replaceAll("SECONDS", seconds);
    const from = performance.now();
    const answer = await runTool.run({ command, timeout_s: kind.timeoutS }, world);
    const took = (performance.now() - from) / 1000;
    slowestS = Math.max(slowestS, took);
    if (took > kind.timeoutS + 3) faults.push(`run ${run} took ${took.toFixed(1)} s`);
    if (answer.exit !== kind.exit) faults.push(`run ${run} ended with ${answer.exit}`);
    if (await isAlive(seconds)) faults.push(`run ${run} left a process with ${seconds}`);
    for (const { name } of Deno.readDirSync(world.spillDir)) {
      Deno.removeSync(`${world.spillDir}/${name}`);
    }
    if (run === 0) first = rss();
  }
  clearInterval(sampler);
  return { kind: kind.name, runs: count, faults, slowestS, growth: rss() - first, peak };
}

/** Whether a live process has `text` in its command line; one that was just killed gets a moment to be gone. */
async function isAlive(text: string): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    if (!scan(text)) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

function scan(text: string): boolean {
  return [...Deno.readDirSync("/proc")].some(({ name }) => {
    try {
      return /^\d+$/.test(name) && Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(text) &&
        !/\) [ZX] /.test(Deno.readTextFileSync(`/proc/${name}/stat`));
    } catch {
      return false;
    }
  });
}

function rss(): number {
  return Deno.memoryUsage().rss / 1e6;
}

if (import.meta.main) {
  const [count = "200", ...only] = Deno.args;
  const seen = await soak(Number(count), only);
  console.log("kind          runs  faults  slowest s  growth MB  peak MB");
  for (const { kind, runs, faults, slowestS, growth, peak } of seen) {
    const figures = [slowestS.toFixed(2), growth.toFixed(0), peak.toFixed(0)];
    console.log(
      kind.padEnd(12),
      String(runs).padStart(5),
      String(faults.length).padStart(7),
      figures[0]!.padStart(10),
      figures[1]!.padStart(10),
      figures[2]!.padStart(8),
    );
    for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
  }
  if (seen.some(({ faults, growth, peak }) => faults.length > 0 || growth > 50 || peak > 100)) {
    Deno.exit(1);
  }
}

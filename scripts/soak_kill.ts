/**
 * Kills the agent with SIGKILL at random moments of a task of 20 calls over HTTP and lets it go on until it ends.
 * Each call appends its number to a file: afterwards every number is there once, or its call is marked as unknown.
 *
 * Usage: deno run -A scripts/soak_kill.ts [KILLS=500] [PROGRAM …]
 *
 * PROGRAM is the agent's command line; without it the sources are run. The protocols take turns. The seed is printed.
 */
import { DEFAULT_PROTOCOL } from "../src/protocol/mod.ts";
import { readSession } from "../src/session/verify.ts";
import { STEADY } from "../src/sim/options.ts";
import { createRandom } from "../src/sim/random.ts";
import { startSim } from "../src/sim/server.ts";
import { createClock } from "../src/system/clock.ts";
import { createLogFiles } from "../src/system/log_file.ts";
import type { ProtocolName } from "../src/vocab.ts";
import { numbersPlan } from "./numbers_plan.ts";

const CALLS = 20;
/** More ends of a task than this without an answer mean that it doesn't come forward. */
const MAX_STARTS = 60;
const PROTOCOLS: readonly ProtocolName[] = [
  DEFAULT_PROTOCOL,
  "native-inc",
  "native-eos",
  "ctl",
  "xml",
];

/** What the kills of one task came to. */
export interface KillReport {
  readonly protocol: ProtocolName;
  readonly kills: number;
  /** Calls whose outcome the session says it doesn't know. */
  readonly unknown: number;
  /** One sentence each; none where all is well. */
  readonly faults: readonly string[];
}

/** What a soak is run with. */
export interface KillOptions {
  readonly program: readonly string[];
  readonly protocol: ProtocolName;
  readonly seed: string;
  /** How many kills this task gets at most. */
  readonly kills: number;
  /** The longest time before a kill, in ms. */
  readonly within: number;
}

/** Plays one task with kills until the agent says that it's done. */
export async function killTask(options: KillOptions): Promise<KillReport> {
  const folder = await Deno.makeTempDir({ prefix: "cst-kill-" });
  const random = createRandom(options.seed);
  const sim = startSim({
    plan: numbersPlan(CALLS),
    clock: createClock(),
    ...STEADY,
    seed: options.seed,
    protocol: options.protocol,
  });
  const faults: string[] = [];
  let kills = 0;
  let before = new Uint8Array();
  try {
    await Deno.mkdir(`${folder}/work`);
    for (let start = 0;; start++) {
      if (start > MAX_STARTS) {
        faults.push(`not done after ${start} starts`);
        break;
      }
      const patience = kills < options.kills ? random() * options.within : null;
      const code = await startAgent(options, { folder, url: sim.url, go: start > 0, patience });
      if (code === "killed") kills++;
      const after = await sessionBytes(folder);
      if (!startsWith(after, wholeLines(before))) {
        faults.push(`start ${start}: records are missing`);
      }
      before = after;
      if (code === 0) break;
      if (code !== "killed" && before.length > 0) faults.push(`start ${start}: exit ${code}`);
    }
    const unknown = await judge(folder, faults);
    return { protocol: options.protocol, kills, unknown, faults };
  } finally {
    await sim.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the agent once; after `patience` ms it's killed, without one it may end. Returns its exit code. */
async function startAgent(
  options: KillOptions,
  start: { folder: string; url: string; go: boolean; patience: number | null },
): Promise<number | "killed"> {
  const [command, ...args] = options.program;
  const sessions = `${start.folder}/sessions`;
  const going = start.go && (await sessionBytes(start.folder)).length > 0;
  const child = new Deno.Command(command!, {
    args: [
      ...args,
      "run",
      going ? "Go on" : "Write the numbers",
      ...going ? ["--continue"] : [],
      "-A",
      "--quiet",
      "--provider=sim",
      `--base-url=${start.url}`,
      `--protocol=${options.protocol}`,
      `--session-dir=${sessions}`,
    ],
    cwd: `${start.folder}/work`,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let killed = false;
  const timer = start.patience === null ? undefined : setTimeout(() => {
    try {
      child.kill("SIGKILL");
      killed = true;
    } catch (error) {
      // It ended in the same moment; its status is about to be told.
      if (!(error instanceof TypeError)) throw error;
    }
  }, start.patience);
  const { code } = await child.status;
  clearTimeout(timer);
  return killed ? "killed" : code;
}

async function sessionPath(folder: string): Promise<string | undefined> {
  try {
    for await (const { name } of Deno.readDir(`${folder}/sessions`)) {
      if (name.endsWith(".jsonl")) return `${folder}/sessions/${name}`;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}

async function sessionBytes(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const path = await sessionPath(folder);
  return path === undefined ? new Uint8Array() : await Deno.readFile(path);
}

/** Without the torn line at the end, if there is one. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.length <= bytes.length && prefix.every((byte, at) => byte === bytes[at]);
}

/** Compares what was done with what the session says; returns how many calls it calls unknown. */
async function judge(folder: string, faults: string[]): Promise<number> {
  const path = await sessionPath(folder);
  if (path === undefined) {
    faults.push("there is no session");
    return 0;
  }
  const view = readSession(path, createLogFiles());
  if (view.fault) faults.push(view.fault);
  const numbers = (await Deno.readTextFile(`${folder}/work/numbers`)).trim().split("\n").map(
    Number,
  );
  const unknown = new Set<number>();
  let asked: number | undefined;
  for (const record of view.records) {
    if (record.kind === "call") {
      asked = Number(/echo (\d+)/.exec(String(record.call.arguments.command))?.[1]);
    }
    if (record.kind === "result" && record.note === "interrupted" && asked !== undefined) {
      unknown.add(asked);
    }
  }
  for (let number = 1; number <= CALLS; number++) {
    const times = numbers.filter((each) => each === number).length;
    if (times > 1) faults.push(`call ${number} ran ${times} times`);
    if (times === 0 && !unknown.has(number)) {
      faults.push(`call ${number} never ran and isn't unknown`);
    }
  }
  return unknown.size;
}

/** Kills until `count` kills are done; one report a task. */
export async function soakKills(
  count: number,
  options: Pick<KillOptions, "program" | "seed" | "within">,
): Promise<KillReport[]> {
  const reports: KillReport[] = [];
  let done = 0;
  // Some tasks are over before their first kill; the bound is for an agent that always is.
  for (let task = 0; done < count && task < 4 * count; task++) {
    const report = await killTask({
      ...options,
      protocol: PROTOCOLS[task % PROTOCOLS.length]!,
      seed: `${options.seed}|${task}`,
      kills: Math.min(8, count - done),
    });
    reports.push(report);
    done += report.kills;
  }
  return reports;
}

if (import.meta.main) {
  const [count = "500", ...given] = Deno.args;
  const seed = String(Date.now());
  const main = new URL("../main.ts", import.meta.url).pathname;
  const program = given.length > 0 ? given : [Deno.execPath(), "run", "-A", "--no-check", main];
  console.log(`seed ${seed}`);
  const reports = await soakKills(Number(count), { program, seed, within: 400 });
  for (const { protocol, faults } of reports) {
    for (const fault of faults) console.log(`${protocol}: ${fault}`);
  }
  const sum = (of: (report: KillReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const faults = sum((report) => report.faults.length);
  console.log(
    `${sum((report) => report.kills)} kills in ${reports.length} tasks of ${CALLS} calls: ` +
      `${sum((report) => report.unknown)} calls unknown, ${faults} faults`,
  );
  Deno.exit(faults === 0 ? 0 : 1);
}

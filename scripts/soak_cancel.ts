/**
 * Cancels the agent (SIGINT to it alone) at random moments of each phase of a task, against a server on loopback, and
 * judges: exit 130 and the outcome "cancelled", no process left of what it had started, a session that is whole and
 * ends with the cancel, a patch that is written whole or not at all. Says how long the way from the signal to the end is.
 *
 * Usage: deno run -A scripts/soak_cancel.ts [COUNT=200] [PHASE …]      (COUNT of each phase; the seed is printed)
 *
 * AGENT, if it's set, is the agent's command line; without it the sources are run.
 */
import { DEFAULT_PROTOCOL } from "../src/protocol/mod.ts";
import { readSession, verifySession } from "../src/session/verify.ts";
import { createRandom, type Random } from "../src/sim/random.ts";
import { createLogFiles } from "../src/system/log_file.ts";
import {
  type CancelPhase,
  type CancelServer,
  PATCH_FILES,
  startCancelServer,
} from "./cancel_server.ts";
import { descendantsOf, type Known, leftOf, livingWith } from "./known_processes.ts";

/** How a phase is entered and for how long the signal may come in it. */
interface PhasePlan {
  readonly name: CancelPhase;
  /** The type of the event by which the agent says that it's there; null: its request has reached the server. */
  readonly event: string | null;
  /** The longest time from there to the signal, in ms. */
  readonly within: number;
  readonly flags: readonly string[];
}

const PLANS: readonly PhasePlan[] = [
  { name: "connecting", event: "wait", within: 400, flags: ["--sandbox=off"] },
  { name: "headers", event: null, within: 300, flags: ["--sandbox=off"] },
  { name: "stream", event: "text", within: 300, flags: ["--sandbox=off"] },
  { name: "tool", event: "tool_start", within: 150, flags: ["--sandbox=off"] },
  { name: "sandbox", event: "tool_start", within: 150, flags: ["--sandbox=bwrap"] },
  { name: "patch", event: "tool_start", within: 150, flags: ["--sandbox=off"] },
];

/** What is waited for at most, in ms: a phase to begin, and the agent to end. */
const PATIENCE_MS = 20_000;
/** How long a killed process may take to be gone. */
const GONE_MS = 1000;

/** What the cancels of one phase came to. */
export interface CancelReport {
  readonly phase: CancelPhase;
  /** From the signal to the end of the program, in ms, one a cancel. */
  readonly times: readonly number[];
  readonly faults: readonly string[];
}

/** What a soak is run with. */
export interface CancelOptions {
  /** The agent's command line. */
  readonly program: readonly string[];
  readonly seed: string;
  readonly phases?: readonly string[];
}

/** Cancels `count` times in each phase. */
export async function soakCancels(count: number, options: CancelOptions): Promise<CancelReport[]> {
  const { program, seed, phases = [] } = options;
  const reports: CancelReport[] = [];
  for (const plan of PLANS) {
    if (phases.length > 0 && !phases.includes(plan.name)) continue;
    const random = createRandom(`${seed}|${plan.name}`);
    const times: number[] = [];
    const faults: string[] = [];
    for (let run = 0; run < count; run++) {
      const found = await cancelOnce(plan, { program, random });
      times.push(found.ms);
      faults.push(...found.faults.map((fault) => `run ${run}: ${fault}`));
    }
    reports.push({ phase: plan.name, times, faults });
  }
  return reports;
}

async function cancelOnce(
  plan: PhasePlan,
  { program, random }: { readonly program: readonly string[]; readonly random: Random },
): Promise<{ readonly ms: number; readonly faults: readonly string[] }> {
  const folder = await Deno.makeTempDir({ prefix: "cst-cancel-" });
  const seconds = `5${String(Math.floor(random() * 1e9)).padStart(9, "0")}`;
  const server = startCancelServer(plan.name, seconds);
  try {
    await Deno.mkdir(`${folder}/work`);
    const agent = startAgent(plan, { program, folder, url: server.url });
    const begun = await within(PATIENCE_MS, beginOf(plan, agent.output, server));
    if (begun === undefined) agent.output.lines.push("the phase never began");
    await new Promise((resolve) => setTimeout(resolve, random() * plan.within));
    const tree = descendantsOf(agent.child.pid);
    const from = performance.now();
    agent.child.kill("SIGINT");
    const status = await within(PATIENCE_MS, agent.child.status);
    const ms = performance.now() - from;
    if (status === undefined) agent.child.kill("SIGKILL");
    await agent.output.read;
    const faults = [
      ...judgeEnd(status?.code, agent.output.lines),
      ...await judgeProcesses(tree, seconds),
      ...judgeSession(`${folder}/sessions`),
      ...plan.name === "patch" ? judgePatch(`${folder}/work`) : [],
    ];
    return { ms, faults };
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The lines of the agent's standard output, as they come. */
interface Output {
  readonly lines: string[];
  /** Resolves at the first event of the type. */
  reaches(type: string): Promise<void>;
  readonly read: Promise<void>;
}

function startAgent(
  plan: PhasePlan,
  place: { readonly program: readonly string[]; readonly folder: string; readonly url: string },
): { readonly child: Deno.ChildProcess; readonly output: Output } {
  const [command, ...args] = place.program;
  const child = new Deno.Command(command!, {
    args: [
      ...args,
      "run",
      "Go",
      "-A",
      "--json",
      ...plan.flags,
      "--provider=custom",
      "--model=m",
      `--protocol=${DEFAULT_PROTOCOL}`,
      `--base-url=${place.url}`,
      `--session-dir=${place.folder}/sessions`,
    ],
    cwd: `${place.folder}/work`,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  return { child, output: readOutput(child.stdout) };
}

function readOutput(stdout: ReadableStream<Uint8Array<ArrayBuffer>>): Output {
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  let text = "";
  async function readAll(): Promise<void> {
    for await (const piece of stdout.pipeThrough(new TextDecoderStream())) {
      const parts = (text + piece).split("\n");
      text = parts.pop()!;
      lines.push(...parts);
      for (const [type, tell] of waiting) if (holds(type)) tell();
    }
  }
  const holds = (type: string) => lines.some((line) => line.includes(`"type":"${type}"`));
  return {
    lines,
    reaches: (type) =>
      new Promise((resolve) => holds(type) ? resolve() : waiting.set(type, resolve)),
    read: readAll(),
  };
}

async function beginOf(plan: PhasePlan, output: Output, server: CancelServer): Promise<true> {
  await (plan.event === null ? server.asked : output.reaches(plan.event));
  return true;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: number | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function judgeEnd(code: number | undefined, lines: readonly string[]): string[] {
  if (code === undefined) return [`it didn't end within ${PATIENCE_MS} ms`];
  const last = lines.at(-1) ?? "";
  return [
    ...code === 130 ? [] : [`exit ${code}`],
    ...last.includes('"outcome":"cancelled"') ? [] : [`the last line is ${last.slice(0, 200)}`],
  ];
}

async function judgeProcesses(tree: readonly Known[], seconds: string): Promise<string[]> {
  for (let waited = 0;; waited += 20) {
    const left = [...leftOf(tree).map(({ pid }) => pid), ...livingWith(seconds)];
    if (left.length === 0) return [];
    if (waited >= GONE_MS) return [`processes are left: ${left.join(", ")}`];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function judgeSession(folder: string): string[] {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name.endsWith(".jsonl"));
  if (names.length !== 1) return [`there are ${names.length} sessions`];
  const path = `${folder}/${names[0]}`;
  const { fault, openCalls } = verifySession(path, createLogFiles());
  const last = readSession(path, createLogFiles()).records.at(-1);
  return [
    ...fault === undefined ? [] : [fault],
    ...openCalls.length === 0 ? [] : ["a call has no result"],
    ...last?.kind === "cancel" ? [] : [`the last record is ${last?.kind}`],
  ];
}

function judgePatch(folder: string): string[] {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  const strange = names.filter((name) => !/^f\d+\.txt$/.test(name));
  return [
    ...strange.length === 0 ? [] : [`left in the folder: ${strange.join(", ")}`],
    ...names.length === 0 || names.length === PATCH_FILES
      ? []
      : [`${names.length} of ${PATCH_FILES} files of the patch are there`],
  ];
}

function row({ phase, times, faults }: CancelReport): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
  return phase.padEnd(12) + [times.length, faults.length, at(0.5), at(0.95), at(1)]
    .map((cell) => String(cell).padStart(10)).join("");
}

if (import.meta.main) {
  const [count = "200", ...phases] = Deno.args;
  const seed = String(Date.now());
  const main = new URL("../main.ts", import.meta.url).pathname;
  const program = Deno.env.get("AGENT")?.split(" ") ??
    [Deno.execPath(), "run", "-A", "--no-check", main];
  console.log(`seed ${seed}`);
  console.log("phase         cancels    faults median ms   95 % ms    max ms");
  const reports = await soakCancels(Number(count), { program, seed, phases });
  for (const report of reports) {
    console.log(row(report));
    for (const fault of report.faults.slice(0, 5)) console.log(`  ${fault}`);
  }
  Deno.exit(reports.some(({ faults }) => faults.length > 0) ? 1 : 0);
}

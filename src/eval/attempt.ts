/** One run: a copy of a fixture, its check (which must fail), the agent, the check again; at the end a row. */
import type { AgentEvent, Outcome, ProtocolName, Usage } from "../vocab.ts";
import type { Clock } from "../system/system.ts";
import { makeTempFolder, removeFolder } from "../system/folders.ts";
import type { SimOptions } from "../sim/options.ts";
import { type Sim, startSim } from "../sim/server.ts";
import {
  type CheckResult,
  type CheckWorld,
  type Fixture,
  planOf,
  runCheck,
  unpackFixture,
} from "./fixture.ts";
import { createMeter, type Measured, sumUp, type Timeline } from "./measure.ts";
import { costOf, type Prices } from "./prices.ts";
import { type FixtureOutcome, type Row, type RunKey, runName } from "./row.ts";

/** What the agent is asked to do. */
export interface AgentTask {
  readonly prompt: string;
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly protocol: ProtocolName;
  readonly provider: string;
  /** The provider's own when left out. */
  readonly model?: string;
  /** Where the server is, if not where the provider says. */
  readonly baseUrl?: string;
  readonly sessionDir: string;
  /** Where the raw streams go, if they are kept. */
  readonly recordDir?: string;
  readonly signal: AbortSignal;
  listen(event: AgentEvent): void;
}

/** How the agent ended. */
export interface AgentEnd {
  readonly outcome: Outcome;
  readonly exit: number;
  readonly message: string;
  readonly steps: number;
  readonly usage: Usage;
}

/** The agent, as the command line runs it. */
export type RunAgent = (task: AgentTask) => Promise<AgentEnd>;

/** How the simulated model of each run behaves; its seed is made of `seed` and the name of the run. */
export type SimSettings = Pick<
  SimOptions,
  "faults" | "seed" | "delayMs" | "jitterMs" | "chunk" | "hold"
>;

/** What all runs share. */
export interface Bench {
  readonly check: CheckWorld;
  readonly clock: Clock;
  readonly sim: SimSettings;
  readonly prices: Prices;
  /** Milliseconds for the agent (`E2E_TIMEOUT`). */
  readonly timeoutMs: number;
  /** Sessions and streams go to folders in it. */
  readonly out: string;
  readonly record: boolean;
  /** Where the server of a model that isn't simulated is, if not where its provider says. */
  readonly baseUrl?: string;
  runAgent: RunAgent;
}

/** What came of a run. */
export interface Attempt {
  readonly row: Row;
  readonly timeline: Timeline;
  /** The end of the last check's output. */
  readonly output: string;
}

/** Runs `fixture` once. Nothing that goes wrong in the run throws: it is the row's outcome. */
export async function attempt(key: RunKey, fixture: Fixture, bench: Bench): Promise<Attempt> {
  const folder = await makeTempFolder("cst-eval-");
  const work = `${folder}/${fixture.name}`;
  const started = bench.clock.monotonic();
  try {
    await unpackFixture(fixture, work);
    const baseline = await runCheck(fixture, work, bench.check);
    if (baseline.exit === 0) {
      const message = "The check passes before anything was done";
      return withoutAgent(key, { outcome: "unexpected_green_fixture", message, baseline });
    }
    if (baseline.stopped) {
      const message = `${endless(bench)} before anything was done`;
      return withoutAgent(key, { outcome: "timeout", message, baseline });
    }
    const agent = await runTimed(key, fixture, { work, bench });
    const check = agent.end?.outcome === "done"
      ? await runCheck(fixture, work, bench.check)
      : undefined;
    const wallS = (bench.clock.monotonic() - started) / 1000;
    const outcome = judge(agent, check);
    const failure = check?.stopped ? endless(bench) : agent.failure;
    const row = toRow(key, { ...agent, failure, outcome, wallS, prices: bench.prices });
    return { row, timeline: agent.measured.timeline, output: check?.output ?? baseline.output };
  } catch (error) {
    // A fixture that can't be copied, a full disk: this run's trouble, not that of those after it.
    const message = messageOf(error);
    return withoutAgent(key, { outcome: "agent_error", message });
  } finally {
    await removeFolder(folder);
  }
}

function endless(bench: Bench): string {
  return `The check ran longer than ${bench.check.timeoutMs / 1000} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is known when the agent has stopped; `end` is missing when it threw. */
interface AgentRun {
  readonly end?: AgentEnd;
  readonly failure: string;
  readonly timedOut: boolean;
  readonly measured: Measured;
}

function judge(agent: AgentRun, check: CheckResult | undefined): FixtureOutcome {
  if (agent.timedOut || check?.stopped) return "timeout";
  if (check === undefined) return "agent_error";
  return check.exit === 0 ? "pass" : "fail";
}

async function runTimed(
  key: RunKey,
  fixture: Fixture,
  place: { work: string; bench: Bench },
): Promise<AgentRun> {
  const { bench, work } = place;
  const sim = providerOf(key) === "sim" ? startFor(key, fixture, bench) : undefined;
  const baseUrl = sim?.url ?? bench.baseUrl;
  const model = modelOf(key);
  const began = bench.clock.monotonic();
  const meter = createMeter(() => bench.clock.monotonic() - began);
  const over = new AbortController();
  const timer = new AbortController();
  let timedOut = false;
  bench.clock.sleep(bench.timeoutMs, timer.signal).then(() => {
    if (timer.signal.aborted) return;
    timedOut = true;
    over.abort("timeout");
  });
  const finish = () => ({ timedOut, measured: withServerClock(meter.result(), began, sim) });
  try {
    const end = await bench.runAgent({
      prompt: fixture.task,
      cwd: work,
      protocol: key.protocol,
      provider: providerOf(key),
      ...(model === undefined ? {} : { model }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      sessionDir: `${bench.out}/sessions/${runName(key)}`,
      ...(bench.record ? { recordDir: `${bench.out}/sse/${runName(key)}` } : {}),
      signal: AbortSignal.any([over.signal, bench.check.signal]),
      listen: meter.listen,
    });
    return { end, failure: "", ...finish() };
  } catch (error) {
    return { failure: messageOf(error), ...finish() };
  } finally {
    timer.abort();
    await sim?.stop();
  }
}

function startFor(key: RunKey, fixture: Fixture, bench: Bench): Sim {
  return startSim({
    ...bench.sim,
    plan: planOf(fixture),
    clock: bench.clock,
    seed: `${bench.sim.seed}|${runName(key)}`,
    port: 0,
    protocol: key.protocol,
  });
}

/** The simulated model and the agent run by one clock, so that what the server sent when can be told exactly. */
function withServerClock(measured: Measured, began: number, sim: Sim | undefined): Measured {
  if (!sim) return measured;
  const requests = sim.log.filter((entry) => entry.kind === "request");
  const messages = measured.timeline.messages.map((message) => {
    const from = began + message.start;
    const inside = requests.findLast((it) => it.at >= from && it.at <= began + message.end);
    if (!inside) return message;
    const own = sim.log.filter((entry) => entry.request === inside.request);
    const end = own.find((entry) => entry.kind === "end");
    const bytes = own.flatMap((entry): [number, number][] =>
      entry.kind === "bytes" ? [[entry.at - began, entry.bytes]] : []
    );
    return { ...message, bytes, ...(end ? { serverEnd: end.at - began } : {}) };
  });
  return { ...measured, timeline: { ...measured.timeline, messages } };
}

function toRow(
  key: RunKey,
  run: AgentRun & { outcome: FixtureOutcome; wallS: number; prices: Prices },
): Row {
  const usage = run.end?.usage ?? { inputTokens: 0, outputTokens: 0 };
  const good = run.outcome === "pass";
  return {
    ...key,
    outcome: run.outcome,
    exit: run.end?.exit ?? null,
    steps: run.end?.steps ?? run.measured.timeline.messages.length,
    ...sumUp(run.measured),
    wallS: run.wallS,
    violations: run.measured.violations,
    forms: run.measured.forms,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost: costOf(key.model, usage, run.prices),
    message: good ? "" : (run.failure || run.end?.message || "").replace(/\s+/g, " "),
  };
}

/** A run that ended before the agent began. */
function withoutAgent(
  key: RunKey,
  end: { outcome: FixtureOutcome; message: string; baseline?: CheckResult },
): Attempt {
  const measured: Measured = {
    timeline: { messages: [], calls: [] },
    violations: {},
    forms: {},
    waits: [],
  };
  const row = toRow(key, {
    failure: end.message,
    timedOut: false,
    measured,
    outcome: end.outcome,
    wallS: 0,
    prices: {},
  });
  return { row, timeline: measured.timeline, output: end.baseline?.output ?? "" };
}

/** `deepseek` of `deepseek:deepseek-chat`. */
export function providerOf(key: RunKey): string {
  return key.model.split(":")[0]!;
}

/** `deepseek-chat` of `deepseek:deepseek-chat`; undefined where the provider's own is meant. */
function modelOf(key: RunKey): string | undefined {
  const at = key.model.indexOf(":");
  return at < 0 ? undefined : key.model.slice(at + 1);
}

/** Public reports about commands (area D of the shared cases), each run for real by the tool `run`. */
import { assert, assertEquals } from "@std/assert";
import { alive, kill, leftAfter } from "../system/processes.ts";
import { type RunSeen, runTool_ } from "./run_world.ts";

const CASES = new URL("../../../shared/cases/", import.meta.url).pathname;

interface Case {
  readonly id: string;
  readonly summary: string;
  readonly timeout_s: number;
  readonly env?: { readonly [name: string]: string };
  readonly agent_env?: { readonly [name: string]: string };
  readonly expect: Expectation;
}

/** What a case asks of the answer; the keys are the cases' own. */
interface Expectation {
  readonly max_seconds?: number;
  readonly exit_code?: number;
  readonly signal?: string;
  readonly failed?: boolean;
  readonly run_goes_on?: boolean;
  readonly timed_out?: boolean;
  readonly processes_left?: number;
  readonly output?: string;
  readonly output_either?: readonly string[];
  readonly prefer?: number;
  readonly output_contains?: string | readonly string[];
  readonly output_marked_cut?: boolean;
  readonly agent_memory_growth_mb_max?: number;
  readonly cancel_after_s?: number;
  readonly status?: string;
  readonly after_5_s_file_absent?: string;
  /** The session and the next request; the well-formed answer that they are made of is what is looked at here. */
  readonly session_file?: string;
  readonly next_request?: string;
}

/** Not for the tool alone: reading the agent's own environment is stopped by the sandbox (docs/processes.md). */
const ELSEWHERE = ["D26"];

function readCases(): Case[] {
  return [...Deno.readDirSync(CASES)].map(({ name }) => name).filter((name) => /^D\d+$/.test(name))
    .sort().map((name) => JSON.parse(Deno.readTextFileSync(`${CASES}${name}/expected.json`)));
}

async function check(one: Case): Promise<void> {
  const { expect } = one;
  const command = Deno.readTextFileSync(`${CASES}${one.id}/cmd.sh`);
  const marker = `CASE_${one.id}_${crypto.randomUUID()}`;
  const cancelAfter = expect.cancel_after_s;
  const before = Deno.memoryUsage().rss;
  let growth = 0;
  const seen = await runTool_({ command: `: ${marker}\n${command}`, timeout_s: one.timeout_s }, {
    env: { ...one.env, ...one.agent_env },
    world: cancelAfter === undefined ? {} : { signal: AbortSignal.timeout(cancelAfter * 1000) },
    look: async (cwd) => {
      growth = (Deno.memoryUsage().rss - before) / 1e6;
      const absent = expect.after_5_s_file_absent;
      if (absent === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 3500));
      assert(![...Deno.readDirSync(cwd)].some(({ name }) => name === absent));
    },
  });
  if (expect.agent_memory_growth_mb_max !== undefined) {
    assert(growth < expect.agent_memory_growth_mb_max, `grew by ${growth} MB`);
  }
  if (expect.processes_left !== undefined) assertEquals(await leftAfter(marker, 500), []);
  kill(alive(marker));
  checkAnswer(expect, seen);
}

function checkAnswer(expect: Expectation, { answer, seconds }: RunSeen): void {
  const output = answer.output.replace(
    /^\[(the command was killed by|background processes).*\n/m,
    "",
  );
  if (expect.max_seconds !== undefined) assert(seconds <= expect.max_seconds, `${seconds} s`);
  if (expect.exit_code !== undefined) assertEquals(answer.exit, expect.exit_code);
  if (expect.signal !== undefined) assert(answer.output.includes(`killed by ${expect.signal}`));
  if (expect.failed) assert(answer.exit !== 0);
  if (expect.timed_out) {
    assertEquals([answer.exit, answer.output.includes("time limit")], [124, true]);
  }
  if (expect.status === "cancelled") assertEquals(answer.exit, 130);
  if (expect.output !== undefined) assertEquals(output, expect.output);
  if (expect.output_either) assertEquals(output, expect.output_either[expect.prefer ?? 0]);
  for (const part of [expect.output_contains ?? []].flat()) {
    assert(answer.output.includes(part), `no "${part}"`);
  }
  if (expect.output_marked_cut) assert(answer.output.includes("bytes left out here"));
  assert(answer.output.isWellFormed());
}

const KNOWN = [
  "max_seconds",
  "exit_code",
  "signal",
  "failed",
  "run_goes_on",
  "timed_out",
  "processes_left",
  "output",
  "output_either",
  "prefer",
  "output_contains",
  "output_marked_cut",
  "agent_memory_growth_mb_max",
  "cancel_after_s",
  "status",
  "after_5_s_file_absent",
  "session_file",
  "next_request",
];

function present(): boolean {
  try {
    return Deno.statSync(CASES).isDirectory;
  } catch {
    return false;
  }
}

if (present()) {
  for (const one of readCases().filter(({ id }) => !ELSEWHERE.includes(id))) {
    Deno.test(`case ${one.id}: ${one.summary}`, async () => {
      assertEquals(Object.keys(one.expect).filter((key) => !KNOWN.includes(key)), []);
      await check(one);
    });
  }
} else {
  Deno.test("the cases of area D are left out: the folder of shared cases isn't here", () => {
    console.log("left out: shared cases of area D");
    assertEquals(Deno.env.get("CI"), undefined, "the shared cases must be there in CI");
  });
}

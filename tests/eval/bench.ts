/** A bench for tests: real folders and commands, an agent made of a function. */
import type { World } from "../../src/cli/command.ts";
import { createFiles } from "../../src/system/files.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import { makeTempFolder, removeFolder, writeText } from "../../src/system/folders.ts";
import type { AgentEnd, AgentTask, Bench } from "../../src/eval/attempt.ts";
import { type Fixture, readFixture } from "../../src/eval/fixture.ts";
import { STEADY } from "../../src/sim/options.ts";

/** What `use` gets. */
export interface TestBench {
  readonly bench: Bench;
  /** A fixture whose check wants `done.txt` to hold "yes". */
  readonly fixture: Fixture;
  readonly folder: string;
  /** Interrupts as a signal would. */
  stop(): void;
}

/** An end that is as good as it gets. */
export const DONE: AgentEnd = {
  outcome: "done",
  exit: 0,
  message: "",
  steps: 2,
  usage: { inputTokens: 100, outputTokens: 10 },
};

/** Gives `use` a bench whose agent is `agent`; cleans up after it. */
export async function withBench(
  agent: (task: AgentTask) => Promise<AgentEnd>,
  use: (test: TestBench) => Promise<void>,
): Promise<void> {
  const folder = await makeTempFolder("cst-bench-");
  const clock = createClock();
  const processes = createProcesses({ clock, setsid: findSetsid() });
  const stop = new AbortController();
  try {
    await writeText(`${folder}/yes/TASK.md`, "Write yes to done.txt\n");
    await writeText(`${folder}/yes/check.sh`, 'test "$(cat done.txt)" = yes\n');
    await writeText(`${folder}/yes/plan.json`, '{"steps":[{"text":"Done."}]}');
    const bench: Bench = {
      check: {
        processes,
        env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" },
        timeoutMs: 10_000,
        signal: stop.signal,
      },
      clock,
      sim: STEADY,
      prices: { "x:y": { input: 1, output: 10 } },
      timeoutMs: 10_000,
      out: `${folder}/out`,
      record: false,
      runAgent: agent,
    };
    const fixture = await readFixture(`${folder}/yes`);
    await use({ bench, fixture, folder, stop: () => stop.abort("SIGINT") });
  } finally {
    await processes.close();
    await removeFolder(folder);
  }
}

/** A world of real folders and commands with what was written to it. */
export interface TestWorld {
  readonly world: World;
  readonly bench: Bench;
  readonly folder: string;
  stdout(): string;
  stderr(): string;
}

/** Gives `use` a world whose folder holds the fixture `yes`. */
export async function withWorld(use: (test: TestWorld) => Promise<void>): Promise<void> {
  await withBench(() => Promise.resolve(DONE), async ({ bench, folder }) => {
    let out = "";
    let err = "";
    const world: World = {
      files: createFiles(),
      logFiles: createLogFiles(),
      processes: bench.check.processes,
      clock: bench.clock,
      env: bench.check.env,
      cwd: folder,
      async *readStdin() {},
      stdout: (text) => out += text,
      stderr: (text) => err += text,
      terminal: { stdin: false, stdout: false, stderr: false },
      signal: bench.check.signal,
    };
    await use({ world, bench, folder, stdout: () => out, stderr: () => err });
  });
}

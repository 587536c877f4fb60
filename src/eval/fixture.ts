/**
 * A fixture is a folder: `TASK.md` (what the agent is told), `check.sh` (exit 0 when the task is done), the files to
 * work on, and perhaps `plan.json` (what a simulated model does). Any folder with the first two is one.
 */
import { basename } from "@std/path";
import { ConfigError } from "../errors.ts";
import type { Processes } from "../system/system.ts";
import { parsePlan, type Plan } from "../sim/plan.ts";
import {
  copyFolder,
  readTextIfAny,
  realPathOf,
  removeFolder,
  writeText,
} from "../system/folders.ts";

/** A fixture that was read. */
export interface Fixture {
  readonly name: string;
  readonly path: string;
  readonly task: string;
  readonly check: string;
  /** The text of `plan.json`, if there is one. */
  readonly plan?: string;
}

/** What `check.sh` said. */
export interface CheckResult {
  readonly exit: number;
  /** It was stopped: at its time limit, or by a signal. */
  readonly stopped: boolean;
  /** The end of its output. */
  readonly output: string;
}

/** What a check is run with. */
export interface CheckWorld {
  readonly processes: Processes;
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Not for the agent's eyes; the check is put there only while it runs, so that nothing can mend it. */
const KEPT_BACK = ["TASK.md", "check.sh", "plan.json"];

/** Bytes of a check's output that are kept. */
const OUTPUT_MAX = 4000;

/** Reads the fixture in the folder `path`; of `.` and `..` the name is the folder's own. Throws `ConfigError` when a file is missing. */
export async function readFixture(path: string): Promise<Fixture> {
  const read = async (name: string) => {
    const text = await readTextIfAny(`${path}/${name}`);
    if (text === undefined) throw new ConfigError(`Cannot use "${path}" as a fixture: no ${name}`);
    return text;
  };
  const plan = await readTextIfAny(`${path}/plan.json`);
  const task = await read("TASK.md");
  const real = await realPathOf(path);
  return {
    name: basename(/(^|\/)\.\.?\/*$/.test(path) ? real : path),
    path: real,
    task,
    check: await read("check.sh"),
    ...(plan === undefined ? {} : { plan }),
  };
}

/** What a simulated model does about the fixture. Throws `ConfigError` where that isn't said, or not rightly. */
export function planOf(fixture: Fixture): Plan {
  if (fixture.plan === undefined) {
    throw new ConfigError(`Cannot simulate fixture "${fixture.name}": it has no plan.json`);
  }
  return parsePlan(fixture.plan, `${fixture.path}/plan.json`);
}

/** Copies the files of the fixture into `work`, which need not exist. */
export async function unpackFixture(fixture: Fixture, work: string): Promise<void> {
  await copyFolder(fixture.path, work, (path) => KEPT_BACK.includes(path));
}

/** Runs the fixture's own `check.sh` in `work`. */
export async function runCheck(
  fixture: Fixture,
  work: string,
  world: CheckWorld,
): Promise<CheckResult> {
  const script = `${work}/check.sh`;
  await writeText(script, fixture.check);
  const decoder = new TextDecoder();
  let output = "";
  try {
    const { exit, reason } = await world.processes.runGroup({
      argv: ["sh", "./check.sh"],
      cwd: work,
      env: world.env,
      timeoutMs: world.timeoutMs,
      signal: world.signal,
      killBackground: true,
      onOutput(chunk) {
        output = (output + decoder.decode(chunk, { stream: true })).slice(-OUTPUT_MAX);
      },
    });
    return { exit, stopped: reason !== "exited", output };
  } finally {
    await removeFolder(script);
  }
}

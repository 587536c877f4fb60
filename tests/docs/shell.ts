/** A folder with a task in it, the agent's sources as `cst-agent` on PATH, and a simulated model: to run scripts in. */
import { parsePlan, type Plan } from "../../src/sim/plan.ts";
import { STEADY } from "../../src/sim/options.ts";
import { startSim } from "../../src/sim/server.ts";
import { createClock } from "../../src/system/clock.ts";

const root = new URL("../../", import.meta.url).pathname;

/** What a script left. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where scripts are run. */
export interface Shell {
  /** A copy of `fixtures/mini_calc`, with another at its own path. */
  readonly work: string;
  /** Runs `script` with bash, which stops at the first command that fails. */
  run(script: string, input?: string): Promise<Ran>;
}

/** The plan that mends mini_calc. */
export function miniCalcPlan(): Plan {
  return parsePlan(Deno.readTextFileSync(`${root}fixtures/mini_calc/plan.json`), "plan.json");
}

/** A model that says one thing. */
export function saying(text: string): Plan {
  return { steps: [{ text, calls: [] }] };
}

/** Gives `step` a place where `cst-agent` reaches a model that plays `plan`. */
export async function withShell(plan: Plan, step: (shell: Shell) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "cst-docs-" });
  const sim = startSim({
    plan,
    ...STEADY,
    clock: createClock(),
  });
  const [bin, work, home] = [`${folder}/bin`, `${folder}/work`, `${folder}/home`];
  try {
    for (const path of [bin, work, home]) await Deno.mkdir(path);
    const fixture = `${work}/fixtures/mini_calc`;
    await Deno.mkdir(fixture, { recursive: true });
    for (const { name } of Deno.readDirSync(`${root}fixtures/mini_calc`)) {
      for (const to of [work, fixture]) {
        await Deno.copyFile(`${root}fixtures/mini_calc/${name}`, `${to}/${name}`);
      }
    }
    const agent = `exec "${Deno.execPath()}" run -A --no-check "${root}main.ts" "$@"\n`;
    await Deno.writeTextFile(`${bin}/cst-agent`, `#!/bin/sh\n${agent}`, { mode: 0o755 });
    const env = {
      PATH: `${bin}:${Deno.env.get("PATH")}`,
      HOME: home,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      DENO_TLS_CA_STORE: "system,mozilla",
      NO_COLOR: "1",
      CST_PROVIDER: "sim",
      CST_BASE_URL: sim.url,
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@localhost",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@localhost",
    };
    await step({ work, run: (script, input) => bash(script, { work, env, input: input ?? "" }) });
  } finally {
    await sim.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

async function bash(
  script: string,
  place: { readonly work: string; readonly env: Record<string, string>; readonly input: string },
): Promise<Ran> {
  const child = new Deno.Command("bash", {
    args: ["-e", "-o", "pipefail", "-c", script],
    cwd: place.work,
    env: place.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(place.input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * What a `run` call costs over a bare spawn of the same command, all ways interleaved in one run.
 *
 * Usage: deno run -A scripts/bench/spawn.ts [ROUNDS] [BALLAST]     (100 rounds; BALLAST MiB of live memory, 0)
 *
 * `detached` is a fork and grows with BALLAST; a plain spawn doesn't, so `setsid` by a plain spawn doesn't either.
 */
import { findProgram } from "../../src/agent/resolve.ts";
import { trySandbox } from "../../src/agent/sandbox.ts";
import { sandboxArgv } from "../../src/permission/sandbox.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFiles } from "../../src/system/files.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import { runTool } from "../../src/tools/run.ts";
import type { ToolWorld } from "../../src/tools/tool.ts";
import { createToolWorld } from "../tool_world.ts";

const [rounds = "100", ballast = "0"] = Deno.args;
const COMMAND = "echo hi";
const WRAP = ["-c", 'exec "$@" 2>&1', "sh", "/bin/sh", "-c", COMMAND];
const SETSID = findSetsid() ?? "setsid";

async function bare(program: string, args: readonly string[], detached: boolean): Promise<void> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: world.env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached,
  }).spawn();
  for await (const _ of child.stdout);
  await child.status;
}

const folder = Deno.makeTempDirSync();
const options = { clock: createClock(), setsid: findSetsid() };
const processes = createProcesses(options);
const forking = createProcesses({ ...options, setsid: undefined });
const bwrap = await findProgram(createFiles(), "bwrap", "/usr/bin:/bin");
const sandbox = await trySandbox(
  { bwrap: bwrap?.path, seatbelt: false },
  processes,
);
const policy = { pinned: [], readOnly: [], hidden: [], shown: [], network: false };
const world = createToolWorld(folder, processes);
const boxed: ToolWorld = {
  ...world,
  shell: (command) =>
    sandboxArgv(sandbox, { ...policy, cwd: folder, writable: [folder] }, [
      "/bin/sh",
      "-c",
      command,
    ]),
};

const WAYS: { readonly [name: string]: () => Promise<unknown> } = {
  "bare, not detached": () => bare("/bin/sh", ["-c", COMMAND], false),
  "bare, detached": () => bare("/bin/sh", ["-c", COMMAND], true),
  "detached, one pipe": () => bare("/bin/sh", WRAP, true),
  "setsid, one pipe": () =>
    bare("/bin/sh", ["-c", `exec ${SETSID} "$@" 2>&1`, ...WRAP.slice(2)], false),
  "run, detached": () => runTool.run({ command: COMMAND }, { ...world, processes: forking }),
  "run": () => runTool.run({ command: COMMAND }, world),
  [`run, sandbox ${sandbox.kind}`]: () => runTool.run({ command: COMMAND }, boxed),
};

const live = Array.from({ length: Number(ballast) }, () => new Uint8Array(1 << 20).fill(1));
const times = new Map(Object.keys(WAYS).map((name): [string, number[]] => [name, []]));
for (let round = -3; round < Number(rounds); round++) {
  for (const [name, way] of Object.entries(WAYS)) {
    const from = performance.now();
    await way();
    if (round >= 0) times.get(name)!.push(performance.now() - from);
  }
}
await processes.close();
await forking.close();
Deno.removeSync(folder, { recursive: true });

const resident = (Deno.memoryUsage().rss / 1e6).toFixed(0);
console.log(
  `${rounds} rounds, ${live.length} MiB of ballast, ${resident} MB resident; ms a command`,
);
console.log(`${"".padEnd(22)}  median     p25     min  over bare detached`);
const median = (name: string) => sorted(name)[Math.floor(sorted(name).length / 2)]!;
for (const name of times.keys()) {
  const all = sorted(name);
  const figures = [median(name), all[Math.floor(all.length / 4)]!, all[0]!];
  const over = median(name) - median("bare, detached");
  console.log(
    name.padEnd(22),
    ...figures.map((ms) => ms.toFixed(2).padStart(7)),
    `${over < 0 ? "" : "+"}${over.toFixed(2)}`.padStart(10),
  );
}

function sorted(name: string): number[] {
  return [...times.get(name)!].sort((a, b) => a - b);
}

/** A world for the tool `run` with real processes and a real folder. */
import { createToolWorld } from "../../scripts/tool_world.ts";
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid, type ProcessKeeper } from "../../src/system/process_group.ts";
import { childEnv } from "../../src/tools/child_env.ts";
import { runTool } from "../../src/tools/run.ts";
import type { ToolAnswer, ToolWorld } from "../../src/tools/tool.ts";
import type { JsonObject } from "../../src/vocab.ts";

/** What a run left behind besides its answer. */
export interface RunSeen {
  readonly answer: ToolAnswer;
  readonly live: string;
  /** The spill files, by name. */
  readonly spilled: { readonly [name: string]: Uint8Array };
  readonly seconds: number;
}

/** What a test may change. */
export interface RunOptions {
  readonly world?: Partial<ToolWorld>;
  readonly env?: { readonly [name: string]: string };
  /** Looks at the working directory before it is removed. */
  readonly look?: (cwd: string) => void | Promise<void>;
}

/** Runs the tool `run` for real in a folder of its own. */
export async function runTool_(args: JsonObject, options: RunOptions = {}): Promise<RunSeen> {
  const folder = Deno.makeTempDirSync();
  const cwd = `${folder}/work`;
  const spillDir = `${folder}/spill`;
  Deno.mkdirSync(cwd);
  Deno.mkdirSync(spillDir);
  const processes: ProcessKeeper = createProcesses({ clock: createClock(), setsid: findSetsid() });
  let live = "";
  const world: ToolWorld = {
    ...createToolWorld(cwd, processes),
    spillDir,
    env: childEnv({ ...Deno.env.toObject(), ...options.env }, {
      keyNames: ["FAKE_PROVIDER_KEY"],
      pass: [],
      scoped: false,
    }),
    onOutput: (text) => live += text,
    ...options.world,
  };
  const started = performance.now();
  try {
    const answer = await runTool.run(args, world);
    const seconds = (performance.now() - started) / 1000;
    await options.look?.(cwd);
    const spilled = Object.fromEntries(
      [...Deno.readDirSync(spillDir)].map((
        { name },
      ) => [name, Deno.readFileSync(`${spillDir}/${name}`)]),
    );
    return { answer, live, spilled, seconds };
  } finally {
    await processes.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

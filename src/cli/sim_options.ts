/** The options of the simulated model, by which `sim` serves it and the evaluation runs it. */
import type { SimSettings } from "../eval/attempt.ts";
import { type FaultPlan, parseFaults, PUBLISHED_FAULTS } from "../sim/faults.ts";
import { STEADY } from "../sim/options.ts";
import type { OptionSpec, Parsed } from "./args.ts";
import type { World } from "./command.ts";
import { readConfigText } from "./input_files.ts";
import { readWhole } from "./read_options.ts";

/** How the simulated model speaks. */
export const SIM_OPTIONS: readonly OptionSpec[] = [
  { name: "faults", value: "FILE", help: 'Faults of sim: faults.json, or "published"' },
  { name: "seed", value: "TEXT", help: "Seed of sim (default: 1)" },
  { name: "delay", value: "MS", help: "Delay of sim before each token (default: 0)" },
  { name: "jitter", value: "MS", help: "Up to this much more (default: 0)" },
  { name: "chunk", value: "BYTES", help: "Bytes of a write of sim (default: by event)" },
];

/** What the options say. Throws `ConfigError` for faults that can't be read, `UsageError` for what is no number. */
export async function readSimSettings(
  parsed: Parsed,
  world: World,
): Promise<Omit<SimSettings, "hold">> {
  return {
    faults: await readFaults(parsed.value("faults"), world),
    seed: parsed.value("seed") ?? STEADY.seed,
    delayMs: readWhole(parsed, "delay") ?? STEADY.delayMs,
    jitterMs: readWhole(parsed, "jitter") ?? STEADY.jitterMs,
    chunk: readWhole(parsed, "chunk") ?? STEADY.chunk,
  };
}

/** The faults that `name` stands for: a preset or a file. */
async function readFaults(name: string | undefined, world: World): Promise<FaultPlan> {
  if (name === undefined) return STEADY.faults;
  if (name === "published") return PUBLISHED_FAULTS;
  return parseFaults(await readConfigText(name, world), name);
}

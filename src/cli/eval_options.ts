/** The options that the kinds of evaluation share, and how they become a bench. */
import { ConfigError, UsageError } from "../errors.ts";
import type { Bench, RunAgent } from "../eval/attempt.ts";
import { parsePrices, type Prices } from "../eval/prices.ts";
import { readTextIfAny } from "../system/folders.ts";
import type { OptionSpec, Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { readWhole } from "./read_options.ts";
import { readSimSettings, SIM_OPTIONS } from "./sim_options.ts";

/** Options of every run of a fixture. */
export const BENCH_OPTIONS: readonly OptionSpec[] = [
  { name: "base-url", value: "URL", help: "Where the server is (not for sim)" },
  { name: "timeout", value: "S", help: "Seconds for the agent (default: E2E_TIMEOUT or 900)" },
  { name: "check-timeout", value: "S", help: "Seconds for check.sh (default: 300)" },
  { name: "record", short: "r", help: "Keep every stream in OUT/sse" },
  { name: "prices", value: "FILE", help: '{"provider:model": {"input": $/M, "output": $/M}}' },
  ...SIM_OPTIONS,
];

/** Seconds for the agent when nothing else is said (SPEC 9). */
const TIMEOUT_S = 900;
/** Seconds for a check. */
const CHECK_TIMEOUT_S = 300;

/** The bench that the options describe; results go to `out`, an absolute path. */
export async function readBench(
  parsed: Parsed,
  world: World,
  means: { readonly out: string; readonly runAgent: RunAgent },
): Promise<Bench> {
  const baseUrl = parsed.value("base-url");
  return {
    check: {
      processes: world.processes,
      env: world.env,
      timeoutMs: 1000 * (readWhole(parsed, "check-timeout") ?? CHECK_TIMEOUT_S),
      signal: world.signal,
    },
    clock: world.clock,
    sim: await readSimSettings(parsed, world),
    prices: await readPrices(parsed.value("prices"), world),
    timeoutMs: 1000 * (readWhole(parsed, "timeout") ?? readTimeout(world)),
    out: means.out,
    record: parsed.flag("record"),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    runAgent: means.runAgent,
  };
}

function readTimeout(world: World): number {
  const text = world.env["E2E_TIMEOUT"] ?? "";
  if (text === "") return TIMEOUT_S;
  if (!/^\d+$/.test(text)) throw new ConfigError(`E2E_TIMEOUT is no number of seconds: "${text}"`);
  return Number(text);
}

async function readPrices(path: string | undefined, world: World): Promise<Prices> {
  if (path === undefined) return {};
  const text = await readTextIfAny(absolute(path, world));
  if (text === undefined) throw new ConfigError(`Cannot read the prices "${path}": no such file`);
  return parsePrices(text, path);
}

/** How many an option asks for, if it's given. Throws `UsageError` for none at all. */
export function readAtLeastOne(parsed: Parsed, name: string): number | undefined {
  const count = readWhole(parsed, name);
  if (count === 0) throw new UsageError(`Option "--${name}" needs at least 1`);
  return count;
}

/** `cst-agent sim`: serves the simulated model until it is stopped. */
import { ConfigError, EXIT } from "../errors.ts";
import { type FaultPlan, NO_FAULTS, parseFaults, PUBLISHED_FAULTS } from "../sim/faults.ts";
import type { SimOptions } from "../sim/options.ts";
import { FIRST_PLAN } from "../sim/first_plan.ts";
import { parsePlan, type Plan } from "../sim/plan.ts";
import { startSim } from "../sim/server.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { readProtocolName, readWhole } from "./read_options.ts";

/** What the command takes. */
export const SIM_SPEC: CommandSpec = {
  name: "sim",
  usage: "sim [--plan FILE] [options]",
  summary:
    "Serves a simulated model on 127.0.0.1, no key needed; it plays a plan and makes mistakes on demand.",
  options: [
    {
      name: "plan",
      value: "FILE",
      help: "plan.json of a task, or a fixture's folder; without one, a first try",
    },
    { name: "port", value: "N", help: "Port (default: a free one)" },
    { name: "protocol", value: "NAME", help: "Always speak this protocol (default: as asked)" },
    { name: "faults", value: "FILE", help: 'faults.json, or "published" for measured rates' },
    { name: "seed", value: "TEXT", help: "Seed of all chance (default: 1)" },
    { name: "delay", value: "MS", help: "Milliseconds before each token (default: 0)" },
    { name: "jitter", value: "MS", help: "Up to this much more (default: 0)" },
    { name: "chunk", value: "BYTES", help: "Bytes of a write, cut anywhere (default: by event)" },
    {
      name: "hold-until",
      value: "FILE",
      help: "Hold back the end of each stream until FILE exists",
    },
  ],
  example: "cst-agent sim --plan fixtures/mini_calc --port 8080 --delay 10",
};

/** Serves until SIGINT; the base URL goes to standard output, a line for each request to standard error. */
export async function sim(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, SIM_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(SIM_SPEC));
    return EXIT.done;
  }
  const running = startSim(await readSimOptions(parsed, world));
  world.stdout(`${running.url}\n`);
  if (world.terminal.stderr) {
    world.stderr(
      "In another terminal:\n" +
        `  cst-agent --provider sim --base-url ${running.url} --allow-run=wc "a first task"\n` +
        "Ctrl-C ends the server. Its requests:\n",
    );
  }
  let shown = 0;
  while (!world.signal.aborted) {
    await world.clock.sleep(200, world.signal);
    for (const entry of running.log.slice(shown)) {
      if (entry.kind !== "bytes") world.stderr(`${JSON.stringify(entry)}\n`);
    }
    shown = running.log.length;
  }
  await running.stop();
  return EXIT.done;
}

async function readSimOptions(parsed: Parsed, world: World): Promise<SimOptions> {
  const protocol = parsed.value("protocol");
  const holdUntil = parsed.value("hold-until");
  return {
    plan: await readPlan(parsed.value("plan"), world),
    faults: await readFaults(parsed.value("faults"), world),
    clock: world.clock,
    seed: parsed.value("seed") ?? "1",
    port: readWhole(parsed, "port") ?? 0,
    delayMs: readWhole(parsed, "delay") ?? 0,
    jitterMs: readWhole(parsed, "jitter") ?? 0,
    chunk: readWhole(parsed, "chunk") ?? 0,
    ...(protocol === undefined ? {} : { protocol: readProtocolName(protocol) }),
    ...(holdUntil ? { hold: () => waitForFile(absolute(holdUntil, world), world) } : {}),
  };
}

async function readPlan(path: string | undefined, world: World): Promise<Plan> {
  if (path === undefined) return FIRST_PLAN;
  const file = path.endsWith(".json") ? path : `${path}/plan.json`;
  return parsePlan(await readText(file, world), file);
}

/** The faults that `name` stands for: a preset or a file. */
export async function readFaults(name: string | undefined, world: World): Promise<FaultPlan> {
  if (name === undefined) return NO_FAULTS;
  if (name === "published") return PUBLISHED_FAULTS;
  return parseFaults(await readText(name, world), name);
}

async function readText(path: string, world: World): Promise<string> {
  try {
    return new TextDecoder().decode(await world.files.readFile(absolute(path, world)));
  } catch (cause) {
    throw new ConfigError(`Cannot read "${path}"`, { cause });
  }
}

/** Half a minute at most: a tool that waits for the stream's end must not hang for good. */
const HOLD_MS = 30_000;

async function waitForFile(path: string, world: World): Promise<void> {
  const until = world.clock.monotonic() + HOLD_MS;
  while (world.clock.monotonic() < until && !world.signal.aborted) {
    try {
      await world.files.stat(path);
      return;
    } catch {
      await world.clock.sleep(20, world.signal);
    }
  }
}

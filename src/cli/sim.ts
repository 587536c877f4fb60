/** `cst-agent sim`: serves the simulated model until it is stopped. */
import { EXIT } from "../errors.ts";
import { type SimOptions, STEADY } from "../sim/options.ts";
import { FIRST_PLAN } from "../sim/first_plan.ts";
import { parsePlan, type Plan } from "../sim/plan.ts";
import { startSim } from "../sim/server.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { readConfigText } from "./input_files.ts";
import { readProtocolName, readWhole } from "./read_options.ts";
import { readSimSettings, SIM_OPTIONS } from "./sim_options.ts";

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
    ...SIM_OPTIONS,
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
    ...await readSimSettings(parsed, world),
    clock: world.clock,
    port: readWhole(parsed, "port") ?? STEADY.port,
    ...(protocol === undefined ? {} : { protocol: readProtocolName(protocol) }),
    ...(holdUntil ? { hold: () => waitForFile(absolute(holdUntil, world), world) } : {}),
  };
}

async function readPlan(path: string | undefined, world: World): Promise<Plan> {
  if (path === undefined) return FIRST_PLAN;
  const file = path.endsWith(".json") ? path : `${path}/plan.json`;
  return parsePlan(await readConfigText(file, world), file);
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

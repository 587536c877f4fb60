/** `cst-agent eval faults`: what each fault of a model leads to, in each protocol. */
import { EXIT, UsageError } from "../errors.ts";
import type { RunAgent } from "../eval/attempt.ts";
import { runFaultTable, writeFaultTable } from "../eval/fault_table.ts";
import { planOf, readFixture } from "../eval/fixture.ts";
import { PROTOCOL_NAMES } from "../protocol/mod.ts";
import { makeTempFolder, removeFolder } from "../system/folders.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { BENCH_OPTIONS, readAtLeastOne, readBench } from "./eval_options.ts";

/** What the command takes. */
export const EVAL_FAULTS_SPEC: CommandSpec = {
  name: "eval faults",
  usage: "eval faults DIR [options]",
  summary:
    "Runs a fixture with each fault of the simulated model alone, on every message and on three\n" +
    "of ten, in all protocols, and prints how the runs ended as a Markdown table.",
  options: [
    { name: "runs", short: "n", value: "N", help: "Runs of each (default: 1)" },
    { name: "jobs", short: "j", value: "N", help: "Runs at a time (default: 1)" },
    ...BENCH_OPTIONS.filter((option) => !["faults", "base-url", "prices"].includes(option.name)),
  ],
  example: "cst-agent eval faults fixtures/mini_calc -j 2",
};

const RATES = [1, 0.3];

/** Runs the table. */
export async function evalFaults(
  argv: readonly string[],
  world: World,
  runAgent: RunAgent,
): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_FAULTS_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_FAULTS_SPEC));
    return EXIT.done;
  }
  const [path, ...others] = parsed.positional;
  if (path === undefined || others.length > 0) {
    throw new UsageError('Name one fixture: cst-agent eval faults DIR (see "--help")');
  }
  const fixture = await readFixture(absolute(path, world));
  planOf(fixture);
  const out = await makeTempFolder("cst-faults-");
  try {
    const cells = await runFaultTable(fixture, {
      bench: await readBench(parsed, world, { out, runAgent }),
      protocols: PROTOCOL_NAMES,
      rates: RATES,
      n: readAtLeastOne(parsed, "runs") ?? 1,
      jobs: readAtLeastOne(parsed, "jobs") ?? 1,
      listen: ({ kind, rate, protocol, rows }) =>
        world.stderr(`${kind} ${rate} ${protocol}: ${rows.map((row) => row.outcome).join(", ")}\n`),
    });
    world.stdout(writeFaultTable(cells));
    return world.signal.aborted ? EXIT.cancelled : EXIT.done;
  } finally {
    await removeFolder(out);
  }
}

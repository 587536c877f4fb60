/** `cst-agent eval starvation`: experiment A (SPEC 9). */
import { EXIT, UsageError } from "../errors.ts";
import {
  runStarvation,
  starvationChart,
  starvationCsv,
  starvationTable,
} from "../eval/starvation.ts";
import { triedLine } from "../eval/truncation_table.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import type { World } from "./command.ts";
import { writeOutput } from "./eval_files.ts";

/** What the command takes. */
export const EVAL_STARVATION_SPEC: CommandSpec = {
  name: "eval starvation",
  usage: "eval starvation [--csv FILE] [--svg FILE]",
  summary: "Cuts one long message, written as CTL, JSON and XML, at the same places and prints " +
    "how many calls are executable there and how much is held back.",
  options: [
    { name: "csv", value: "FILE", help: "Write the tables as CSV too" },
    { name: "svg", value: "FILE", help: "Write a chart of executable calls against the cut" },
  ],
  example: "cst-agent eval starvation --svg starvation.svg",
};

/** Runs the experiment. */
export async function evalStarvationCommand(
  argv: readonly string[],
  world: World,
): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_STARVATION_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_STARVATION_SPEC));
    return EXIT.done;
  }
  const [extra] = parsed.positional;
  if (extra !== undefined) throw new UsageError(`Cannot use "${extra}": starvation reads no file`);
  const all = runStarvation();
  const measured = all.map((one) => one.measured);
  world.stdout(`${starvationTable(all)}\n${triedLine(measured)}\n`);
  const csv = parsed.value("csv");
  if (csv !== undefined) await writeOutput(csv, starvationCsv(all), world);
  const svg = parsed.value("svg");
  if (svg !== undefined) await writeOutput(svg, starvationChart(all), world);
  return EXIT.done;
}

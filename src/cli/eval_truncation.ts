/** `cst-agent eval truncation`: experiment C (SPEC 9). */
import { createStreamReading } from "../agent/reading.ts";
import { EXIT, UsageError } from "../errors.ts";
import { type Measured, measureRecording } from "../eval/truncation.ts";
import { truncationChart } from "../eval/truncation_chart.ts";
import { truncationCsv, truncationTable } from "../eval/truncation_table.ts";
import { createProtocol } from "../protocol/mod.ts";
import { DEFAULT_LIMITS } from "../protocol/protocol.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import type { World } from "./command.ts";
import { findRecordings, writeOutput } from "./eval_files.ts";
import { readInputFile } from "./input_files.ts";

/** What the command takes. */
export const EVAL_TRUNCATION_SPEC: CommandSpec = {
  name: "eval truncation",
  usage: "eval truncation FILE|DIR… [--csv FILE] [--svg FILE]",
  summary: "Cuts recorded streams after every byte and prints which calls are executable where.",
  options: [
    { name: "csv", value: "FILE", help: "Write the table as CSV too" },
    { name: "svg", value: "FILE", help: "Write a chart of executable calls against the prefix" },
  ],
  example: "cst-agent eval truncation recordings/ --csv cuts.csv --svg cuts.svg",
};

/** Measures every recording. Throws where a stream breaks a promise of SPEC 1. */
export async function evalTruncationCommand(
  argv: readonly string[],
  world: World,
): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_TRUNCATION_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_TRUNCATION_SPEC));
    return EXIT.done;
  }
  if (parsed.positional.length === 0) {
    throw new UsageError("No recording: cst-agent eval truncation FILE.sse or a folder");
  }
  const all: Measured[] = [];
  for (const path of parsed.positional) {
    const found = await findRecordings(path, world);
    if (found.length === 0) throw new UsageError(`No recording (*.sse) in "${path}"`);
    const name = (file: string) =>
      file === path ? path : file.slice(path.replace(/\/+$/, "").length + 1);
    for (const file of found) all.push(...await measureFile(file, name(file), world));
  }
  world.stdout(truncationTable(all));
  const csv = parsed.value("csv");
  if (csv !== undefined) await writeOutput(csv, truncationCsv(all), world);
  const svg = parsed.value("svg");
  if (svg !== undefined) await writeOutput(svg, truncationChart(all), world);
  return EXIT.done;
}

/** Measures one recording under `name`; one that is no stream is left out, with a line that says so. */
async function measureFile(
  path: string,
  name: string,
  world: World,
): Promise<readonly Measured[]> {
  const bytes = await readInputFile(path, world);
  const reading = createStreamReading(createProtocol("native-eos")!, DEFAULT_LIMITS);
  reading.push(bytes);
  reading.end();
  if (reading.alien === undefined) return measureRecording(name, bytes);
  world.stderr(`Left out "${path}": ${reading.alien}\n`);
  return [];
}

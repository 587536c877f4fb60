/** `cst-agent eval matrix` and `eval merge`: many runs, what is done is not done again. */
import { EXIT, UsageError, UserError } from "../errors.ts";
import { providerOf, type RunAgent } from "../eval/attempt.ts";
import { type Fixture, planOf, readFixture } from "../eval/fixture.ts";
import {
  listRuns,
  mergeResults,
  parseShard,
  readResults,
  runMatrix,
  takeShard,
} from "../eval/matrix.ts";
import { createProgress } from "../eval/progress.ts";
import type { RunKey } from "../eval/row.ts";
import { DEFAULT_PROTOCOL } from "../protocol/mod.ts";
import { providerNames } from "../provider/catalog.ts";
import { tryLock } from "../system/lock.ts";
import { makeFolder, readTextIfAny } from "../system/folders.ts";
import type { ProtocolName } from "../vocab.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { BENCH_OPTIONS, readAtLeastOne, readBench } from "./eval_options.ts";
import { writeReports } from "./eval_report.ts";
import { readProtocolName } from "./read_options.ts";

/** What `eval matrix` takes. */
export const EVAL_MATRIX_SPEC: CommandSpec = {
  name: "eval matrix",
  usage: "eval matrix -f FIXTURES [options]",
  summary: "Runs protocols × models × fixtures × n and writes results.csv, summary.md and\n" +
    "report.html. Lists are separated by commas or spaces. A run that is done is skipped.",
  options: [
    {
      name: "protocols",
      short: "p",
      value: "LIST",
      help: `Protocols (default: ${DEFAULT_PROTOCOL})`,
    },
    { name: "models", short: "m", value: "LIST", help: "provider:model, … (default: sim)" },
    { name: "fixtures", short: "f", value: "LIST", help: "Folders, or names in ./fixtures" },
    { name: "runs", short: "n", value: "N", help: "Runs of each (default: 1)" },
    { name: "jobs", short: "j", value: "N", help: "Runs at a time (default: 1)" },
    { name: "out", value: "DIR", help: "Where results go (default: out/matrix)" },
    { name: "shard", value: "I/N", help: "Only every Nth run, beginning with the Ith" },
    { name: "list", help: "Print a command line for each run and run nothing" },
    ...BENCH_OPTIONS,
  ],
  example: 'cst-agent eval matrix -p "ctl-heredoc xml" -m sim -f "mini_calc big_file" -n 3',
};

/** What `eval merge` takes. */
export const EVAL_MERGE_SPEC: CommandSpec = {
  name: "eval merge",
  usage: "eval merge DIR… --out DIR",
  summary: "Joins the results of shards in one folder.",
  options: [{ name: "out", value: "DIR", help: "Where the whole goes" }],
  example: "cst-agent eval merge out/matrix/shards/* --out out/matrix",
};

/** Runs a matrix, or lists its runs. */
export async function evalMatrix(
  argv: readonly string[],
  world: World,
  runAgent: RunAgent,
): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_MATRIX_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_MATRIX_SPEC));
    return EXIT.done;
  }
  const fixtures = await readFixtures(parsed, world);
  const all = listRuns({
    protocols: readProtocols(parsed),
    models: readModels(parsed),
    fixtures,
    n: readAtLeastOne(parsed, "runs") ?? 1,
  });
  needPlans(all, fixtures);
  if (parsed.flag("list")) {
    for (let i = 1; i <= all.length; i++) {
      world.stdout(shardLine(argv, parsed, `${i}/${all.length}`));
    }
    return EXIT.done;
  }
  const shard = parsed.value("shard");
  const runs = shard === undefined ? all : takeShard(all, parseShard(shard));
  const out = absolute(parsed.value("out") ?? DEFAULT_OUT, world);
  await makeFolder(out);
  const lock = tryLock(`${out}/.lock`);
  if (!lock) {
    throw new UserError(`Cannot write to "${out}": another matrix is running there`, EXIT.usage);
  }
  try {
    const bench = await readBench(parsed, world, { out, runAgent });
    const rows = await runMatrix(runs, {
      fixtures,
      bench,
      jobs: readAtLeastOne(parsed, "jobs") ?? 1,
      listen: createProgress({
        terminal: world.terminal.stderr,
        write: world.stderr,
        now: () => world.clock.monotonic(),
      }),
    });
    if (rows.length > 0) world.stdout(await writeReports(out, rows));
    return world.signal.aborted ? EXIT.cancelled : EXIT.done;
  } finally {
    lock.release();
  }
}

/** Joins results. */
export async function evalMerge(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_MERGE_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_MERGE_SPEC));
    return EXIT.done;
  }
  const out = parsed.value("out");
  if (out === undefined || parsed.positional.length === 0) {
    throw new UsageError(
      'Name folders and where the whole goes (see "cst-agent eval merge --help")',
    );
  }
  const target = absolute(out, world);
  await mergeResults(parsed.positional.map((path) => absolute(path, world)), target);
  world.stdout(await writeReports(target, await readResults(target)));
  return EXIT.done;
}

const DEFAULT_OUT = "out/matrix";

function listOf(parsed: Parsed, name: string, fallback: string): string[] {
  const items = (parsed.value(name) ?? fallback).split(/[\s,]+/).filter((item) => item !== "");
  if (items.length === 0) throw new UsageError(`Option "--${name}" names nothing`);
  return [...new Set(items)];
}

function readProtocols(parsed: Parsed): ProtocolName[] {
  return listOf(parsed, "protocols", DEFAULT_PROTOCOL).map(readProtocolName);
}

/** Says at once that a name is wrong, not in a row for each run. */
function readModels(parsed: Parsed): string[] {
  const models = listOf(parsed, "models", "sim");
  const known = [...providerNames(), "sim"];
  for (const model of models) {
    const provider = model.split(":")[0]!;
    if (known.includes(provider)) continue;
    const names = known.join(", ");
    throw new UsageError(`Unknown provider "${provider}" in "${model}": there are ${names}`);
  }
  return models;
}

async function readFixtures(parsed: Parsed, world: World): Promise<Fixture[]> {
  if (parsed.value("fixtures") === undefined) {
    throw new UsageError(
      'Name the fixtures: -f "mini_calc big_file" (see "cst-agent eval matrix --help")',
    );
  }
  const fixtures = new Map<string, Fixture>();
  for (const name of listOf(parsed, "fixtures", "")) {
    const fixture = await readFixture(await findFixture(name.replace(/\/+$/, ""), world));
    const other = fixtures.get(fixture.name);
    if (other && other.path !== fixture.path) {
      throw new UsageError(`Two fixtures are named "${fixture.name}": rename a folder`);
    }
    fixtures.set(fixture.name, fixture);
  }
  return [...fixtures.values()];
}

/** A bare name is one in ./fixtures, or a folder right here. */
async function findFixture(name: string, world: World): Promise<string> {
  const here = absolute(name, world);
  if (name.includes("/")) return here;
  const kept = absolute(`fixtures/${name}`, world);
  return await readTextIfAny(`${kept}/TASK.md`) === undefined &&
      await readTextIfAny(`${here}/TASK.md`) !== undefined
    ? here
    : kept;
}

/** Says at once that a simulated run can't be, not after an hour. */
function needPlans(runs: readonly RunKey[], fixtures: readonly Fixture[]): void {
  if (!runs.some((run) => providerOf(run) === "sim")) return;
  for (const fixture of fixtures) planOf(fixture);
}

/** The command line of one run, its results in a folder of its own. */
function shardLine(argv: readonly string[], parsed: Parsed, shard: string): string {
  const out = `${parsed.value("out") ?? DEFAULT_OUT}/shards/${shard.split("/")[0]}`;
  const words = withoutOut(argv.filter((word) => word !== "--list"));
  return `cst-agent eval matrix ${
    [...words, "--shard", shard, "--out", out].map(quote).join(" ")
  }\n`;
}

function withoutOut(argv: readonly string[]): string[] {
  return argv.filter((word, i) =>
    word !== "--out" && argv[i - 1] !== "--out" && !word.startsWith("--out=")
  );
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

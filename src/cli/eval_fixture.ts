/** `cst-agent eval fixture`: one fixture, once; or only that it's red before anything is done. */
import { EXIT, UsageError } from "../errors.ts";
import { attempt, providerOf, type RunAgent } from "../eval/attempt.ts";
import { type Fixture, planOf, readFixture, runCheck, unpackFixture } from "../eval/fixture.ts";
import type { FixtureOutcome, Row } from "../eval/row.ts";
import { DEFAULT_PROTOCOL } from "../protocol/mod.ts";
import { makeTempFolder, removeFolder } from "../system/folders.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { BENCH_OPTIONS, readBench } from "./eval_options.ts";
import { readProtocolName } from "./read_options.ts";

/** What the command takes. */
export const EVAL_FIXTURE_SPEC: CommandSpec = {
  name: "eval fixture",
  usage: "eval fixture DIR [options]",
  summary:
    "Runs the agent on a copy of a fixture (TASK.md, check.sh, files) and checks the result.\n" +
    "Prints pass, fail, agent_error, timeout or unexpected_green_fixture; exit 0 only for pass.",
  options: [
    { name: "baseline-only", help: "Only show that check.sh fails at first; needs no model" },
    { name: "protocol", value: "NAME", help: `Protocol (default: ${DEFAULT_PROTOCOL})` },
    { name: "provider", value: "NAME", help: "Provider (default: sim, which plays plan.json)" },
    { name: "model", short: "m", value: "NAME", help: "Model name as the server knows it" },
    { name: "out", value: "DIR", help: "Keep session and streams in DIR" },
    ...BENCH_OPTIONS,
  ],
  example: "cst-agent eval fixture fixtures/mini_calc --provider deepseek",
};

/** Runs one fixture. */
export async function evalFixture(
  argv: readonly string[],
  world: World,
  runAgent: RunAgent,
): Promise<number> {
  const parsed = parseCommandLine(argv, EVAL_FIXTURE_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(EVAL_FIXTURE_SPEC));
    return EXIT.done;
  }
  const [path, ...others] = parsed.positional;
  if (path === undefined || others.length > 0) {
    throw new UsageError('Name one fixture: cst-agent eval fixture DIR (see "--help")');
  }
  const fixture = await readFixture(absolute(path, world));
  const folder = await makeTempFolder("cst-fixture-");
  try {
    const given = parsed.value("out");
    const out = given === undefined ? folder : absolute(given, world);
    const bench = await readBench(parsed, world, { out, runAgent });
    if (parsed.flag("baseline-only")) {
      return await showBaseline(fixture, { work: `${folder}/work`, world, check: bench.check });
    }
    const key = keyOf(parsed, fixture);
    if (providerOf(key) === "sim") planOf(fixture);
    const { row, output } = await attempt(key, fixture, bench);
    show(row, output, world);
    return exitOf(row.outcome);
  } finally {
    await removeFolder(folder);
  }
}

function keyOf(parsed: Parsed, fixture: Fixture) {
  const provider = parsed.value("provider") ?? "sim";
  const model = parsed.value("model");
  return {
    protocol: readProtocolName(parsed.value("protocol") ?? DEFAULT_PROTOCOL),
    model: model === undefined ? provider : `${provider}:${model}`,
    fixture: fixture.name,
    rep: 1,
  };
}

async function showBaseline(
  fixture: Fixture,
  means: { work: string; world: World; check: Parameters<typeof runCheck>[2] },
): Promise<number> {
  const { work, world, check } = means;
  await unpackFixture(fixture, work);
  const { exit, output, stopped } = await runCheck(fixture, work, check);
  if (world.signal.aborted) return EXIT.cancelled;
  if (stopped) {
    world.stderr(`${fixture.name}: check.sh ran longer than ${check.timeoutMs / 1000} s\n`);
    world.stdout("timeout\n");
    return EXIT.timeout;
  }
  if (exit === 0) {
    world.stderr(`${output}${fixture.name}: check.sh passes before anything was done\n`);
    world.stdout("unexpected_green_fixture\n");
    return EXIT.agentError;
  }
  world.stderr(`${fixture.name}: check.sh fails with exit ${exit}, as it must\n`);
  world.stdout("red\n");
  return EXIT.done;
}

function show(row: Row, output: string, world: World): void {
  if (row.outcome === "fail") world.stderr(output);
  const why = row.message === "" ? "" : `: ${row.message}`;
  const violations = Object.values(row.violations).reduce((sum, count) => sum + count, 0);
  world.stderr(
    `${row.fixture}, ${row.protocol}, ${row.model}: ${row.steps} steps, ${row.calls} calls, ` +
      `${violations} violations, ${row.wallS.toFixed(1)} s${why}\n`,
  );
  world.stdout(`${row.outcome}\n`);
}

function exitOf(outcome: FixtureOutcome): number {
  switch (outcome) {
    case "pass":
      return EXIT.done;
    case "timeout":
      return EXIT.timeout;
    case "fail":
    case "agent_error":
    case "unexpected_green_fixture":
      return EXIT.agentError;
  }
}

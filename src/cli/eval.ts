/** `cst-agent eval`: fixtures, matrices and reports. */
import { EXIT, UsageError } from "../errors.ts";
import type { RunAgent } from "../eval/attempt.ts";
import { nearest } from "./args.ts";
import type { Command, World } from "./command.ts";
import { evalFaults } from "./eval_faults.ts";
import { evalFixture } from "./eval_fixture.ts";
import { evalMatrix, evalMerge } from "./eval_matrix.ts";
import { evalReport } from "./eval_report.ts";

const HELP = `Measures the agent.

Usage: cst-agent eval KIND [options]

  fixture      one task, once: pass, fail, agent_error, timeout
  matrix       protocols × models × tasks × n, with results.csv, summary.md and report.html
  faults       each fault of a model alone, in all protocols
  merge        the results of several machines as one
  report       the reports anew from results.csv
  truncation   recorded streams, cut at every byte
  starvation   how much of a call each framing can confirm when the stream is cut

Example:
  cst-agent eval fixture fixtures/mini_calc --baseline-only
`;

/** The command, with the agent that it measures and the kinds that need none. */
export function createEval(
  createRunAgent: (world: World) => RunAgent,
  others: { readonly [kind: string]: Command },
): Command {
  const kinds: { readonly [kind: string]: Command } = {
    fixture: (argv, world) => evalFixture(argv, world, createRunAgent(world)),
    matrix: (argv, world) => evalMatrix(argv, world, createRunAgent(world)),
    faults: (argv, world) => evalFaults(argv, world, createRunAgent(world)),
    merge: evalMerge,
    report: evalReport,
    ...others,
  };
  return (argv, world) => {
    const [kind = "--help", ...rest] = argv;
    if (kind === "--help" || kind === "-h") {
      world.stdout(HELP);
      return Promise.resolve(EXIT.done);
    }
    const command = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (command) return command(rest, world);
    const near = nearest(kind, Object.keys(kinds));
    const hint = near === undefined ? "" : `: did you mean "${near}"?`;
    throw new UsageError(
      `Unknown kind of evaluation "${kind}"${hint} (see "cst-agent eval --help")`,
    );
  };
}

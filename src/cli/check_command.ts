/** `cst-agent check-command`: may this command line run, what would it start, and why (SPEC 10). */
import { EXIT, UsageError } from "../errors.ts";
import { gatherFacts, resolvePath } from "../agent/resolve.ts";
import { escapeForDisplay } from "../permission/display.ts";
import { pathsToResolve } from "../permission/judge_command.ts";
import type { ResolvedPath } from "../permission/paths.ts";
import { createPolicy, type Decision } from "../permission/policy.ts";
import { platformName } from "../system/machine.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import type { World } from "./command.ts";
import { readConfigs } from "./config.ts";
import { PERMISSION_OPTIONS } from "./permission_options.ts";
import { readRules, splitPermissionFlags } from "./read_rules.ts";

/** What the command takes. */
export const CHECK_COMMAND_SPEC: CommandSpec = {
  name: "check-command",
  usage: "check-command [permission flags] COMMAND",
  summary: "Say whether a command line may run: 0 yes, 126 no",
  options: [...PERMISSION_OPTIONS, { name: "json", help: "Print the answer as one JSON object" }],
  example: "cst-agent check-command --allow-run=make,tail 'make test 2>&1 | tail'",
};

/** Says what the policy says of one command line, with the configuration as it is here. Returns 0 when it may run, 126 when not. */
export async function checkCommand(argv: readonly string[], world: World): Promise<number> {
  const { words, rest } = splitPermissionFlags(argv);
  const parsed = parseCommandLine(rest, CHECK_COMMAND_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(CHECK_COMMAND_SPEC));
    return EXIT.done;
  }
  const [command, extra] = parsed.positional;
  if (command === undefined) throw new UsageError("Cannot check nothing: give a command line");
  if (extra !== undefined) {
    throw new UsageError(
      `Cannot check more than one argument: quote the command line ("${extra}")`,
    );
  }
  const decision = await decide(command, words, world);
  world.stdout(
    parsed.flag("json")
      ? `${JSON.stringify({ command, ...decision })}\n`
      : describe(command, decision),
  );
  return decision.kind === "allow" ? EXIT.done : EXIT.refusedCall;
}

async function decide(
  command: string,
  words: readonly string[],
  world: World,
): Promise<Decision> {
  const { files, env } = world;
  const cwd = await files.realPath(world.cwd);
  const configs = await readConfigs(files, { cwd, env });
  const rules = await readRules(words, configs, { cwd, files });
  const home = env.HOME ?? null;
  const state = env.XDG_STATE_HOME || (home && `${home}/.local/state`);
  const ownPaths = [...configs.paths, ...state ? [`${state}/cst-agent`] : []];
  const facts = await gatherFacts(files, rules, {
    cwd,
    env,
    ownPaths,
    foldCase: platformName() === "darwin",
  });
  const { readCommandLine } = await import("../permission/shell.ts");
  const line = readCommandLine(command, { home });
  const paths = new Map<string, ResolvedPath>();
  for (const path of pathsToResolve(line, cwd)) {
    paths.set(path, await resolvePath(files, path, cwd));
  }
  return createPolicy(rules, facts).decide({ kind: "run", line, paths });
}

const HEADINGS = {
  allow: "allowed",
  ask: "not allowed (asked on a terminal, refused without one)",
  deny: "denied",
} as const;

function describe(command: string, decision: Decision): string {
  const width = Math.max(0, ...decision.findings.map(({ name }) => Math.min(name.length, 40)));
  const findings = decision.findings.map(({ name, verdict, why }) =>
    `  ${verdict.padEnd(5)}  ${name.padEnd(width)}  ${why}`
  );
  const last = decision.kind === "allow"
    ? decision.printed === null ? [] : [`Runs as: ${escapeForDisplay(decision.printed)}`]
    : [decision.message, ...decision.flag === null ? [] : [`Allowed by: ${decision.flag}`]];
  const heading = `${escapeForDisplay(command)}: ${HEADINGS[decision.kind]}`;
  return [heading, ...findings, ...last, ""].join("\n");
}

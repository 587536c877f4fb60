/** argv and environment → the real world → one command → exit code; nothing else. */
import type { Command, World } from "./src/cli/command.ts";
import { explainError, UsageError, UserError } from "./src/errors.ts";
import { giveUpPermissions } from "./src/system/narrow.ts";
import { runProcess } from "./src/system/world.ts";

/** Every command, loaded only when it's called, so that the others cost nothing at the start. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  "chat": async () => (await import("./src/cli/chat/chat.ts")).chatCommand,
  "run": async () => (await import("./src/cli/run.ts")).runCommand,
  "sessions": async () => (await import("./src/cli/sessions.ts")).sessionsCommand,
  "patch": async () => (await import("./src/cli/patch.ts")).patchCommand,
  "check-command": async () => (await import("./src/cli/check_command.ts")).checkCommand,
  "parse": async () => (await import("./src/cli/parse.ts")).parseCommand,
  "replay": async () => (await import("./src/cli/replay.ts")).replayCommand,
  "probe": async () => (await import("./src/cli/probe.ts")).probe,
  "sim": async () => (await import("./src/cli/sim.ts")).sim,
  "eval": loadEval,
  "schema": async () => {
    const { CONFIG_KEYS } = await import("./src/cli/config.ts");
    return (await import("./src/cli/schema.ts")).createSchemaCommand(CONFIG_KEYS);
  },
  "doctor": async () => (await import("./src/cli/doctor.ts")).doctorCommand,
  "completions": async () => (await import("./src/cli/completions.ts")).completionsCommand,
  "help": async () => (await import("./src/cli/help.ts")).helpCommand,
  "version": async () => (await import("./src/cli/version.ts")).versionCommand,
};

/** Commands that only compute: what they read on standard input can't make them do anything else. */
const COMPUTING: readonly string[] = ["parse", "schema", "completions"];

async function loadEval(): Promise<Command> {
  const { createEval } = await import("./src/cli/eval.ts");
  const { createRunAgent } = await import("./src/cli/eval_agent.ts");
  const { evalTruncationCommand } = await import("./src/cli/eval_truncation.ts");
  const { evalStarvationCommand } = await import("./src/cli/eval_starvation.ts");
  return createEval(createRunAgent, {
    truncation: evalTruncationCommand,
    starvation: evalStarvationCommand,
  });
}

/** The command that argv names, and what is left for it. `run` may be left out; nothing at all, on a terminal, is `chat`. */
function chooseCommand(argv: readonly string[], world: World): [string, readonly string[]] {
  const [first, ...rest] = argv;
  if (first === undefined && world.terminal.stdin && world.terminal.stdout) return ["chat", rest];
  if (first === "--version" || first === "-V") return ["version", rest];
  if (first === "--help" || first === "-h") return ["help", []];
  if (first === "help" && rest[0] !== undefined && Object.hasOwn(COMMANDS, rest[0])) {
    return [rest[0], ["--help"]];
  }
  if (first !== undefined && Object.hasOwn(COMMANDS, first)) return [first, rest];
  return ["run", argv];
}

/** A first word that is nearly a command was meant as one: no task begins by a slip of the finger. */
async function refuseSlip(first: string): Promise<void> {
  if (!/^[a-z][a-z-]*$/.test(first) || Object.hasOwn(COMMANDS, first)) return;
  const { nearest } = await import("./src/cli/args.ts");
  const near = nearest(first, Object.keys(COMMANDS));
  if (near === undefined) return;
  throw new UsageError(
    `Unknown command "${first}": did you mean "${near}"? (for a task: cst-agent run "${first} …")`,
  );
}

async function main(argv: readonly string[], world: World): Promise<number> {
  const [name, rest] = chooseCommand(argv, world);
  try {
    if (argv[0] !== undefined) await refuseSlip(argv[0]);
    const command = await COMMANDS[name]!();
    if (COMPUTING.includes(name)) giveUpPermissions();
    return await command(rest, world);
  } catch (error) {
    world.stderr(`cst-agent: ${explainError(error)}\n`);
    return error instanceof UserError ? error.exit : 1;
  }
}

if (import.meta.main) await runProcess(main);

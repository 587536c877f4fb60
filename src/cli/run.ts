/** `cst-agent run`: one task, unattended (SPEC 10). */
import type { AgentEvent } from "../vocab.ts";
import { EXIT, exitCodeOf, UsageError } from "../errors.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import { readAllStdin, type World } from "./command.ts";
import { toJsonEvent } from "./events.ts";
import { openFaceTask, type SessionChoice } from "./open_task.ts";
import { PERMISSION_OPTIONS } from "./permission_options.ts";
import { createRenderer } from "./render.ts";
import { MODEL_OPTIONS, SANDBOX_OPTIONS, TASK_OPTIONS } from "./run_options.ts";
import { readSettings, splitPermissionFlags } from "./settings.ts";

/** What the command takes. */
export const RUN_SPEC: CommandSpec = {
  name: "run",
  usage: "[run] [PROMPT] [options]",
  summary: "Runs one task, unattended. The final answer goes to standard output.",
  options: [
    { name: "prompt", short: "p", value: "TEXT", help: 'The task; "-" reads standard input' },
    { name: "json", help: "Events on standard output, one JSON object a line" },
    { name: "output-last", value: "FILE", help: "Write the final answer to FILE" },
    { name: "quiet", short: "q", help: "Only the final answer and warnings" },
    ...MODEL_OPTIONS,
    ...PERMISSION_OPTIONS,
    ...SANDBOX_OPTIONS,
    ...TASK_OPTIONS,
  ],
  example: 'cst-agent run "make the tests pass" --allow-run=make,git',
};

/** Runs one task and returns the exit code of its outcome (README, "Exit codes"). */
export async function runCommand(argv: readonly string[], world: World): Promise<number> {
  const { rest, words } = splitPermissionFlags(argv);
  const parsed = parseCommandLine(rest, RUN_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(RUN_SPEC));
    return EXIT.done;
  }
  const settings = await readSettings({ parsed, permissionWords: words }, world);
  const prompt = await readPrompt(parsed, world);
  const json = parsed.flag("json");
  const opened = await openFaceTask(settings, world, {
    choice: chooseSession(parsed),
    listen: json ? createJsonLines(world) : createLines(parsed, world),
  });
  try {
    const end = await opened.task.run(prompt, world.signal);
    await writeLast(parsed.value("output-last"), end.text, world);
    if (!json && !world.terminal.stdout && end.text !== "") world.stdout(`${end.text.trimEnd()}\n`);
    return exitCodeOf(end.outcome);
  } finally {
    opened.close();
  }
}

/** The prompt: `-p`, the argument, or standard input when it's `-`. */
async function readPrompt(parsed: Parsed, world: World): Promise<string> {
  const option = parsed.value("prompt");
  if (option !== undefined && parsed.positional.length > 0) {
    throw new UsageError("Give the task once: as the argument or with -p");
  }
  const given = option ?? (parsed.positional.length > 0 ? parsed.positional.join(" ") : undefined);
  if (given === undefined) {
    throw new UsageError('There is no task: cst-agent run "what to do" ("-" reads standard input)');
  }
  const prompt = given === "-" ? await readAllStdin(world) : given;
  if (prompt.trim() === "") throw new UsageError("The task is empty");
  return prompt;
}

/** Which session the flags name. */
export function chooseSession(parsed: Parsed): SessionChoice {
  const id = parsed.value("session");
  const repair = parsed.flag("repair");
  if (id !== undefined && parsed.flag("continue")) {
    throw new UsageError('Give "--session" or "--continue", not both');
  }
  if (id !== undefined) return { kind: "named", id, repair };
  return parsed.flag("continue") ? { kind: "newest", repair } : { kind: "new" };
}

function createJsonLines(world: World): (event: AgentEvent) => void {
  return (event) => {
    const object = toJsonEvent(event);
    if (object) world.stdout(`${JSON.stringify(object)}\n`);
  };
}

/** Prose goes to the screen as it comes; into a pipe goes the final answer alone, and prose to stderr. */
function createLines(parsed: Parsed, world: World): (event: AgentEvent) => void {
  const { terminal, env } = world;
  return createRenderer({
    prose: terminal.stdout ? world.stdout : world.stderr,
    note: world.stderr,
    color: terminal.stderr && !env.NO_COLOR && env.TERM !== "dumb",
  }, { quiet: parsed.flag("quiet") });
}

async function writeLast(path: string | undefined, text: string, world: World): Promise<void> {
  if (path === undefined) return;
  const bytes = new TextEncoder().encode(text);
  const place = path.startsWith("/") ? path : `${world.cwd}/${path}`;
  const temporary = `${place}.${world.clock.now().toString(36)}`;
  await world.files.createSynced(temporary, bytes, 0o644);
  await world.files.rename(temporary, place);
}

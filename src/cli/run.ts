/** `cst-agent run`: one task, unattended (SPEC 10). */
import { dirname } from "@std/path";
import type { AgentEvent } from "../vocab.ts";
import { ConfigError, EXIT, exitCodeOf, UsageError } from "../errors.ts";
import { FileError } from "../system/system.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import { absolute, readAllStdin, type World } from "./command.ts";
import { createJsonLines, type JsonLines } from "./json_lines.ts";
import type { SessionChoice } from "./face.ts";
import { openFaceTask } from "./open_task.ts";
import { PERMISSION_OPTIONS } from "./permission_options.ts";
import { createRenderer } from "./render.ts";
import { MODEL_OPTIONS, SANDBOX_OPTIONS, TASK_OPTIONS } from "./run_options.ts";
import { splitPermissionFlags } from "./read_rules.ts";
import { type FaceFlags, readSettings } from "./settings.ts";

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
  let lines = wantsJson(argv) ? createJsonLines(world) : undefined;
  try {
    const { rest, words } = splitPermissionFlags(argv);
    const parsed = parseCommandLine(rest, RUN_SPEC);
    if (parsed.flag("help")) {
      world.stdout(helpText(RUN_SPEC));
      return EXIT.done;
    }
    if (!parsed.flag("json")) lines = undefined;
    lines?.begin();
    return await runTask({ parsed, permissionWords: words }, world, lines);
  } catch (error) {
    lines?.fail(error);
    throw error;
  }
}

/** Is `--json` there? Asked before the options are read, since what is wrong with them is told in JSON too. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? words.length : end).includes("--json");
}

async function runTask(
  flags: FaceFlags,
  world: World,
  lines: JsonLines | undefined,
): Promise<number> {
  const { parsed } = flags;
  const given = givenPrompt(parsed);
  const settings = await readSettings(flags, world);
  const last = await findLastPlace(parsed.value("output-last"), world);
  const prompt = await readPrompt(given, world);
  const opened = await openFaceTask(settings, world, {
    choice: chooseSession(parsed),
    listen: lines ? lines.listen : createLines(parsed, world),
  });
  try {
    const end = await opened.task.run(prompt, world.signal);
    if (last !== undefined) await writeLast(last, end.text, world);
    if (lines) {
      if (end.outcome !== "done") world.stderr(`cst-agent: ${end.message}\n`);
    } else if (!world.terminal.stdout && end.text !== "") {
      world.stdout(`${end.text.trimEnd()}\n`);
    }
    return exitCodeOf(end.outcome);
  } finally {
    lines?.close();
    opened.close();
  }
}

/** What stands for the prompt: `-p`, or the argument. */
function givenPrompt(parsed: Parsed): string {
  const option = parsed.value("prompt");
  if (option !== undefined && parsed.positional.length > 0) {
    throw new UsageError("Give the task once: as the argument or with -p");
  }
  const given = option ?? (parsed.positional.length > 0 ? parsed.positional.join(" ") : undefined);
  if (given === undefined) {
    throw new UsageError(
      'There is no task: cst-agent run "what to do" ("-" reads standard input; to talk: cst-agent chat)',
    );
  }
  return checkPrompt(given);
}

/** The prompt that `given` stands for: standard input when it's `-`. */
async function readPrompt(given: string, world: World): Promise<string> {
  return given === "-" ? checkPrompt(await readAllStdin(world)) : given;
}

function checkPrompt(prompt: string): string {
  if (prompt.trim() === "") throw new UsageError('The task is empty: cst-agent run "what to do"');
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

/** Prose goes to the screen as it comes; into a pipe goes the final answer alone, and prose to stderr. */
function createLines(parsed: Parsed, world: World): (event: AgentEvent) => void {
  const { terminal, env } = world;
  return createRenderer({
    prose: terminal.stdout ? world.stdout : world.stderr,
    note: world.stderr,
    color: terminal.stderr && !env.NO_COLOR && env.TERM !== "dumb",
  }, { quiet: parsed.flag("quiet") });
}

/**
 * Where the final answer is to be written, links followed. Throws `ConfigError` before anything is asked of a model
 * where it can't be: a device must not be replaced by a file.
 */
async function findLastPlace(path: string | undefined, world: World): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const place = absolute(path, world);
  const cannot = `Cannot write the final answer to "${path}"`;
  try {
    const { kind } = await world.files.stat(place);
    if (kind === "file") return await world.files.realPath(place);
    throw new ConfigError(`${cannot}: it is not a file`);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
  try {
    if ((await world.files.stat(dirname(place))).kind === "directory") return place;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
  throw new ConfigError(`${cannot}: there is no folder "${dirname(place)}"`);
}

async function writeLast(place: string, text: string, world: World): Promise<void> {
  const temporary = `${place}.${world.clock.now().toString(36)}`;
  try {
    await world.files.createSynced(temporary, new TextEncoder().encode(text), 0o644);
    await world.files.rename(temporary, place);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new ConfigError(`Cannot write the final answer to "${place}"`, { cause: error });
  }
}

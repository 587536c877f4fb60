/** `cst-agent completions`: completions for a shell, from what every command says of itself (SPEC 10). */
import { EXIT, UsageError } from "../errors.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import { CHAT_SPEC } from "./chat/chat.ts";
import { CHECK_COMMAND_SPEC } from "./check_command.ts";
import type { World } from "./command.ts";
import { bashScript, fishScript, type Subject, zshScript } from "./completion_scripts.ts";
import { DOCTOR_SPEC } from "./doctor.ts";
import { EVAL_FAULTS_SPEC } from "./eval_faults.ts";
import { EVAL_FIXTURE_SPEC } from "./eval_fixture.ts";
import { EVAL_MATRIX_SPEC, EVAL_MERGE_SPEC } from "./eval_matrix.ts";
import { EVAL_REPORT_SPEC } from "./eval_report.ts";
import { EVAL_STARVATION_SPEC } from "./eval_starvation.ts";
import { EVAL_TRUNCATION_SPEC } from "./eval_truncation.ts";
import { PARSE_SPEC } from "./parse.ts";
import { PATCH_SPEC } from "./patch.ts";
import { PROBE_SPEC } from "./probe.ts";
import { REPLAY_SPEC } from "./replay.ts";
import { RUN_SPEC } from "./run.ts";
import { SCHEMA_SPEC } from "./schema.ts";
import { SESSIONS_SPEC } from "./sessions.ts";
import { SIM_SPEC } from "./sim.ts";

/** What the command takes. */
export const COMPLETIONS_SPEC: CommandSpec = {
  name: "completions",
  usage: "completions bash|zsh|fish",
  summary: "Prints the completions for a shell.",
  options: [],
  example: "cst-agent completions bash > ~/.local/share/bash-completion/completions/cst-agent",
};

/** Every command that can be completed. */
export function completedCommands(): readonly CommandSpec[] {
  return [
    RUN_SPEC,
    CHAT_SPEC,
    SESSIONS_SPEC,
    PATCH_SPEC,
    CHECK_COMMAND_SPEC,
    PARSE_SPEC,
    REPLAY_SPEC,
    PROBE_SPEC,
    SIM_SPEC,
    EVAL_FIXTURE_SPEC,
    EVAL_MATRIX_SPEC,
    EVAL_MERGE_SPEC,
    EVAL_REPORT_SPEC,
    EVAL_FAULTS_SPEC,
    EVAL_STARVATION_SPEC,
    EVAL_TRUNCATION_SPEC,
    DOCTOR_SPEC,
    SCHEMA_SPEC,
    COMPLETIONS_SPEC,
  ];
}

const SCRIPTS: { readonly [shell: string]: (subjects: readonly Subject[]) => string } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints the script for the shell that `argv` names. */
export function completionsCommand(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, COMPLETIONS_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(COMPLETIONS_SPEC));
    return Promise.resolve(EXIT.done);
  }
  const [shell = "", extra] = parsed.positional;
  const write = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!write || extra !== undefined) {
    throw new UsageError('Say which shell: "cst-agent completions bash", "zsh" or "fish"');
  }
  world.stdout(write(subjectsOf(completedCommands())));
  return Promise.resolve(EXIT.done);
}

/** Commands by their first word; `eval matrix` and `eval report` are words of `eval`, with the options of all. */
export function subjectsOf(specs: readonly CommandSpec[]): readonly Subject[] {
  const subjects = new Map<string, Subject>();
  for (const { name, summary, usage, options } of specs) {
    const [first = "", second] = name.split(" ");
    const before = subjects.get(first);
    const words = second === undefined ? wordsOf(usage, first) : [second];
    const known = new Set(before?.options.map((option) => option.name));
    subjects.set(first, {
      name: first,
      summary: before ? before.summary : summary.split("\n")[0]!,
      words: [...before?.words ?? [], ...words],
      options: [
        ...before?.options ?? [],
        ...options.filter((option) => !known.has(option.name)),
        ...(before ? [] : [{ name: "help", short: "h", help: "Show this help" }]),
      ],
    });
  }
  return [...subjects.values()];
}

/** The actions in a usage such as `sessions list | show [ID] | …` or `schema events|config`. */
function wordsOf(usage: string, name: string): string[] {
  if (!usage.startsWith(`${name} `) || !usage.includes("|")) return [];
  return usage.slice(name.length + 1).split("|").map((part) => part.trim().split(" ")[0]!)
    .filter((word) => /^[a-z]+$/.test(word));
}

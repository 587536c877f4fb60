/** The slash commands: a table, and what each does. */
import { UserError } from "../../errors.ts";
import { PROTOCOL_NAMES } from "../../protocol/mod.ts";
import { nearest } from "../args.ts";
import { runDoctor } from "../doctor.ts";
import { hanging, type Style } from "./layout.ts";
import type { Site } from "./site.ts";
import {
  clear,
  compact,
  cost,
  exportSession,
  fork,
  resume,
  sessions,
  undo,
} from "./slash_session.ts";
import { permissions, provider, sandbox, setting } from "./slash_settings.ts";

/** Lines of a diff that are shown. */
const DIFF_LINES = 400;

/** One slash command. */
export interface SlashCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** May run while the agent works. */
  readonly anytime: boolean;
  run(argument: string, site: Site): Promise<void> | void;
}

/** All of them, as `/help` lists them. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  entry("help", "", "this list", help, true),
  entry("model", "[NAME]", "use another model", (name, site) => setting("model", name, site)),
  entry(
    "protocol",
    "[NAME]",
    PROTOCOL_NAMES.join(", "),
    (name, site) => setting("protocol", name, site),
  ),
  entry("provider", "[NAME]", "use another server", provider),
  entry(
    "permissions",
    "[FLAG…]",
    "what is allowed; allow more: /permissions --allow-run=make",
    permissions,
  ),
  entry("sandbox", "[auto|bwrap|off]", "what is around commands", sandbox),
  entry("diff", "", "what changed here since the last commit", diff),
  entry("undo", "", "put back what the last message's edits changed", undo),
  entry("sessions", "", "the sessions of this folder", sessions, true),
  entry("resume", "ID", "go on with another session", resume),
  entry("fork", "", "go on in a new session that begins with this one", fork),
  entry("compact", "", "show the model old results in short from here on", compact),
  entry("cost", "", "tokens, context and price", cost, true),
  entry(
    "export",
    "[FILE]",
    "this session as Markdown, HTML (.html) or JSON (.json)",
    exportSession,
  ),
  entry("clear", "", "a new session and an empty screen", clear),
  entry("doctor", "", "check runtime, terminal, sandbox, keys, server and folders", doctor),
  entry("quit", "", "leave (Ctrl-D does too)", (_, site) => site.leave(), true),
];

function entry(
  name: string,
  usage: string,
  summary: string,
  run: SlashCommand["run"],
  anytime = false,
): SlashCommand {
  return { name, usage, summary, run, anytime };
}

/** The command that `line` (which starts with `/`) calls, and its argument; a sentence where there is none. */
export function findSlash(
  line: string,
): { readonly command: SlashCommand; readonly argument: string } | string {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = SLASH_COMMANDS.find((each) => each.name === name);
  if (command?.usage === "" && argument.trim() !== "") return `/${name} takes no argument`;
  if (command) return { command, argument: argument.trim() };
  const near = nearest(name, SLASH_COMMANDS.map((each) => each.name));
  return near === undefined
    ? `There is no command "/${name}": /help lists them`
    : `There is no command "/${name}": did you mean "/${near}"?`;
}

/** The slash commands that begin with `word`. */
export function slashCandidates(word: string): string[] {
  return SLASH_COMMANDS.map(({ name }) => `/${name}`).filter((name) => name.startsWith(word));
}

/** What isn't a slash command and has to be known too. */
const MORE_HELP: readonly (readonly [string, string])[] = [
  ["!COMMAND", "run a command of your own; its output goes with your next message"],
  ["@PATH", "put a file's text into your message (Tab completes)"],
  ["Esc, Ctrl-C", "stop what runs; Ctrl-C twice leaves"],
  ["Alt-Enter, \\ Enter", "a new line"],
  ["Up, Down", "earlier messages"],
  ["while it works", "what you send goes with its next step"],
];

function help(_: string, site: Site): void {
  const lines = [
    ...SLASH_COMMANDS.map(({ name, usage, summary }) => [`/${name} ${usage}`, summary] as const),
    ...MORE_HELP,
  ];
  site.add(lines.flatMap(([head, text]) => hanging(head.trimEnd(), text, site.columns())));
}

async function diff(_: string, site: Site): Promise<void> {
  const changed = await site.shell("git --no-pager diff --no-color --no-ext-diff HEAD --");
  if (changed.exit !== 0) {
    return site.say("There is no git repository with a commit here", "yellow");
  }
  const added = await site.shell("git ls-files --others --exclude-standard");
  const lines = [
    ...linesOf(changed.output),
    ...linesOf(added.output).map((path) => `new file, not in git yet: ${path}`),
  ];
  if (lines.length === 0) return site.say("Nothing has changed since the last commit");
  for (const line of lines.slice(0, DIFF_LINES)) site.say(line, styleOfDiff(line));
  const hidden = lines.length - DIFF_LINES;
  if (hidden > 0) site.say(`… ${hidden} more lines: git diff HEAD shows all`, "dim");
}

function linesOf(output: string): string[] {
  return output === "" ? [] : output.trimEnd().split("\n");
}

function styleOfDiff(line: string): Style {
  if (/^(\+\+\+|---|diff|index|new file,) /.test(line)) return "bold";
  if (line.startsWith("+")) return "green";
  if (line.startsWith("-")) return "red";
  return line.startsWith("@@") ? "cyan" : "plain";
}

async function doctor(_: string, site: Site): Promise<void> {
  const checks = await runDoctor(site.world, {
    provider: site.desk.settings.task.provider,
    sessionDir: site.desk.settings.sessionDir,
  });
  for (const { ok, name, words } of checks) {
    const style = ok ? "plain" : "red";
    site.add(hanging(`${ok ? "✓" : "✗"} ${name}`, words, site.columns(), { style, indent: 15 }));
  }
}

/** Runs a slash command; what a person can mend is said, not thrown. */
export async function runSlash(
  called: { readonly command: SlashCommand; readonly argument: string },
  site: Site,
): Promise<void> {
  try {
    await called.command.run(called.argument, site);
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof Error && error.name === "FileError")) {
      throw error;
    }
    site.say(error.message, "red");
  }
}

/** The slash commands: a table, and what each does. */
import { UserError } from "../../errors.ts";
import { PROTOCOL_NAMES } from "../../protocol/mod.ts";
import { providerNames } from "../../provider/catalog.ts";
import { listSessions } from "../../session/find.ts";
import { planFold } from "../../session/plan_fold.ts";
import { readSession } from "../../session/verify.ts";
import { nearest } from "../args.ts";
import { absolute, type World } from "../command.ts";
import { runDoctor } from "../doctor.ts";
import { transcriptOf } from "../transcript.ts";
import { htmlOf } from "../transcript_html.ts";
import { markdownOf } from "../transcript_markdown.ts";
import type { Desk } from "./desk.ts";
import type { Row, Style } from "./layout.ts";
import { row } from "./layout.ts";
import { costOf, runWords, tokens } from "./status_line.ts";

/** What a slash command works with. */
export interface Site {
  readonly desk: Desk;
  readonly world: World;
  readonly signal: AbortSignal;
  say(text: string, style?: Style): void;
  add(rows: readonly Row[]): void;
  /** Runs a command line of the user's own; returns its exit code and output. */
  shell(command: string): Promise<{ readonly exit: number; readonly output: string }>;
  clear(): void;
  leave(): void;
}

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

function help(_: string, site: Site): void {
  const rows = SLASH_COMMANDS.map(({ name, usage, summary }) =>
    row(`  ${`/${name} ${usage}`.padEnd(28)} ${summary}`)
  );
  site.add([
    ...rows,
    row(
      "  !COMMAND                     run a command of your own; its output goes with your next message",
    ),
    row("  @PATH                        put a file's text into your message (Tab completes)"),
    row(
      "  Esc stops · Ctrl-C stops, twice leaves · Alt-Enter or \\ Enter: new line · Up: earlier messages",
      "dim",
    ),
    row("  What you type while it works is sent with its next step", "dim"),
  ]);
}

async function setting(flag: "model" | "protocol", value: string, site: Site): Promise<void> {
  const now = () => {
    const { provider, protocol } = site.desk.settings.task;
    return flag === "model" ? `${provider.name}/${provider.model}` : protocol;
  };
  if (value === "") return site.say(`The ${flag} is ${now()}: /${flag} NAME changes it`);
  await site.desk.change({ [flag]: value });
  site.say(`The ${flag} is ${now()} from here on`);
}

async function provider(value: string, site: Site): Promise<void> {
  if (value === "") {
    const { provider } = site.desk.settings.task;
    site.say(
      `The server is ${provider.name} (${provider.baseUrl}); there are ${
        providerNames().join(", ")
      }`,
    );
    return;
  }
  await site.desk.change({ provider: value });
  const { provider } = site.desk.settings.task;
  site.say(`The server is ${provider.name} with ${provider.model} from here on`);
}

async function permissions(argument: string, site: Site): Promise<void> {
  const words = argument.split(/\s+/).filter((word) => word !== "");
  const wrong = words.find((word) => !/^(-A|--(allow|deny)-[a-z]+(=.*)?)$/.test(word));
  if (wrong !== undefined) {
    return site.say(`"${wrong}" is no permission flag: --allow-run=make,git for example`, "red");
  }
  if (words.length > 0) await site.desk.change({}, words);
  const rules = site.desk.opened.task.gate.rules();
  const scope = (kind: "read" | "write") => {
    const { allow } = rules[kind];
    return allow.kind === "list"
      ? allow.items.join(", ") || "nothing"
      : allow.kind === "all"
      ? "everything"
      : "nothing";
  };
  site.add([
    row(`  reads   ${scope("read")}`),
    row(`  writes  ${scope("write")}`),
    row(`  run     ${runWords(rules)}`),
    row(`  net     ${rules.net ? "commands have a network" : "no network in the sandbox"}`),
  ]);
}

async function sandbox(mode: string, site: Site): Promise<void> {
  if (mode !== "") await site.desk.change({ sandbox: mode });
  site.say(`Around commands: ${site.desk.sandbox} (--sandbox ${site.desk.settings.sandboxMode})`);
}

async function diff(_: string, site: Site): Promise<void> {
  const { exit, output } = await site.shell("git --no-pager diff --no-color --no-ext-diff HEAD --");
  if (exit !== 0) return site.say("There is no git repository with a commit here", "yellow");
  if (output === "") return site.say("Nothing has changed since the last commit");
  const style = (line: string): Style => {
    if (/^(\+\+\+|---|diff|index) /.test(line)) return "bold";
    if (line.startsWith("+")) return "green";
    if (line.startsWith("-")) return "red";
    return line.startsWith("@@") ? "cyan" : "plain";
  };
  for (const line of output.trimEnd().split("\n")) site.say(line, style(line));
}

async function undo(_: string, site: Site): Promise<void> {
  const paths = await site.desk.undo((text) => site.say(text, "yellow"));
  if (paths.length === 0) return site.say("There is nothing to undo");
  site.say(`Put back: ${paths.join(", ")}`, "green");
}

function sessions(_: string, site: Site): void {
  const { sessionDir, task } = site.desk.settings;
  const found = listSessions(sessionDir, site.world.logFiles).sessions
    .filter(({ header }) => header.cwd === task.cwd).slice(0, 15);
  site.add(
    found.map(({ id, ended, title }) =>
      row(
        `  ${id}  ${ended.slice(0, 16).replace("T", " ")}  ${title}`,
        id === site.desk.opened.session.id ? "bold" : "plain",
      )
    ),
  );
  if (found.length === 0) site.say("There is no session of this folder yet");
}

async function resume(id: string, site: Site): Promise<void> {
  if (id === "") {
    return site.say(
      "Which one? /resume ID (the start of an ID is enough; /sessions lists them)",
      "yellow",
    );
  }
  await site.desk.switchTo({ kind: "named", id, repair: false });
  const { session } = site.desk.opened;
  site.say(`Goes on with ${session.id} (${session.turns().length} turns)`);
}

async function fork(_: string, site: Site): Promise<void> {
  const id = await site.desk.fork();
  site.say(`Goes on in the new session ${id}; the old one stays as it is`);
}

function compact(_: string, site: Site): void {
  const { session } = site.desk.opened;
  const before = session.contextTokens();
  const record = planFold(session, site.desk.settings.contextLimit, { force: true });
  if (!record) return site.say("There is nothing old to shorten");
  session.append(record);
  const saved = Math.max(0, before - session.contextTokens());
  site.say(
    `${record.calls.length} old results are shown to the model in short (about ${
      tokens(saved)
    } tokens less)`,
  );
}

function cost(_: string, site: Site): void {
  const { session } = site.desk.opened;
  const usage = session.usage();
  const { provider } = site.desk.settings.task;
  const price = costOf(usage, provider.price);
  const share = Math.round(100 * session.contextTokens() / site.desk.settings.contextLimit);
  site.add([
    row(
      `  input    ${tokens(usage.inputTokens)} tokens (${
        tokens(usage.cachedTokens ?? 0)
      } from the server's cache)`,
    ),
    row(`  output   ${tokens(usage.outputTokens)} tokens`),
    row(
      `  context  ${tokens(session.contextTokens())} of ${
        tokens(site.desk.settings.contextLimit)
      } (${share} %)`,
    ),
    row(`  price    ${price === null ? "not known for this model" : `$${price.toFixed(4)}`}`),
  ]);
}

async function exportSession(argument: string, site: Site): Promise<void> {
  const { session } = site.desk.opened;
  await session.sync();
  const { records } = readSession(session.path, site.world.logFiles);
  const name = argument || `${session.id}.md`;
  const path = absolute(name, site.desk.settings.task);
  const text = name.endsWith(".html")
    ? htmlOf(transcriptOf(records))
    : name.endsWith(".json")
    ? `${JSON.stringify({ records }, null, 2)}\n`
    : markdownOf(transcriptOf(records));
  await site.world.files.createSynced(path, new TextEncoder().encode(text), 0o600);
  site.say(`Written to "${path}"`);
}

async function clear(_: string, site: Site): Promise<void> {
  await site.desk.switchTo({ kind: "new" });
  site.clear();
  site.say(`A new session: ${site.desk.opened.session.id}`, "dim");
}

async function doctor(_: string, site: Site): Promise<void> {
  const checks = await runDoctor(site.world, {
    provider: site.desk.settings.task.provider,
    sessionDir: site.desk.settings.sessionDir,
  });
  site.add(
    checks.map(({ ok, name, words }) =>
      row(`  ${ok ? "✓" : "✗"} ${name.padEnd(10)} ${words}`, ok ? "plain" : "red")
    ),
  );
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

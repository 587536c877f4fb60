/**
 * Writes `docs/cli.md` and `docs/cst-agent.1` (the man page) from what every command says of itself.
 *
 * Usage: deno run -A scripts/write_cli_docs.ts [--check]     --check writes nothing; exit 1 when a page is out of step
 *
 * A command's description is an exported `…_SPEC` anywhere in `src/cli/`; a new one needs no entry here.
 */
import type { CommandSpec, OptionSpec } from "../src/cli/args.ts";
import { VERSION } from "../src/cli/version.ts";

const root = new URL("../", import.meta.url);
/** These come first, in this order; then the others by name. */
const FIRST = ["run", "chat", "sessions"];

/** Every command's description that `src/cli/` exports. */
export async function collectSpecs(): Promise<readonly CommandSpec[]> {
  const specs: CommandSpec[] = [];
  for (const file of listSources(new URL("src/cli/", root))) {
    const exported: Record<string, unknown> = await import(file.href);
    for (const [name, value] of Object.entries(exported)) {
      if (name.endsWith("_SPEC")) specs.push(value as CommandSpec);
    }
  }
  const rank = ({ name }: CommandSpec) => (FIRST.indexOf(name) + 1) || FIRST.length + 1;
  return specs.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function listSources(folder: URL): URL[] {
  return Array.from(Deno.readDirSync(folder)).flatMap(({ name, isDirectory }) =>
    isDirectory
      ? listSources(new URL(`${name}/`, folder))
      : name.endsWith(".ts")
      ? [new URL(name, folder)]
      : []
  );
}

/** `--allow-run[=NAMES]`, `-p, --prompt TEXT`. */
function spell({ name, short, value, optionalValue }: OptionSpec): string {
  const form = value === undefined ? "" : optionalValue ? `[=${value}]` : ` ${value}`;
  return `${short === undefined ? "" : `-${short}, `}--${name}${form}`;
}

/** The page of all commands. */
export function writeMarkdown(specs: readonly CommandSpec[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  const parts = specs.map((spec) => {
    const rows = spec.options.map((option) => `| \`${spell(option)}\` | ${cell(option.help)} |`);
    const table = rows.length === 0 ? [] : ["| option | |", "|---|---|", ...rows, ""];
    return [
      `## ${spec.name}`,
      "",
      ...spec.summary.split("\n").map((line) => `${line}`),
      "",
      "```text",
      `cst-agent ${spec.usage}`,
      "```",
      "",
      ...table,
      `Example: \`${spec.example}\``,
      "",
    ].join("\n");
  });
  const list = specs.map(({ name }) => `[${name}](#${name.replaceAll(" ", "-")})`).join(" · ");
  return `# Commands

Written by \`scripts/write_cli_docs.ts\` from what \`--help\` of each command says; a test keeps it in step.

${list}

${parts.join("\n")}`;
}

/** Text as troff takes it: no backslash, dash or leading dot is read as a request. */
function troff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^([.'])/gm, "\\&$1");
}

/** The man page. */
export function writeManPage(specs: readonly CommandSpec[]): string {
  const commands = specs.flatMap((spec) => [
    `.SS ${troff(spec.name)}`,
    `.B cst\\-agent ${troff(spec.usage)}`,
    ".PP",
    troff(spec.summary),
    ...spec.options.flatMap((option) => [
      ".TP",
      `.B ${troff(spell(option))}`,
      troff(option.help),
    ]),
    ".PP",
    "Example:",
    ".PP",
    ".nf",
    `    ${troff(spec.example)}`,
    ".fi",
  ]);
  return `${
    [
      `.TH CST\\-AGENT 1 "" "cst\\-agent ${VERSION}" "User Commands"`,
      ".SH NAME",
      "cst\\-agent \\- a coding agent for the terminal",
      ".SH SYNOPSIS",
      ".B cst\\-agent",
      "[run] PROMPT [options]",
      ".br",
      ".B cst\\-agent",
      "COMMAND [options]",
      ".SH DESCRIPTION",
      "A language model is asked to do a task in the working directory; the tool calls that it writes are run, each",
      "as soon as its bytes are confirmed and never twice. The final answer goes to standard output, all else to",
      "standard error.",
      ".SH COMMANDS",
      ...commands,
      ".SH EXIT STATUS",
      ...EXITS.flatMap(([code, meaning]) => [".TP", `.B ${code}`, troff(meaning)]),
      ".SH FILES",
      ".TP",
      ".I $XDG_STATE_HOME/cst\\-agent/sessions/",
      "Sessions, one file each.",
      ".TP",
      ".I $XDG_CONFIG_HOME/cst\\-agent/config.json",
      "Your configuration.",
      ".TP",
      ".I cst\\-agent.json",
      "A project's configuration; it can narrow permissions only.",
    ].join("\n")
  }\n`;
}

const EXITS: readonly (readonly [string, string])[] = [
  ["0", "Done; the final answer is there."],
  ["1", "The agent failed: violations in a row, empty replies."],
  ["2", "Wrong usage."],
  ["3", "A configuration, a key or a session is missing or wrong."],
  ["4", "The model server failed."],
  ["5", "The limit of steps was reached."],
  ["6", "A permission was refused and the task ended there."],
  ["75", "The server says to try later."],
  ["124", "The time limit was reached."],
  ["126", "check-command: the line may not run."],
  ["130, 143", "Stopped by SIGINT or SIGTERM."],
];

/** Both pages as they should be, by their paths in the project. */
export async function writePages(): Promise<ReadonlyMap<string, string>> {
  const specs = await collectSpecs();
  return new Map([
    ["docs/cli.md", writeMarkdown(specs)],
    ["docs/cst-agent.1", writeManPage(specs)],
  ]);
}

if (import.meta.main) {
  const check = Deno.args.includes("--check");
  let stale = 0;
  for (const [path, text] of await writePages()) {
    const place = new URL(path, root);
    const now = await Deno.readTextFile(place).catch(() => "");
    if (now === text) continue;
    stale++;
    if (check) console.error(`${path} is out of step: deno task cli-docs`);
    else await Deno.writeTextFile(place, text);
  }
  Deno.exit(check && stale > 0 ? 1 : 0);
}

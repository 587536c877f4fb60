/**
 * May this command line run? Every program that it would start must be on the list, every file that it opens by itself
 * must be allowed, and nothing in it may be doubtful (SPEC 8).
 */
import { normalPath } from "../text/path.ts";
import { namesStarted } from "./concerns_builds.ts";
import { deniedWord, foldersOf, type Places } from "./denied_words.ts";
import { escapeForDisplay } from "./display.ts";
import { judgePath } from "./judge_path.ts";
import { admission, baseName, denial } from "./match.ts";
import { machineFolder, type ResolvedPath } from "./paths.ts";
import type { Decision, Facts, Finding, Grant } from "./decision.ts";
import { printShell, quote } from "./print_shell.ts";
import type { Scope } from "./flags.ts";
import type { Rules, RunRule } from "./rules.ts";
import type { Call, CommandLine, Opening, Word } from "./shell_syntax.ts";

/** What a command line is judged by. */
export interface CommandContext {
  readonly facts: Facts;
  readonly paths: ReadonlyMap<string, ResolvedPath>;
}

/** A finding with what would change it. */
interface Judged extends Finding {
  readonly rule: string | null;
  /** The program's name that a flag or a grant would have to add. */
  readonly missing?: string;
  /** The flag that would allow a redirection; null where none would. */
  readonly flag?: string | null;
  /** The word that is printed as the path of its program. */
  readonly path?: { readonly word: Word; readonly text: string };
}

/**
 * The paths of `line` whose links must be followed before it can be judged; absolute.
 *
 * Empty for a line without redirections to files.
 */
export function pathsToResolve(line: CommandLine, cwd: string): readonly string[] {
  return line.openings.map((opening) => normalPath(opening.path, cwd));
}

/** Allow, ask or deny for one command line. */
export function judgeCommand(
  line: CommandLine,
  rules: Rules,
  context: CommandContext,
): Decision {
  const free = rules.run.allow.kind === "all" && rules.run.deny.kind === "absent";
  const places: Places = { facts: context.facts, folders: foldersOf(line, context.facts.cwd) };
  const judged = [
    ...line.calls.map((call) => judgeCall(call, rules, places)),
    ...line.spared.flatMap((call) => deniedSpared(call, rules, places)),
    ...line.openings.map((opening) => judgeOpening(opening, rules, context)),
  ];
  const denied = judged.find((one) => one.verdict === "deny");
  if (denied) return refusal("deny", judged, denied);
  if (free) return allowed(judged, { rule: rules.all ? "-A" : "--allow-run", printed: null });
  const asked = judged.find((one) => one.verdict === "ask" && one.missing !== undefined) ??
    doubts(line)[0] ?? judged.find((one) => one.verdict === "ask");
  if (asked) return refusal("ask", [...judged, ...doubts(line)], asked);
  return allowed(judged, {
    rule: [...new Set(judged.map((one) => one.rule).filter((rule) => rule !== null))].join(" "),
    printed: printChecked(line, judged),
  });
}

function doubts(line: CommandLine): Judged[] {
  return line.doubts.map((why) => ({
    name: escapeForDisplay(line.text),
    verdict: "ask",
    why,
    rule: null,
  }));
}

function judgeCall(call: Call, rules: Rules, { facts, folders }: Places): Judged {
  const name = nameOf(call);
  const deny = deniedCall(call, rules, { facts, folders });
  if (deny) return { name, ...deny };
  const allow = rules.run.allow;
  const hidden = call.concern !== null &&
    (allow.kind !== "all" || call.concern.kind === "opaque" && rules.run.deny.kind !== "absent");
  if (allow.kind === "all") {
    return hidden
      ? { name, verdict: "ask", why: call.concern!.why, rule: null }
      : { name, verdict: "allow", why: "--allow-run allows all", rule: "--allow-run" };
  }
  const admitted = admission(call, allow.kind === "list" ? allow.items : [], facts);
  if (!admitted) return { name, verdict: "ask", ...notListed(call, allow, facts) };
  const rule = `--allow-run=${admitted.rule.text}`;
  if (hidden && !namesScript(call, admitted.rule)) {
    return { name, verdict: "ask", why: call.concern!.why, rule };
  }
  const path = admitted.path === null
    ? {}
    : { path: { word: call.words[0]!, text: admitted.path } };
  const found = admitted.path === null ? "a builtin of the shell" : admitted.path;
  return { name, verdict: "allow", why: `${rule} allows it (${found})`, rule, ...path };
}

/** What the line printed anew doesn't start needs no rule; a deny rule speaks of it all the same. */
function deniedSpared(call: Call, rules: Rules, places: Places): Judged[] {
  const deny = deniedCall(call, rules, places);
  return deny ? [{ name: nameOf(call), ...deny }] : [];
}

function nameOf(call: Call): string {
  const name = call.texts[0];
  const shown = name === null || name === undefined ? "(not literal)" : escapeForDisplay(name);
  return call.via === null ? shown : `${shown} (started by ${call.via})`;
}

/** A rule such as `bash test.sh` or `uv run pytest` was written for what is started there and trusts it. */
function namesScript(call: Call, rule: RunRule): boolean {
  const [script] = rule.subcommand;
  return namesStarted(baseName(call.texts[0] ?? ""), rule.subcommand) ||
    script !== undefined && !script.startsWith("-") &&
      ["bash", "sh", "dash", "zsh", "ksh"].includes(baseName(call.texts[0] ?? ""));
}

function notListed(
  call: Call,
  allow: Scope<RunRule>,
  facts: Facts,
): Pick<Judged, "why" | "rule" | "missing" | "flag"> {
  const name = call.texts[0];
  if (name === null || name === undefined) return { why: "its name is not literal", rule: null };
  const absent = allow.kind === "list" && !facts.programs.has(name) &&
    allow.items.some(({ program }) => program === name);
  if (absent) {
    return { why: "--allow-run names it, but there is no such program", rule: null, flag: null };
  }
  const why = allow.kind === "list"
    ? "it is not on the list of --allow-run"
    : "running programs needs --allow-run";
  if (name.includes("/") && !name.startsWith("/")) {
    return { why: `${why}, and a relative path never is`, rule: null };
  }
  return { why, rule: null, missing: name };
}

/** The finding when a deny rule speaks of the call or of a path among its words. */
function deniedCall(call: Call, rules: Rules, places: Places): Omit<Judged, "name"> | null {
  const { facts } = places;
  const deny = rules.run.deny;
  if (deny.kind === "all") {
    return { verdict: "deny", why: "--deny-run denies all", rule: "--deny-run" };
  }
  let uncertain: Omit<Judged, "name"> | null = null;
  for (const rule of deny.kind === "list" ? deny.items : []) {
    const flag = `--deny-run=${rule.text}`;
    const answer = denial(call, rule, facts);
    if (answer === "yes") return { verdict: "deny", why: `${flag} denies it`, rule: flag };
    if (answer === "maybe") {
      uncertain = { verdict: "ask", why: `${flag} may speak of it`, rule: flag };
    }
  }
  return deniedWord(call, rules, places) ?? uncertain;
}

function judgeOpening(opening: Opening, rules: Rules, context: CommandContext): Judged {
  const name = `${opening.kind === "write" ? ">" : "<"} ${escapeForDisplay(opening.path)}`;
  const { facts, paths } = context;
  const path = paths.get(normalPath(opening.path, facts.cwd));
  const uncertain = (why: string): Judged => ({ name, verdict: "ask", why, rule: null });
  if (!path) return uncertain("where its links lead was not looked up");
  const decision = judgePath(opening.kind, path, { rules, facts, redirection: true });
  const device = machineFolder(path.real) !== null;
  if (decision.kind === "deny" && device) return uncertain(decision.findings[0]!.why);
  if (decision.kind === "deny") {
    return { name, verdict: "deny", why: decision.findings[0]!.why, rule: decision.rule };
  }
  if (opening.moved) return uncertain("the line changes the folder before it opens this");
  if (/(^|\/)(?!\.\.?\/)[^/]+\/+\.\.(\/|$)/.test(opening.path)) {
    return uncertain("its `..` may lead elsewhere through a link");
  }
  return decision.kind === "allow"
    ? { name, verdict: "allow", why: decision.findings[0]!.why, rule: decision.rule }
    : { ...uncertain(decision.findings[0]!.why), flag: decision.flag };
}

/** The line printed anew, each program's name as the path it was found at. */
function printChecked(line: CommandLine, judged: readonly Judged[]): string {
  const paths = new Map(judged.flatMap((one) => one.path ? [[one.path.word, one.path.text]] : []));
  const substitute = (word: Word): string | null => {
    const path = paths.get(word);
    if (path !== undefined) return quote(path);
    const script = line.inner.get(word);
    return script === undefined ? null : quote(printShell(script, substitute));
  };
  return printShell(line.script, substitute);
}

function allowed(
  judged: readonly Judged[],
  options: { readonly rule: string; readonly printed: string | null },
): Decision {
  return {
    kind: "allow",
    rule: options.rule,
    message: options.rule === ""
      ? "May run: it starts nothing"
      : `May run: ${options.rule} allows it`,
    findings: judged.map(toFinding),
    printed: options.printed,
  };
}

function refusal(kind: "ask" | "deny", judged: readonly Judged[], first: Judged): Decision {
  const flag = kind === "deny" ? null : flagFor(judged, first);
  return {
    kind,
    rule: first.rule,
    message: `Cannot run "${first.name}": ${first.why}`,
    findings: judged.map(toFinding),
    flag,
    grant: kind === "deny" ? null : grantFor(judged),
  };
}

function toFinding({ name, verdict, why }: Judged): Finding {
  return { name, verdict, why };
}

/** The smallest flag that would allow all that was asked, or the one for everything. */
function flagFor(judged: readonly Judged[], first: Judged): string | null {
  const asked = judged.filter((one) => one.verdict === "ask");
  if (asked.every((one) => one.missing !== undefined)) {
    const names = new Set(asked.map((one) => one.missing!.replaceAll(",", ",,")));
    return `--allow-run=${escapeForDisplay([...names].join(","))}`;
  }
  if (asked.every((one) => one.flag !== undefined)) return first.flag ?? null;
  return "--allow-run";
}

/** "Always for this program" is offered only where the programs' names are all that is missing. */
function grantFor(judged: readonly Judged[]): Grant | null {
  const asked = judged.filter((one) => one.verdict === "ask");
  if (!asked.every((one) => one.missing !== undefined)) return null;
  const names = [...new Set(asked.map((one) => one.missing!))];
  return {
    kind: "run",
    rules: names.map((name) => ({ text: name, program: name, subcommand: [] })),
  };
}

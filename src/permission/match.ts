/** Does a run rule speak of a call? Names are compared whole and by the file they were found to be at start (SPEC 8). */
import type { Facts } from "./decision.ts";
import type { RunRule } from "./rules.ts";
import type { Call } from "./shell_syntax.ts";

/** What bash carries out by itself when a name without a slash is one of these (5.2). */
const BUILTINS: ReadonlySet<string> = new Set(
  (". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown " +
    "echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile " +
    "popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true " +
    "type typeset ulimit umask unalias unset wait").split(" "),
);

/** True when bash itself would carry out the call: a builtin's name, not behind a program such as `env`. */
function isBuiltin(call: Call): boolean {
  const name = call.texts[0];
  return typeof name === "string" && BUILTINS.has(name) && call.via === null;
}

/** How an allow rule admits a call: `path` is what to run for the name, null to leave the name as it is. */
export interface Admission {
  readonly rule: RunRule;
  readonly path: string | null;
}

/** The admission of `call` by the first of `rules` that speaks of it, or null. */
export function admission(
  call: Call,
  rules: readonly RunRule[],
  facts: Facts,
): Admission | null {
  const name = call.texts[0];
  if (typeof name !== "string") return null;
  for (const rule of rules) {
    if (!rule.subcommand.every((word, index) => call.texts[index + 1] === word)) continue;
    if (isBuiltin(call)) {
      if (rule.program === name) return { rule, path: null };
      continue;
    }
    const path = pathAdmitted(name, rule, facts);
    if (path !== null) return { rule, path };
  }
  return null;
}

/** The path under which `rule` lets `name` run: a bare name or an absolute path, never a relative one. */
function pathAdmitted(name: string, rule: RunRule, facts: Facts): string | null {
  const allowed = facts.programs.get(rule.program);
  if (!allowed) return null;
  if (name.startsWith("/")) {
    return name === allowed.path || name === allowed.real ? name : null;
  }
  if (name.includes("/")) return null;
  if (name === rule.program) return allowed.path;
  const found = facts.programs.get(name);
  return rule.program.startsWith("/") && found?.real === allowed.real ? found.path : null;
}

/** Whether a deny rule speaks of a call; `maybe` where a word that decides isn't certain. */
export type Denial = "yes" | "maybe" | "no";

/** Whether `rule` denies `call`, by name, by path, or by what a wrapper that can't be read was given. */
export function denial(call: Call, rule: RunRule, facts: Facts): Denial {
  const name = call.texts[0];
  if (typeof name !== "string") return "maybe";
  if (isSameProgram(name, rule, facts)) return denialOfSubcommand(call.texts, rule);
  if (handsOver(call, rule, facts)) return "maybe";
  if (call.concern?.kind !== "opaque") return "no";
  const named = call.texts.slice(1).some((text) =>
    text === null || isSameProgram(text, rule, facts)
  );
  if (!named) return "no";
  return rule.subcommand.length === 0 && !call.texts.includes(null) ? "yes" : "maybe";
}

/** The denied words stand together among the words of another program, which may be a wrapper. */
function handsOver({ texts }: Call, rule: RunRule, facts: Facts): boolean {
  return rule.subcommand.length > 0 &&
    texts.some((text, at) =>
      at > 0 && text !== null && isSameProgram(text, rule, facts) &&
      rule.subcommand.every((word, index) => texts[at + 1 + index] === word)
    );
}

function isSameProgram(name: string, rule: RunRule, facts: Facts): boolean {
  const fold = (text: string) => facts.foldCase ? text.toLowerCase() : text;
  const denied = facts.programs.get(rule.program);
  if (denied && (name === denied.path || name === denied.real)) return true;
  return fold(baseName(name)) === fold(baseName(rule.program));
}

/** The last component of `path`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The words of a subcommand may stand behind options, and an option may take the word after it: every place that can
 * be reached so counts.
 */
function denialOfSubcommand(texts: readonly (string | null)[], rule: RunRule): Denial {
  if (rule.subcommand.length === 0) return "yes";
  let denial: Denial = "no";
  const places = new Set([1]);
  for (const place of places) {
    const here = rule.subcommand.map((_, index) => texts[place + index]);
    if (here.every((text, index) => text === rule.subcommand[index])) return "yes";
    if (here.some((text) => text === null)) denial = "maybe";
    if (texts[place]?.startsWith("-")) {
      places.add(place + 1);
      if (place + 2 < texts.length) places.add(place + 2);
    }
  }
  return denial;
}

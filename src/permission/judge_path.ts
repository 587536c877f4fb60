/** May this path be read or written? Deny beats ask beats allow; what is protected stays so whatever the rules (SPEC 8). */
import { escapeForDisplay } from "./display.ts";
import {
  contains,
  isHarmlessDevice,
  machineFolder,
  protectedName,
  type ResolvedPath,
  sensitiveName,
} from "./paths.ts";
import type { Decision, Facts } from "./decision.ts";
import type { Scope } from "./flags.ts";
import type { Rules } from "./rules.ts";

/** What a path is judged by. */
export interface PathContext {
  readonly rules: Rules;
  readonly facts: Facts;
  /** The path is opened by a command line itself, not by a tool. */
  readonly redirection?: boolean;
}

/** A verdict before it is put into words: by which rule, and the sentence after `Cannot write "x": `. */
interface Verdict {
  readonly kind: "allow" | "ask" | "deny";
  readonly rule: string | null;
  readonly why: string;
  /** No flag or grant would allow it. */
  readonly final?: boolean;
}

/** Allow, ask or deny for one resolved path. */
export function judgePath(
  kind: "read" | "write",
  path: ResolvedPath,
  context: PathContext,
): Decision {
  const verdict = firstOf(kind, path, context);
  const shown = escapeForDisplay(path.path);
  if (verdict.kind === "allow") {
    return {
      kind: "allow",
      rule: verdict.rule ?? "",
      message: `May ${kind} "${shown}": ${verdict.why}`,
      findings: [{ name: shown, verdict: "allow", why: verdict.why }],
      printed: null,
    };
  }
  const flag = verdict.final ? null : `--allow-${kind}=${escapeForDisplay(path.real)}`;
  return {
    kind: verdict.kind,
    rule: verdict.rule,
    message: `Cannot ${kind} "${shown}": ${verdict.why}`,
    findings: [{ name: shown, verdict: verdict.kind, why: verdict.why }],
    flag,
    grant: verdict.final || verdict.kind === "deny" ? null : { kind, path: path.real },
  };
}

function firstOf(kind: "read" | "write", path: ResolvedPath, context: PathContext): Verdict {
  if (path.path.includes("\0")) return final("deny", "a path can't hold a NUL character");
  return deniedByRule(kind, path, context) ??
    (kind === "write" ? protectedFromWriting(path, context) : guardedFromReading(path, context)) ??
    byAllowList(kind, path, context);
}

function final(kind: "ask" | "deny", why: string, rule: string | null = null): Verdict {
  return { kind, rule, why, final: true };
}

function deniedByRule(
  kind: "read" | "write",
  path: ResolvedPath,
  { rules, facts }: PathContext,
): Verdict | null {
  const deny = rules[kind].deny;
  if (deny.kind === "all") return final("deny", `--deny-${kind} denies all`, `--deny-${kind}`);
  const item = coveringItem(deny, [path.path, path.real], facts);
  if (item !== null) {
    const rule = `--deny-${kind}=${escapeForDisplay(item)}`;
    return final("deny", `${rule} denies it`, rule);
  }
  if (deny.kind === "list" && path.links > 1) {
    return final("ask", "it has several names, and one of them may be denied");
  }
  return null;
}

/** What no rule opens for writing, and what only a rule that names it does. */
function protectedFromWriting(path: ResolvedPath, context: PathContext): Verdict | null {
  const { facts } = context;
  const name = protectedName(path.path) ?? protectedName(path.real);
  if (name !== null) return final("deny", `"${name}" is never written by tools`);
  if (facts.ownPaths.some((own) => contains(own, path.real, facts.foldCase))) {
    return final("deny", "the agent's own files are never written by tools");
  }
  const machine = machineFolder(path.path) ?? machineFolder(path.real);
  if (machine !== null) return final("deny", `"${machine}" is never written by tools`);
  if (namedByRule(path, context)) return null;
  const sensitive = sensitiveName(path.path) ?? sensitiveName(path.real);
  if (sensitive !== null && !context.rules.all) {
    return ask(`other programs run what stands in "${sensitive}"`);
  }
  if (isProgram(path, facts)) return ask("it is a program that commands may run");
  if (path.links > 1 && !context.rules.all) {
    return ask(`it has ${path.links} names, and some may lie elsewhere`);
  }
  return null;
}

function ask(why: string): Verdict {
  return { kind: "ask", rule: null, why };
}

/** A rule whose own path is this file, or holds the sensitive name, was meant for it. */
function namedByRule(path: ResolvedPath, { rules, facts }: PathContext): boolean {
  return rules.write.named.some((item) => {
    const real = facts.realPaths.get(item) ?? item;
    return real === path.real || (sensitiveName(real) !== null &&
      contains(real, path.real, facts.foldCase));
  });
}

function isProgram(path: ResolvedPath, facts: Facts): boolean {
  for (const program of facts.programs.values()) {
    if (program.real === path.real || program.path === path.path) return true;
  }
  return false;
}

function guardedFromReading(path: ResolvedPath, { rules }: PathContext): Verdict | null {
  if (rules.all) return null;
  const machine = machineFolder(path.path) ?? machineFolder(path.real);
  if (machine === null) return null;
  return final("ask", `"${machine}" shows the insides of processes and devices`);
}

function byAllowList(
  kind: "read" | "write",
  path: ResolvedPath,
  { rules, facts, redirection }: PathContext,
): Verdict {
  if (isHarmlessDevice(path.real)) {
    return { kind: "allow", rule: null, why: "it holds nothing" };
  }
  const allow = redirection ? rules[kind].redirections : rules[kind].allow;
  if (allow.kind === "all") {
    const rule = rules.all ? "-A" : `--allow-${kind}`;
    return { kind: "allow", rule, why: `${rule} allows all` };
  }
  const item = coveringItem(allow, [path.real], facts);
  if (item !== null) {
    const rule = `--allow-${kind}=${escapeForDisplay(item)}`;
    return { kind: "allow", rule, why: `it lies in "${escapeForDisplay(item)}"` };
  }
  const elsewhere = path.real === path.path
    ? "it"
    : `it leads to "${escapeForDisplay(path.real)}", which`;
  return ask(`${elsewhere} is not in the folders allowed to ${kind}`);
}

/** The item of `scope` that one of `paths` lies in, links followed or not. */
function coveringItem(
  scope: Scope<string>,
  paths: readonly string[],
  facts: Facts,
): string | null {
  if (scope.kind !== "list") return null;
  return scope.items.find((item) => {
    const real = facts.realPaths.get(item) ?? item;
    return paths.some((path) =>
      contains(real, path, facts.foldCase) ||
      (paths.length > 1 && contains(item, path, facts.foldCase))
    );
  }) ?? null;
}

/** What the rules say about one access: allow, ask or deny, by which rule, and in a sentence why (SPEC 8). */
import { judgeCommand } from "./judge_command.ts";
import { judgePath } from "./judge_path.ts";
import type { Decision, Facts, Grant, PolicyAccess, Program } from "./decision.ts";
import type { Scope } from "./flags.ts";
import type { PathRules, Rules } from "./rules.ts";

export type { Decision, Facts, Finding, Grant, PolicyAccess, Program } from "./decision.ts";

/** How the shell for what a {@linkcode Decision} calls `printed` is started: nothing is read before the text, its last argument. */
export const SHELL_OPTIONS = ["--noprofile", "--norc", "-c"] as const;

/** A set of rules that answers. Values never change: a grant makes a new policy. */
export interface Policy {
  readonly rules: Rules;
  /** The pinned shell, as found at start, up to the text; its environment must be rid of what changes a shell (`tools/child_env.ts`, `scoped`). */
  readonly shell: readonly [string, ...string[]];
  decide(access: PolicyAccess): Decision;
  /** The policy with what the user granted for this session. `found` holds the programs of a run grant, looked up when it was given. */
  withGrant(grant: Grant, found: ReadonlyMap<string, Program>): Policy;
}

/**
 * A policy of `rules` on the machine that `facts` describe.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readPermissionFlags } from "./flags.ts";
 * import { createRules } from "./rules.ts";
 * const rules = createRules(readPermissionFlags(["--allow-write=/w/out"]).flags, "/w");
 * const policy = createPolicy(rules, {
 *   cwd: "/w",
 *   home: "/home/u",
 *   programs: new Map(),
 *   realPaths: new Map(),
 *   ownPaths: [],
 *   foldCase: false,
 * });
 * const write = (path: string) =>
 *   policy.decide({ kind: "write", path: { path, real: path, links: 1 } }).kind;
 * assertEquals(write("/w/out/a"), "allow");
 * assertEquals(write("/w/a"), "ask");
 * assertEquals(write("/w/out/.git/config"), "deny");
 * ```
 */
export function createPolicy(rules: Rules, facts: Facts): Policy {
  return {
    rules,
    shell: [facts.programs.get("bash")?.path ?? "/bin/bash", ...SHELL_OPTIONS],
    decide(access) {
      return access.kind === "run"
        ? judgeCommand(access.line, rules, { facts, paths: access.paths })
        : judgePath(access.kind, access.path, { rules, facts });
    },
    withGrant(grant, found) {
      const programs = new Map([...facts.programs, ...found]);
      return createPolicy(addGrant(rules, grant), { ...facts, programs });
    },
  };
}

function addGrant(rules: Rules, grant: Grant): Rules {
  switch (grant.kind) {
    case "run":
      return { ...rules, run: { ...rules.run, allow: add(rules.run.allow, grant.rules) } };
    case "read":
      return { ...rules, read: addPath(rules.read, grant.path) };
    case "write":
      return { ...rules, write: addPath(rules.write, grant.path) };
  }
}

function addPath(rules: PathRules, path: string): PathRules {
  return {
    ...rules,
    allow: add(rules.allow, [path]),
    redirections: add(rules.redirections, [path]),
    named: [...rules.named, path],
  };
}

function add<T>(scope: Scope<T>, items: readonly T[]): Scope<T> {
  switch (scope.kind) {
    case "all":
      return scope;
    case "absent":
      return { kind: "list", items };
    case "list":
      return { kind: "list", items: [...scope.items, ...items] };
  }
}

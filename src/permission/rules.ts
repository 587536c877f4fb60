/**
 * What permission flags mean in one working directory (SPEC 8): deny beats ask beats allow, whatever the order.
 */
import { normalPath } from "../text/path.ts";
import { ALL, itemsOf, joinScopes, mapScope, type PermissionFlags, type Scope } from "./flags.ts";
import { contains } from "./paths.ts";

/** A program that a run flag names, by name or absolute path, perhaps with the words that must follow it. */
export interface RunRule {
  /** As written in the flag. */
  readonly text: string;
  readonly program: string;
  readonly subcommand: readonly string[];
}

/** The rules for one kind of access to paths; items are absolute. */
export interface PathRules {
  readonly allow: Scope<string>;
  readonly deny: Scope<string>;
  /** The same for what a command line opens by itself: the default write permission is for tools and isn't in it. */
  readonly redirections: Scope<string>;
  /** The paths that the user named, not a project's file: what is sensitive in them was meant. */
  readonly named: readonly string[];
}

/** The rules for running. */
export interface RunRules {
  readonly allow: Scope<RunRule>;
  readonly deny: Scope<RunRule>;
}

/** What the flags mean in one working directory. */
export interface Rules {
  readonly read: PathRules;
  readonly write: PathRules;
  readonly run: RunRules;
  readonly net: boolean;
  /** `-A` was given. */
  readonly all: boolean;
}

/**
 * What `flags` mean in `cwd` (absolute, links resolved): without a flag, read and write in it, and every run asks.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readPermissionFlags } from "./flags.ts";
 * const { flags } = readPermissionFlags(["--allow-write=out", "--allow-run=git log"]);
 * const rules = createRules(flags, "/w");
 * assertEquals(rules.read.allow, { kind: "list", items: ["/w"] });
 * assertEquals(rules.write.allow, { kind: "list", items: ["/w/out"] });
 * assertEquals(rules.run.allow, {
 *   kind: "list",
 *   items: [{ text: "git log", program: "git", subcommand: ["log"] }],
 * });
 * ```
 */
export function createRules(flags: PermissionFlags, cwd: string): Rules {
  return {
    read: pathRules(flags, "Read", cwd),
    write: pathRules(flags, "Write", cwd),
    run: {
      allow: mapScope(flags.allowAll ? ALL : flags.allowRun, runRule),
      deny: mapScope(flags.denyRun, runRule),
    },
    net: flags.allowAll || flags.allowNet,
    all: flags.allowAll,
  };
}

function pathRules(flags: PermissionFlags, kind: "Read" | "Write", cwd: string): PathRules {
  const given = pathScope(flags.allowAll ? ALL : flags[`allow${kind}`], cwd);
  const allow = given.kind === "absent" ? { kind: "list", items: [cwd] } as const : given;
  return {
    allow,
    deny: pathScope(flags[`deny${kind}`], cwd),
    redirections: kind === "Read" ? allow : given,
    named: itemsOf(allow),
  };
}

function pathScope(scope: Scope<string>, cwd: string): Scope<string> {
  return mapScope(scope, (path) => normalPath(path, cwd));
}

function runRule(text: string): RunRule {
  const [program = "", ...subcommand] = text.split(/\s+/);
  return { text, program, subcommand };
}

/**
 * `rules` made narrower by a project's own rules (SPEC 10): what both allow is allowed, what either denies is denied.
 *
 * A list or flag that the project doesn't mention changes nothing; nothing in `project` ever adds a permission. Paths
 * are compared by name: follow their links first, since a link inside an allowed folder may lead out of it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readPermissionFlags } from "./flags.ts";
 * const user = createRules(readPermissionFlags(["--allow-run=git,make"]).flags, "/w");
 * const project = readPermissionFlags(["--allow-run=git log,rm"]).flags;
 * assertEquals(narrow(user, project, "/w").run.allow, {
 *   kind: "list",
 *   items: [{ text: "git log", program: "git", subcommand: ["log"] }],
 * });
 * ```
 */
export function narrow(rules: Rules, project: PermissionFlags, cwd: string): Rules {
  const allowRun = mapScope(project.allowRun, runRule);
  const narrowed = [project.allowRead, project.allowWrite, project.allowRun]
    .some((scope) => scope.kind !== "absent");
  return {
    read: narrowPaths(rules.read, pathScope(project.allowRead, cwd), {
      deny: pathScope(project.denyRead, cwd),
    }),
    write: narrowPaths(rules.write, pathScope(project.allowWrite, cwd), {
      deny: pathScope(project.denyWrite, cwd),
    }),
    run: {
      allow: common(rules.run.allow, allowRun, runsWithin),
      deny: joinScopes(rules.run.deny, mapScope(project.denyRun, runRule)),
    },
    net: rules.net,
    all: rules.all && !narrowed,
  };
}

function narrowPaths(
  rules: PathRules,
  allow: Scope<string>,
  options: { readonly deny: Scope<string> },
): PathRules {
  const within = (inner: string, outer: string) => contains(outer, inner, false);
  return {
    allow: common(rules.allow, allow, within),
    deny: joinScopes(rules.deny, options.deny),
    redirections: common(rules.redirections, allow, within),
    named: rules.named,
  };
}

/** What both scopes admit; an absent `other` takes nothing away. `within` says that all of `inner` is part of `outer`. */
function common<T>(
  one: Scope<T>,
  other: Scope<T>,
  within: (inner: T, outer: T) => boolean,
): Scope<T> {
  if (other.kind !== "list" || one.kind === "absent") return one;
  if (one.kind === "all") return other;
  const items = [
    ...one.items.filter((item) => other.items.some((outer) => within(item, outer))),
    ...other.items.filter((item) =>
      one.items.some((outer) => within(item, outer) && !within(outer, item))
    ),
  ];
  return { kind: "list", items };
}

function runsWithin(inner: RunRule, outer: RunRule): boolean {
  return inner.program === outer.program &&
    outer.subcommand.every((word, index) => inner.subcommand[index] === word);
}

/**
 * Permission flags and what they mean (SPEC 8): Deno's words.
 *
 *     --allow-read[=LIST] --allow-write[=LIST] --allow-run[=LIST] --allow-net
 *     --deny-read[=LIST]  --deny-write[=LIST]  --deny-run[=LIST]  -A, --allow-all
 *
 * A LIST is separated by commas; a doubled comma is a comma in a name. A bare flag means everything; an empty list
 * means nothing. A flag given several times adds up. Deny beats ask beats allow, whatever the order.
 */
import { UsageError } from "../errors.ts";
import { normalPath } from "../text/path.ts";
import { contains } from "./paths.ts";

/** What one flag says: absent, everything, or a list (which may be empty). */
export type Scope<T> =
  | { readonly kind: "absent" }
  | { readonly kind: "all" }
  | { readonly kind: "list"; readonly items: readonly T[] };

/** The permission flags as written. */
export interface PermissionFlags {
  readonly allowAll: boolean;
  readonly allowRead: Scope<string>;
  readonly allowWrite: Scope<string>;
  readonly allowRun: Scope<string>;
  readonly allowNet: boolean;
  readonly denyRead: Scope<string>;
  readonly denyWrite: Scope<string>;
  readonly denyRun: Scope<string>;
}

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

const ABSENT = { kind: "absent" } as const;
const ALL = { kind: "all" } as const;

/** No permission flag at all. */
export const NO_FLAGS: PermissionFlags = {
  allowAll: false,
  allowRead: ABSENT,
  allowWrite: ABSENT,
  allowRun: ABSENT,
  allowNet: false,
  denyRead: ABSENT,
  denyWrite: ABSENT,
  denyRun: ABSENT,
};

type ListFlag = "allowRead" | "allowWrite" | "allowRun" | "denyRead" | "denyWrite" | "denyRun";

const LIST_FLAGS: Readonly<Record<string, ListFlag>> = {
  "--allow-read": "allowRead",
  "--allow-write": "allowWrite",
  "--allow-run": "allowRun",
  "--deny-read": "denyRead",
  "--deny-write": "denyWrite",
  "--deny-run": "denyRun",
};

/**
 * The permission flags among `args`, and the arguments that are none, in order.
 *
 * Arguments from `--` on are left alone. Throws {@linkcode UsageError} for a value where none may stand.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const { flags, rest } = readPermissionFlags(["--allow-run=make,git log", "--json", "--allow-write="]);
 * assertEquals(flags.allowRun, { kind: "list", items: ["make", "git log"] });
 * assertEquals(flags.allowWrite, { kind: "list", items: [] });
 * assertEquals(rest, ["--json"]);
 * ```
 */
export function readPermissionFlags(
  args: readonly string[],
): { readonly flags: PermissionFlags; readonly rest: readonly string[] } {
  let flags = NO_FLAGS;
  const rest: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (arg === "--") {
      rest.push(...args.slice(index));
      break;
    }
    const next = takeFlag(flags, arg);
    if (next) flags = next;
    else rest.push(arg);
  }
  return { flags, rest };
}

/** `flags` with the flag `arg` added, or null where it's no permission flag. */
function takeFlag(flags: PermissionFlags, arg: string): PermissionFlags | null {
  const [name, value] = splitFlag(arg);
  if (name === "-A" || name === "--allow-all") {
    refuseValue(name, value);
    return { ...flags, allowAll: true };
  }
  if (name === "--allow-net") {
    refuseValue(name, value);
    return { ...flags, allowNet: true };
  }
  const key = LIST_FLAGS[name];
  if (!key) return null;
  const scope = value === undefined ? ALL : { kind: "list", items: splitList(value) } as const;
  return { ...flags, [key]: join(flags[key], scope) };
}

function splitFlag(arg: string): [string, string | undefined] {
  const at = arg.indexOf("=");
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function refuseValue(name: string, value: string | undefined): void {
  if (value === undefined) return;
  throw new UsageError(`Cannot take a value for "${name}": it is all or nothing`);
}

/**
 * The items of a comma-separated list; empty items are dropped, a doubled comma is a comma.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(splitList("a,,b,c,"), ["a,b", "c"]);
 * assertEquals(splitList(""), []);
 * ```
 */
export function splitList(text: string): string[] {
  return text.split(/(?<!,),(?!,)/)
    .map((item) => item.replaceAll(",,", ",").trim())
    .filter((item) => item !== "");
}

function join<T>(one: Scope<T>, other: Scope<T>): Scope<T> {
  if (one.kind === "absent") return other;
  if (other.kind === "absent") return one;
  if (one.kind === "all" || other.kind === "all") return ALL;
  return { kind: "list", items: [...one.items, ...other.items] };
}

/**
 * What `flags` mean in `cwd` (absolute, links resolved): without a flag, read and write in it, and every run asks.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
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
    read: readRules(flags, cwd),
    write: writeRules(flags, cwd),
    run: {
      allow: mapScope(flags.allowAll ? ALL : flags.allowRun, runRule),
      deny: mapScope(flags.denyRun, runRule),
    },
    net: flags.allowAll || flags.allowNet,
    all: flags.allowAll,
  };
}

function readRules(flags: PermissionFlags, cwd: string): PathRules {
  const allow = pathScope(flags.allowAll ? ALL : flags.allowRead, cwd);
  const effective = orFolder(allow, cwd);
  return {
    allow: effective,
    deny: pathScope(flags.denyRead, cwd),
    redirections: effective,
    named: itemsOf(effective),
  };
}

function writeRules(flags: PermissionFlags, cwd: string): PathRules {
  const allow = pathScope(flags.allowAll ? ALL : flags.allowWrite, cwd);
  const effective = orFolder(allow, cwd);
  return {
    allow: effective,
    deny: pathScope(flags.denyWrite, cwd),
    redirections: allow,
    named: itemsOf(effective),
  };
}

/** The items of a list; none of what is absent or everything. */
export function itemsOf<T>(scope: Scope<T>): readonly T[] {
  return scope.kind === "list" ? scope.items : [];
}

function pathScope(scope: Scope<string>, cwd: string): Scope<string> {
  return mapScope(scope, (path) => normalPath(path, cwd));
}

function orFolder(scope: Scope<string>, cwd: string): Scope<string> {
  return scope.kind === "absent" ? { kind: "list", items: [cwd] } : scope;
}

function runRule(text: string): RunRule {
  const [program = "", ...subcommand] = text.split(/\s+/);
  return { text, program, subcommand };
}

function mapScope<T, U>(scope: Scope<T>, change: (item: T) => U): Scope<U> {
  return scope.kind === "list" ? { kind: "list", items: scope.items.map(change) } : scope;
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
      deny: join(rules.run.deny, mapScope(project.denyRun, runRule)),
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
    deny: join(rules.deny, options.deny),
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

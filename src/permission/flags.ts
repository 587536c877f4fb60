/**
 * Permission flags as they are written (SPEC 8): Deno's words.
 *
 *     --allow-read[=LIST] --allow-write[=LIST] --allow-run[=LIST] --allow-net
 *     --deny-read[=LIST]  --deny-write[=LIST]  --deny-run[=LIST]  -A, --allow-all
 *
 * A LIST is separated by commas; a doubled comma is a comma in a name. A bare flag means everything; an empty list
 * means nothing. A flag given several times adds up. Deny beats ask beats allow, whatever the order.
 */
import { UsageError } from "../errors.ts";

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

const ABSENT = { kind: "absent" } as const;
/** Everything. */
export const ALL = { kind: "all" } as const;

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
  return { ...flags, [key]: joinScopes(flags[key], scope) };
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

/** What both scopes name together: flags add up. */
export function joinScopes<T>(one: Scope<T>, other: Scope<T>): Scope<T> {
  if (one.kind === "absent") return other;
  if (other.kind === "absent") return one;
  if (one.kind === "all" || other.kind === "all") return ALL;
  return { kind: "list", items: [...one.items, ...other.items] };
}

/** The items of a list; none of what is absent or everything. */
export function itemsOf<T>(scope: Scope<T>): readonly T[] {
  return scope.kind === "list" ? scope.items : [];
}

/** `scope` with each item of its list changed. */
export function mapScope<T, U>(scope: Scope<T>, change: (item: T) => U): Scope<U> {
  return scope.kind === "list" ? { kind: "list", items: scope.items.map(change) } : scope;
}

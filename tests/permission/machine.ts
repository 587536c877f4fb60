/** A made-up machine for the policy's tests: programs that are found, links that lead somewhere. */
import { judgeableLine } from "./judgeable.ts";
import type { ResolvedPath } from "../../src/permission/paths.ts";
import { type PermissionFlags, readPermissionFlags } from "../../src/permission/flags.ts";
import { toLookUp } from "../../src/permission/look_up.ts";
import { createPolicy, type Decision, type Facts } from "../../src/permission/policy.ts";
import { createRules } from "../../src/permission/rules.ts";
import { normalPath } from "../../src/text/path.ts";

export { judgeableLine };

/** What the made-up machine has. */
export interface Machine {
  readonly cwd: string;
  /** Links, absolute path to absolute target. */
  readonly links?: Readonly<Record<string, string>>;
  /** Files with several names. */
  readonly hardLinked?: readonly string[];
  readonly ownPaths?: readonly string[];
  readonly foldCase?: boolean;
  /** Programs that aren't there. */
  readonly missing?: readonly string[];
}

/** `path` with the machine's links followed. */
export function follow(path: string, machine: Machine): string {
  for (const [link, target] of Object.entries(machine.links ?? {})) {
    if (path === link || path.startsWith(link + "/")) {
      return follow(target + path.slice(link.length), machine);
    }
  }
  return path;
}

export function resolved(path: string, machine: Machine): ResolvedPath {
  const absolute = normalPath(path, machine.cwd);
  const real = follow(absolute, machine);
  const links = machine.hardLinked?.includes(real) ? 2 : 1;
  return { path: absolute, real, links };
}

function factsFor(flags: PermissionFlags, machine: Machine): Facts {
  const { programs, paths } = toLookUp(createRules(flags, machine.cwd));
  const found = programs.filter((name) => !machine.missing?.includes(name)).map((name) => {
    const path = name.startsWith("/") ? name : `/usr/bin/${name}`;
    return [name, { path, real: path }] as const;
  });
  return {
    cwd: machine.cwd,
    home: "/home/u",
    programs: new Map(found),
    realPaths: new Map(paths.map((path) => [path, follow(path, machine)])),
    ownPaths: machine.ownPaths ?? [],
    foldCase: machine.foldCase ?? false,
  };
}

/** The decision for a path under flags. */
export function decidePath(
  flags: readonly string[],
  access: { readonly kind: "read" | "write"; readonly path: string },
  machine: Machine,
): Decision {
  const read = readPermissionFlags(flags).flags;
  const policy = createPolicy(createRules(read, machine.cwd), factsFor(read, machine));
  return policy.decide({ kind: access.kind, path: resolved(access.path, machine) });
}

/** The decision for a command line under flags. */
export function decideCommand(
  flags: readonly string[],
  command: string,
  machine: Machine,
): Decision {
  const read = readPermissionFlags(flags).flags;
  const policy = createPolicy(createRules(read, machine.cwd), factsFor(read, machine));
  return policy.decide(judgeableLine(command, (path) => resolved(path, machine), machine.cwd));
}

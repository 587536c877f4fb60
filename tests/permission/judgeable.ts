/** A command line as the policy takes it. */
import { pathsToResolve } from "../../src/permission/judge_command.ts";
import type { ResolvedPath } from "../../src/permission/paths.ts";
import type { PolicyAccess } from "../../src/permission/policy.ts";
import { readCommandLine } from "../../src/permission/shell.ts";

export function judgeableLine(
  command: string,
  resolve: (path: string) => ResolvedPath,
  cwd: string,
): PolicyAccess {
  const line = readCommandLine(command, { home: "/home/u" });
  const paths = new Map(pathsToResolve(line, cwd).map((path) => [path, resolve(path)]));
  return { kind: "run", line, paths };
}

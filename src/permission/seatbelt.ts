/**
 * The same boundary in the words of macOS's `sandbox-exec` (a profile in its own Lisp; later rules win).
 * Its text is tested; it has not been run on a real machine.
 */
import type { SandboxPolicy } from "./sandbox_policy.ts";

/**
 * The argv that runs `argv` by `sandbox-exec` behind `policy`. The paths are parameters of the profile, so that no
 * character of theirs is read as a rule.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const policy = { cwd: "/w", writable: ["/w"], pinned: [], readOnly: [], hidden: [], shown: [], network: false };
 * const argv = seatbeltArgv(policy, ["true"]);
 * assertEquals(argv.slice(0, 2), ["/usr/bin/sandbox-exec", "-p"]);
 * assertEquals(argv.slice(3), ["-DP0=/w", "--", "true"]);
 * ```
 */
export function seatbeltArgv(
  policy: SandboxPolicy,
  argv: readonly string[],
): [string, ...string[]] {
  const paths: string[] = [];
  const below = (path: string) => `(subpath (param "P${paths.push(path) - 1}"))`;
  const rules = (verb: string, list: readonly string[]) =>
    list.map((path) => `(${verb} ${below(path)})`);
  const pinned = policy.pinned.map((path) =>
    `(deny file-write-unlink (literal (param "P${paths.push(path) - 1}")))`
  );
  const tmp = policy.tmp === undefined ? [] : [policy.tmp];
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    ...rules("allow file-write*", [...policy.writable, ...tmp]),
    ...pinned,
    ...rules("deny file-write*", policy.readOnly.map(({ path }) => path)),
    ...rules("deny file-read* file-write*", policy.hidden.map(({ path }) => path)),
    ...rules("allow file-read*", policy.shown),
    ...(policy.network ? [] : ["(deny network*)"]),
  ].join("\n");
  const parameters = paths.map((path, i) => `-DP${i}=${path}`);
  return ["/usr/bin/sandbox-exec", "-p", profile, ...parameters, "--", ...argv];
}

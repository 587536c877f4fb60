/** What the rules name that only the machine knows: where programs lie and where paths lead (SPEC 8). */
import { itemsOf } from "./flags.ts";
import { baseName } from "./match.ts";
import type { Rules } from "./rules.ts";

/**
 * What must be looked up before a policy is made (policy.ts): the programs and the paths that the rules name, and the shell.
 *
 * A program is looked up once, at start: a bare name on the PATH, an absolute path as it is and by its last part;
 * other spellings never match.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readPermissionFlags } from "./flags.ts";
 * import { createRules } from "./rules.ts";
 * const { flags } = readPermissionFlags(["--allow-run=git log,make", "--deny-write=.env"]);
 * assertEquals(toLookUp(createRules(flags, "/w")), {
 *   programs: ["git", "make", "bash"],
 *   paths: ["/w", "/w/.env"],
 * });
 * ```
 */
export function toLookUp(
  rules: Rules,
): { readonly programs: readonly string[]; readonly paths: readonly string[] } {
  const runs = [...itemsOf(rules.run.allow), ...itemsOf(rules.run.deny)];
  const paths = [rules.read.allow, rules.read.deny, rules.write.allow, rules.write.deny];
  return {
    programs: [
      ...new Set([...runs.flatMap(({ program }) => [program, baseName(program)]), "bash"]),
    ],
    paths: [...new Set(paths.flatMap(itemsOf))],
  };
}

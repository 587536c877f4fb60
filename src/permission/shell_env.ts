/** The environment in which a shell means what its text says. */

/** Variables that make bash read other text first, or read the text otherwise. */
const CHANGES_THE_SHELL =
  /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_COMPAT|BASH_FUNC_.*|BASH_LOADABLES_PATH|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|IFS|CDPATH|GLOBIGNORE|EXECIGNORE|LD_.*|DYLD_.*)$/;

/**
 * `env` without the variables that would change what a checked command means: start-up files, exported functions,
 * shell options, preloaded libraries.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(shellEnv({ PATH: "/bin", BASH_ENV: "x.sh", "BASH_FUNC_ls%%": "() { :; }" }), { PATH: "/bin" });
 * ```
 */
export function shellEnv(
  env: { readonly [name: string]: string },
): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !CHANGES_THE_SHELL.test(name)),
  );
}

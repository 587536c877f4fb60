/**
 * The environment of the commands that a model runs: no pager, no colours, no secrets (SPEC 5).
 *
 * Taken out are the keys of model servers (`*_API_KEY` and the configured ones), whatever has the same value as one of
 * them, and all names that look like a secret. `--pass-env NAME` lets a name through. The user's `LD_*` and `DYLD_*` stay, since builds
 * need them and a model can't set them for the shell that runs it; but where only some programs are allowed, they and
 * the shell's own start-up variables go, because with them another program's code would run under an allowed name.
 */

/** What decides about variables. */
export interface ChildEnvOptions {
  /** Names of the variables that hold the keys of the configured model servers. */
  readonly keyNames: readonly string[];
  /** Names that are let through although they look like a secret (`--pass-env`). */
  readonly pass: readonly string[];
  /** Only some programs are allowed (`--allow-run=…`). */
  readonly scoped: boolean;
}

const KEY_NAME = /(^|_)API_KEY$/i;
const SECRET_NAME = /(^|_)API_KEY$|(^|_)TOKEN$|SECRET|PASSWORD/i;
/** What makes a shell, a loader or a function name run other code than its name says. */
const CODE_NAME =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|BASH_FUNC_.*|BASH_COMPAT|BASH_LOADABLES_PATH|SHELLOPTS|BASHOPTS|POSIXLY_CORRECT|PROMPT_COMMAND|PS4|IFS|CDPATH|GLOBIGNORE)$/;
/** A shorter value (`1`, `true`) is no key, and others may have it by chance. */
const SHORTEST_KEY = 8;

/**
 * The environment for commands, out of the program's own.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const env = { PATH: "/bin", GH_TOKEN: "t", DEEPSEEK_API_KEY: "k-12345678", COPY: "k-12345678", TERM: "xterm" };
 * assertEquals(childEnv(env, { keyNames: ["DEEPSEEK_API_KEY"], pass: ["GH_TOKEN"], scoped: false }), {
 *   PATH: "/bin",
 *   GH_TOKEN: "t",
 *   TERM: "dumb",
 *   PAGER: "cat",
 *   GIT_PAGER: "cat",
 * });
 * ```
 */
export function childEnv(
  env: { readonly [name: string]: string },
  options: ChildEnvOptions,
): { [name: string]: string } {
  const keys = new Set(
    [...options.keyNames, ...Object.keys(env).filter((name) => KEY_NAME.test(name))]
      .map((name) => env[name] ?? "").filter((key) => key.length >= SHORTEST_KEY),
  );
  const kept = Object.entries(env).filter(([name, value]) => {
    if (options.scoped && CODE_NAME.test(name)) return false;
    if (options.pass.includes(name)) return true;
    return !options.keyNames.includes(name) && !SECRET_NAME.test(name) && !keys.has(value);
  });
  return { ...Object.fromEntries(kept), TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat" };
}

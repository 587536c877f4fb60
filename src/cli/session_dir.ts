/** Where sessions lie (SPEC 7). */
import { ConfigError } from "../errors.ts";
import { absolute, isAbsolute, type World } from "./command.ts";

/**
 * The folder of sessions: `flag` (`--session-dir`), else `CST_SESSION_DIR`, else `cst-agent/sessions` under
 * `XDG_STATE_HOME` or `~/.local/state`. Throws `ConfigError` when nothing says where.
 */
export function sessionDirOf(flag: string | undefined, world: Pick<World, "env" | "cwd">): string {
  const { env } = world;
  const named = flag || env.CST_SESSION_DIR;
  if (named) return absolute(named, world);
  const home = env.HOME || env.USERPROFILE;
  const state = isAbsolute(env.XDG_STATE_HOME ?? "")
    ? env.XDG_STATE_HOME
    : home && `${home}/.local/state`;
  if (state) return `${state}/cst-agent/sessions`;
  throw new ConfigError("Cannot tell where sessions lie: set HOME, or give --session-dir");
}

/**
 * Configuration: flags over environment over `cst-agent.json` in the project over
 * `$XDG_CONFIG_HOME/cst-agent/config.json` (SPEC 10). A project's file comes with the code it lies in, which isn't
 * trusted: it can narrow permissions, never widen them, and can't say where requests or keys go.
 */
import { join } from "@std/path";
import { ConfigError } from "../errors.ts";
import { FileError, type Files } from "../system/system.ts";
import { nearest } from "./args.ts";
import { isAbsolute } from "./command.ts";

/** What a configuration file may hold. */
export interface ConfigFile {
  readonly protocol?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly keyVariable?: string;
  readonly maxSteps?: number;
  readonly contextLimit?: number;
  readonly sandbox?: string;
  readonly allowRead?: readonly string[];
  readonly allowWrite?: readonly string[];
  readonly allowRun?: readonly string[];
  readonly denyRead?: readonly string[];
  readonly denyWrite?: readonly string[];
  readonly denyRun?: readonly string[];
  readonly redact?: readonly string[];
}

/** The type of every key, for the check and for the JSON Schema. */
export const CONFIG_KEYS: {
  readonly [key in keyof ConfigFile]-?: "string" | "number" | "strings";
} = {
  protocol: "string",
  provider: "string",
  model: "string",
  baseUrl: "string",
  keyVariable: "string",
  maxSteps: "number",
  contextLimit: "number",
  sandbox: "string",
  allowRead: "strings",
  allowWrite: "strings",
  allowRun: "strings",
  denyRead: "strings",
  denyWrite: "strings",
  denyRun: "strings",
  redact: "strings",
};

/** Keys that only the user's own file may set: where requests and keys go, and what holds commands. */
const USER_ONLY: readonly (keyof ConfigFile)[] = ["provider", "baseUrl", "keyVariable", "sandbox"];

/** Both files, read and checked; empty where there is none. */
export interface Configs {
  readonly project: ConfigFile;
  readonly user: ConfigFile;
  /** Paths that tools may never write: the files, and the user's folder. */
  readonly paths: readonly string[];
  /** The user's folder and file. */
  readonly own: { readonly folder: string; readonly file: string } | undefined;
}

/** Reads both configuration files. Throws `ConfigError` that names file and key. */
export async function readConfigs(
  files: Files,
  options: { readonly cwd: string; readonly env: { readonly [name: string]: string } },
): Promise<Configs> {
  const { cwd, env } = options;
  const folder = configHome(env);
  const projectPath = join(cwd, "cst-agent.json");
  const own = folder === undefined
    ? undefined
    : { folder: join(folder, "cst-agent"), file: join(folder, "cst-agent", "config.json") };
  const project = await readConfig(files, projectPath);
  for (const key of USER_ONLY) {
    if (project[key] !== undefined) {
      throw new ConfigError(
        `Cannot take "${key}" from "${projectPath}": only your own configuration, the environment or a flag may set it`,
      );
    }
  }
  return {
    project,
    user: own === undefined ? {} : await readConfig(files, own.file),
    paths: own === undefined ? [projectPath] : [projectPath, own.folder, own.file],
    own,
  };
}

/**
 * The user's folder of configurations. A relative one is ignored (XDG base directory specification): it would lie in
 * the project, whose files aren't trusted.
 */
export function configHome(env: { readonly [name: string]: string }): string | undefined {
  const { XDG_CONFIG_HOME: named = "", HOME: home = "" } = env;
  if (isAbsolute(named)) return named;
  return isAbsolute(home) ? join(home, ".config") : undefined;
}

async function readConfig(files: Files, path: string): Promise<ConfigFile> {
  let bytes: Uint8Array;
  try {
    const { kind } = await files.stat(path);
    if (kind !== "file") throw new ConfigError(`Cannot read "${path}": it is not a file`);
    bytes = await files.readFile(path);
  } catch (error) {
    if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return {};
    }
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`Cannot read "${path}"`, { cause: error });
  }
  return parseConfig(new TextDecoder().decode(bytes), path);
}

/**
 * The configuration in `text`. Throws `ConfigError` for anything that isn't one.
 *
 * @example
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * assertEquals(parseConfig('{"protocol":"ctl"}', "c.json"), { protocol: "ctl" });
 * assertThrows(() => parseConfig('{"protocl":"ctl"}', "c.json"), Error, 'Unknown key "protocl" in "c.json"');
 * ```
 */
export function parseConfig(text: string, path: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`Cannot read "${path}": it isn't JSON`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError(`Cannot read "${path}": it isn't a JSON object`);
  }
  for (const [key, entry] of Object.entries(value)) {
    if (key === "$schema") continue;
    if (!isKey(key)) throw unknownKey(key, path);
    const type = CONFIG_KEYS[key];
    if (!fits(entry, type)) {
      const wanted = type === "strings" ? "a list of strings" : `a ${type}`;
      throw new ConfigError(`Cannot take "${key}" from "${path}": it must be ${wanted}`);
    }
  }
  return value as ConfigFile;
}

function isKey(key: string): key is keyof ConfigFile {
  return Object.hasOwn(CONFIG_KEYS, key);
}

function unknownKey(key: string, path: string): ConfigError {
  const near = nearest(key, Object.keys(CONFIG_KEYS));
  const hint = near === undefined ? "" : `: did you mean "${near}"?`;
  return new ConfigError(`Unknown key "${key}" in "${path}"${hint}`);
}

function fits(value: unknown, type: string): boolean {
  if (type === "number") return typeof value === "number";
  if (type === "string") return typeof value === "string";
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

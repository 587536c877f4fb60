/** Flags over environment over configuration → the settings of a task (SPEC 10). */
import { ConfigError, UsageError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../protocol/protocol.ts";
import { DEFAULT_PROTOCOL } from "../protocol/mod.ts";
import type { Rules } from "../permission/rules.ts";
import { findKey, findProvider, providerNames } from "../provider/catalog.ts";
import { compilePatterns, createRedactor } from "../session/redact.ts";
import type { SandboxMode } from "../permission/sandbox.ts";
import { platformName } from "../system/machine.ts";
import { FileError } from "../system/system.ts";
import { DEFAULT_OUTPUT_CAP } from "../text/clip.ts";
import { childEnv } from "../tools/child_env.ts";
import type { TaskSettings } from "../agent/task.ts";
import type { Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { type ConfigFile, type Configs, readConfigs } from "./config.ts";
import { readProtocolName } from "./read_options.ts";
import { readRules } from "./read_rules.ts";
import { sessionDirOf } from "./session_dir.ts";

/** Everything that the faces need to open a task. */
export interface FaceSettings {
  readonly task: TaskSettings;
  readonly sandboxMode: SandboxMode;
  readonly key: string | undefined;
  readonly retries: number;
  readonly idleMs: number;
  readonly recordDir: string | undefined;
  /** Set for `--provider replay:DIR`. */
  readonly replayDir: string | undefined;
  readonly sessionDir: string;
  /** The user's configuration. */
  readonly config: Configs["own"];
  readonly contextLimit: number;
}

/** What was read of argv: the options, and the permission flags in front of them. */
export interface FaceFlags {
  readonly parsed: Parsed;
  /** The permission flags as written, to know which kinds a configuration may still set. */
  readonly permissionWords: readonly string[];
}

/** What `--provider sim` lacks: it is a server that must run first. */
const SIM_WITHOUT_URL =
  'The simulated model has no address: start "cst-agent sim" in another terminal, and give what it prints as --base-url';

/** The settings that `flags`, the environment and the configuration files make. Throws `UsageError` or `ConfigError`. */
export async function readSettings(flags: FaceFlags, world: World): Promise<FaceSettings> {
  const { parsed } = flags;
  const cwd = await realFolder(parsed.value("cwd") ?? world.cwd, world);
  const configs = await readConfigs(world.files, { cwd, env: world.env });
  const pick = (flag: string, variable: string, key: keyof ConfigFile): string | undefined =>
    parsed.value(flag) ?? nonEmpty(world.env[variable]) ?? asText(configs.project[key]) ??
      asText(configs.user[key]);
  const named = pick("provider", "CST_PROVIDER", "provider") ?? "deepseek";
  const replayDir = named.startsWith("replay:") ? named.slice("replay:".length) : undefined;
  const stage = replayDir !== undefined ? "replay" : named === "sim" ? "sim" : undefined;
  if (stage === undefined && !providerNames().includes(named)) {
    const names = [...providerNames(), "sim"].join(", ");
    throw new ConfigError(`Unknown provider "${named}": there are ${names} and replay:DIR`);
  }
  const baseUrl = pick("base-url", "CST_BASE_URL", "baseUrl");
  if (stage === "sim" && baseUrl === undefined) throw new ConfigError(SIM_WITHOUT_URL);
  const found = findProvider(stage === undefined ? named : "custom", {
    baseUrl: stage === "replay" ? "http://replay.invalid" : baseUrl,
    keyVariable: asText(configs.user.keyVariable),
    model: pick("model", "CST_MODEL", "model") ?? stage,
    contextWindow: numberOf(
      pick("context-limit", "CST_CONTEXT_LIMIT", "contextLimit"),
      "context-limit",
    ),
  });
  const provider = stage === undefined ? found : { ...found, name: stage };
  const rules = await readRules(flags.permissionWords, configs, { cwd, files: world.files });
  const sessionDir = sessionDirOf(parsed.value("session-dir"), world);
  const redactor = createRedactor(
    secretsOf(world.env, world.env[provider.keyVariable]?.trim()),
    compilePatterns([
      ...parsed.values("redact"),
      ...configs.user.redact ?? [],
      ...configs.project.redact ?? [],
    ]),
  );
  const numeric = (flag: string, variable: string, fallback: number): number =>
    numberOf(parsed.value(flag) ?? nonEmpty(world.env[variable]), flag) ?? fallback;
  return {
    task: {
      protocol: readProtocolName(pick("protocol", "CST_PROTOCOL", "protocol") ?? DEFAULT_PROTOCOL),
      provider,
      cwd,
      platform: platformName(),
      rules,
      limits: {
        ...DEFAULT_LIMITS,
        line: numeric("line-limit", "CTL_LINE_LIMIT", DEFAULT_LIMITS.line),
        argument: numeric("max-arg", "CTL_MAX_ARG", DEFAULT_LIMITS.argument),
      },
      outputCap: numeric("tool-out-cap", "CST_TOOL_OUT_CAP", DEFAULT_OUTPUT_CAP),
      maxSteps: numberOf(pick("max-steps", "CST_MAX_STEPS", "maxSteps"), "max-steps") ?? 50,
      timeoutMs: secondsOf(parsed.value("timeout"), "timeout"),
      killBackground: parsed.flag("kill-background"),
      env: world.env,
      childEnv: childEnv(world.env, {
        keyNames: [provider.keyVariable],
        pass: parsed.values("pass-env").flatMap((list) => list.split(",")),
        scoped: rules.run.allow.kind !== "all" || rules.run.deny.kind !== "absent",
      }),
      ownPaths: [...configs.paths, sessionDir],
      redactor,
    },
    sandboxMode: sandboxOf(pick("sandbox", "CST_SANDBOX", "sandbox"), rules),
    retries: numeric("retries", "CST_RETRIES", 4),
    idleMs: 1000 * numeric("idle-timeout", "CST_IDLE_TIMEOUT", 120),
    recordDir: parsed.value("record") ?? nonEmpty(world.env.CST_RECORD_SSE),
    replayDir,
    sessionDir,
    config: configs.own,
    contextLimit: provider.contextWindow,
    // Last: what is wrong with the command line is told before what the environment lacks.
    key: replayDir === undefined ? findKey(provider, world.env) : undefined,
  };
}

async function realFolder(path: string, world: World): Promise<string> {
  try {
    const real = await world.files.realPath(absolute(path, world));
    if ((await world.files.stat(real)).kind === "directory") return real;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new ConfigError(`Cannot work in "${path}": there is no such folder`);
  }
  throw new ConfigError(`Cannot work in "${path}": it is not a folder`);
}

/** `-A` means no bounds, so no sandbox either unless one is asked for. */
function sandboxOf(mode: string | undefined, rules: Rules): SandboxMode {
  switch (mode) {
    case undefined:
      return rules.all ? "off" : "auto";
    case "auto":
    case "bwrap":
    case "off":
      return mode;
    default:
      throw new UsageError(`Unknown sandbox mode "${mode}": there are auto, bwrap and off`);
  }
}

/** Values that must never be told: the key in use, and whatever a variable calls a key. */
function secretsOf(env: World["env"], key: string | undefined): string[] {
  const named = Object.entries(env).filter(([name]) => /_API_KEY$/.test(name)).map(([, value]) =>
    value
  );
  return [...named, ...key === undefined ? [] : [key]];
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function numberOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) {
    throw new UsageError(`Option "--${flag}" takes a whole number, not "${text}"`);
  }
  return Number(text);
}

function secondsOf(text: string | undefined, flag: string): number | null {
  if (text === undefined) return null;
  if (!/^\d+(\.\d+)?$/.test(text)) {
    throw new UsageError(`Option "--${flag}" takes seconds, not "${text}"`);
  }
  return Number(text) * 1000;
}

/** `cst-agent doctor`: is everything there that the agent needs (SPEC 10)? */
import { EXIT, UserError } from "../errors.ts";
import { findProgram } from "../agent/resolve.ts";
import { trySandbox } from "../agent/sandbox.ts";
import { findProvider, type Provider, providerNames } from "../provider/catalog.ts";
import { findProxyVariable } from "../provider/proxy.ts";
import { describeMachine, platformName } from "../system/machine.ts";
import { whyUnreachable } from "../system/reach.ts";
import { FileError } from "../system/system.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import type { World } from "./command.ts";
import { readConfigs } from "./config.ts";
import { sessionDirOf } from "./session_dir.ts";

/** What the command takes. */
export const DOCTOR_SPEC: CommandSpec = {
  name: "doctor",
  usage: "doctor [--provider NAME] [--base-url URL]",
  summary: "Checks runtime, terminal, sandbox, keys, server and the folder of sessions.",
  options: [
    { name: "provider", value: "NAME", help: "Whose key and server are checked" },
    { name: "base-url", value: "URL", help: "Where the server is" },
    { name: "session-dir", value: "DIR", help: "Where sessions lie" },
    { name: "json", help: "One JSON object a line" },
  ],
  example: "cst-agent doctor --provider ollama",
};

/** How long a server may take to take a connection, in milliseconds. */
const REACH_MS = 5_000;

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly words: string;
}

/** What is looked at. */
export interface DoctorWish {
  readonly provider: Provider;
  readonly sessionDir: string;
}

/** Prints a line for each check. Returns 0; 3 when something that the agent needs is missing. */
export async function doctorCommand(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, DOCTOR_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(DOCTOR_SPEC));
    return EXIT.done;
  }
  const { user } = await readConfigs(world.files, { cwd: world.cwd, env: world.env });
  const name = parsed.value("provider") ?? (world.env.CST_PROVIDER || user.provider) ?? "deepseek";
  const stage = name === "sim";
  const checks = await runDoctor(world, {
    provider: findProvider(stage ? "custom" : name, {
      baseUrl: parsed.value("base-url") ?? (world.env.CST_BASE_URL || user.baseUrl),
      keyVariable: user.keyVariable,
      model: stage ? "sim" : world.env.CST_MODEL || user.model,
    }),
    sessionDir: sessionDirOf(parsed.value("session-dir"), world),
  });
  for (const check of checks) {
    world.stdout(
      parsed.flag("json")
        ? `${JSON.stringify(check)}\n`
        : `${check.ok ? "ok " : "BAD"} ${check.name.padEnd(10)} ${check.words}\n`,
    );
  }
  return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.configuration;
}

/** All checks, in the order in which they are shown. */
export async function runDoctor(world: World, wish: DoctorWish): Promise<readonly Check[]> {
  return [
    { name: "runtime", ok: true, words: describeMachine() },
    checkTerminal(world),
    await checkSandbox(world),
    checkKey(world, wish.provider),
    await checkServer(world, wish.provider),
    await checkSessions(world, wish.sessionDir),
  ];
}

function checkTerminal({ terminal, env }: World): Check {
  const both = terminal.stdin && terminal.stdout;
  const kind = env.TERM === "dumb" ? "TERM=dumb: plain lines" : `TERM=${env.TERM ?? ""}`;
  return {
    name: "terminal",
    ok: true,
    words: both ? kind : "standard input or output isn't one: run works, chat doesn't",
  };
}

/** A missing sandbox is told, but the agent works without: the rules hold all the same. */
async function checkSandbox(world: World): Promise<Check> {
  const tried = await trySandbox({
    bwrap: (await findProgram(world.files, "bwrap", world.env.PATH ?? ""))?.path,
    seatbelt: platformName() === "darwin",
  }, world.processes);
  return {
    name: "sandbox",
    ok: true,
    words: tried.kind === "none"
      ? `rules only: ${tried.why}; what a permitted command does has no bounds`
      : tried.kind,
  };
}

/** Says of each key whether it's there, never what it is. */
function checkKey({ env }: World, provider: Provider): Check {
  const has = Boolean(env[provider.keyVariable]?.trim());
  const others = providerNames().map((name) => `${name.toUpperCase()}_API_KEY`)
    .filter((variable) => variable !== provider.keyVariable && env[variable]);
  const word = has
    ? "is set"
    : provider.keyRequired
    ? "is not set (or choose another server: --provider)"
    : "is not set, nor needed";
  const also = others.length > 0 ? `; also set: ${others.join(", ")}` : "";
  return {
    name: "key",
    ok: has || !provider.keyRequired,
    words: `${provider.keyVariable} ${word}${also}`,
  };
}

async function checkServer(world: World, provider: Provider): Promise<Check> {
  const url = new URL(provider.baseUrl);
  const proxy = findProxyVariable(provider.baseUrl, world.env);
  if (proxy !== undefined) {
    return {
      name: "server",
      ok: true,
      words: `${url.host} behind the proxy of ${proxy} (not tried)`,
    };
  }
  const why = await whyUnreachable(url, REACH_MS);
  return {
    name: "server",
    ok: why === null,
    words: why === null ? `${url.host} takes connections` : `${url.host} cannot be reached: ${why}`,
  };
}

async function checkSessions(world: World, folder: string): Promise<Check> {
  const trial = `${folder}/.doctor-${world.clock.now()}`;
  try {
    world.logFiles.makeFolder(folder);
    await world.files.createSynced(trial, new Uint8Array(0), 0o600);
    await world.files.remove(trial);
    return { name: "sessions", ok: true, words: `"${folder}" can be written` };
  } catch (error) {
    if (!(error instanceof FileError || error instanceof UserError)) throw error;
    return {
      name: "sessions",
      ok: false,
      words: `"${folder}" can't be written: ${error.message} (--session-dir)`,
    };
  }
}

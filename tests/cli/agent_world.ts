/** `cst-agent run` in this process: real files, sessions, commands and sockets; waits ten times as fast. */
import type { World } from "../../src/cli/command.ts";
import { runCommand } from "../../src/cli/run.ts";
import { explainError, UserError } from "../../src/errors.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFiles } from "../../src/system/files.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import type { JsonObject } from "../../src/vocab.ts";
import { readEvents } from "./fits.ts";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from "../scripted_server.ts";

/** A wait in the agent takes this part of its time. */
const FASTER = 10;

/** What a run printed and left. */
export interface RanAgent {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of standard output as JSON; of a run without `--json`, none. */
  readonly events: readonly JsonObject[];
}

/** What a run may be given besides its words. */
export interface AgentOptions {
  readonly env?: { readonly [name: string]: string };
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  readonly onStdout?: (text: string) => void;
  /** Instead of the stage's own. */
  readonly flags?: readonly string[];
}

/** A server with its script, and a project to work in. */
export interface Stage {
  readonly server: ScriptedServer;
  /** The project, absolute and without links. */
  readonly cwd: string;
  readonly sessionDir: string;
  /** The options that lead to this stage. */
  readonly flags: readonly string[];
  /** Runs with {@linkcode flags} before `argv`, and the provider `custom` where `argv` names none. */
  run(argv: readonly string[], options?: AgentOptions): Promise<RanAgent>;
  /** The one session file. */
  sessionPath(): string;
}

/** Runs `test` with a server that plays `answers` and an empty project, which are gone after it. */
export async function withStage(
  answers: readonly ScriptedAnswer[],
  test: (stage: Stage) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-stage-" }));
  const cwd = `${top}/project`;
  Deno.mkdirSync(cwd);
  const sessionDir = `${top}/sessions`;
  const server = startScriptedServer(answers);
  const flags = [
    `--base-url=${server.url}`,
    `--session-dir=${sessionDir}`,
  ];
  try {
    await test({
      server,
      cwd,
      sessionDir,
      flags,
      run(argv, options = {}) {
        const named = argv.some((word) => word.startsWith("--provider"));
        const provider = named ? [] : ["--provider=custom", "--model=m"];
        return runAgent([...options.flags ?? flags, ...provider, ...argv], { ...options, top });
      },
      sessionPath() {
        const names = [...Deno.readDirSync(sessionDir)].map(({ name }) => name);
        return `${sessionDir}/${names.find((name) => name.endsWith(".jsonl"))}`;
      },
    });
  } finally {
    await server.close();
    Deno.removeSync(top, { recursive: true });
  }
}

async function runAgent(
  argv: readonly string[],
  options: AgentOptions & { readonly top: string },
): Promise<RanAgent> {
  const real = createClock();
  const clock = {
    ...real,
    sleep: (ms: number, signal?: AbortSignal) => real.sleep(ms / FASTER, signal),
  };
  const processes = createProcesses({ clock: real, setsid: findSetsid() });
  let stdout = "";
  let stderr = "";
  const world: World = {
    files: createFiles(),
    logFiles: createLogFiles(),
    processes,
    clock,
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: options.top, ...options.env },
    cwd: `${options.top}/project`,
    readStdin: () => options.stdin ?? unread(),
    stdout(text) {
      stdout += text;
      options.onStdout?.(text);
    },
    stderr: (text) => stderr += text,
    terminal: { stdin: false, stdout: false, stderr: false },
    signal: options.signal ?? new AbortController().signal,
  };
  let exit: number;
  try {
    exit = await runCommand(argv, world);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    stderr += `cst-agent: ${explainError(error)}\n`;
    exit = error.exit;
  } finally {
    await processes.close();
  }
  const json = stdout.startsWith("{");
  return { exit, stdout, stderr, events: json ? readEvents(stdout) : [] };
}

async function* unread(): AsyncIterable<Uint8Array> {
  yield await Promise.reject(new Error("standard input must not be read"));
}

/** An answer of server-sent events. */
export function events(...choices: readonly JsonObject[]): ScriptedAnswer {
  const body = choices.map((choice) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
  ).join("");
  return { status: 200, body: body + "data: [DONE]\n\n" };
}

/** The answer that says `text` and is finished. */
export function says(text: string): ScriptedAnswer {
  return events({ delta: { content: text } }, { delta: {}, finish_reason: "stop" });
}

/** The answer that calls tools natively: name and arguments of each. */
export function calls(...wanted: readonly (readonly [string, JsonObject])[]): ScriptedAnswer {
  const tool_calls = wanted.map(([name, args], index) => ({
    index,
    id: `c${index + 1}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return events({ delta: { tool_calls } }, { delta: {}, finish_reason: "tool_calls" });
}

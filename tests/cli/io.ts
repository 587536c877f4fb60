/** Runs a command in a world of memory but for the real files, and keeps what it wrote. */
import type { Command, World } from "../../src/cli/command.ts";
import { createFiles } from "../../src/system/files.ts";
import { createLogFiles } from "../../src/system/log_file.ts";

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  /** How standard input is cut. */
  readonly chunk?: number;
  readonly cwd?: string;
  /** None unless given: most commands must not look at the time. */
  readonly clock?: World["clock"];
}

export async function runCommand(
  command: Command,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const { stdin = "", chunk = 65_536, cwd = Deno.cwd() } = options;
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  let stdout = "";
  let stderr = "";
  const unused = () => {
    throw new Error("Not in this world");
  };
  const world: World = {
    files: createFiles(),
    logFiles: createLogFiles(),
    processes: { runGroup: unused, killAll: unused },
    clock: options.clock ?? { now: unused, monotonic: unused, sleep: unused, random: unused },
    env: {},
    cwd,
    async *readStdin() {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    },
    stdout: (text) => stdout += text,
    stderr: (text) => stderr += text,
    terminal: { stdin: false, stdout: false, stderr: false },
    signal: new AbortController().signal,
  };
  const exit = await command(argv, world);
  return { exit, stdout, stderr };
}

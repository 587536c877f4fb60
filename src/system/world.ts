/** The real world: argv, environment, streams, signals, and the way out. */
import { createClock } from "./clock.ts";
import { readSurroundings, type Surroundings, trustSystemCertificates } from "./environment.ts";
import { createFiles, fileErrorOf, missingFlag } from "./files.ts";
import { createLogFiles, surviveFileSizeLimit } from "./log_file.ts";
import { createProcesses, findSetsid } from "./process_group.ts";
import { type ExitSignal, listenForExit } from "./signals.ts";
import type { Clock, Files, LogFiles, Processes } from "./system.ts";

/** What the rest of the program knows of the process that it runs in. */
export interface ProcessWorld {
  readonly files: Files;
  readonly logFiles: LogFiles;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly env: { readonly [name: string]: string };
  /** Absolute, links resolved. */
  readonly cwd: string;
  /** Standard input, read only when a command asks for it. */
  readStdin(): AsyncIterable<Uint8Array>;
  /** Writes to standard output at once. A closed pipe ends the program quietly. */
  stdout(text: string): void;
  stderr(text: string): void;
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Aborts on SIGINT, SIGTERM or SIGHUP, and on a closed output; its reason is the signal's name. */
  readonly signal: AbortSignal;
}

const EXIT_OF: { readonly [signal in ExitSignal]: number } = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};
/** The exit code of a program that a closed pipe ended, as a shell would report SIGPIPE. */
const CLOSED_PIPE = 141;

/** Builds the world of this process, runs `main` in it and ends the process with its exit code. */
export async function runProcess(
  main: (argv: readonly string[], world: ProcessWorld) => Promise<number>,
): Promise<never> {
  const { env, cwd } = enterWorld();
  surviveFileSizeLimit();
  const clock = createClock();
  const processes = createProcesses({ clock, setsid: findSetsid() });
  const exit = listenForExit((signal) => {
    // The second signal doesn't wait for an orderly end.
    processes.killAll();
    Deno.exit(EXIT_OF[signal]);
  });
  const closed = new AbortController();
  let code: number | undefined;

  /** Nobody gets to know what the program does from here on, so that it stops; a reader that left knows why. */
  function loseOutput(error: unknown): void {
    if (closed.signal.aborted) return;
    const left = error instanceof Deno.errors.BrokenPipe;
    closed.abort(left ? "SIGPIPE" : "output");
    const { message } = fileErrorOf(error, "standard output", "write to");
    if (!left) writeWhole(Deno.stderr, `cst-agent: ${message}\n`, () => {});
  }

  try {
    code = await main(Deno.args, {
      files: createFiles(),
      logFiles: createLogFiles(),
      processes,
      clock,
      env,
      cwd,
      readStdin,
      stdout: (text) => writeWhole(Deno.stdout, text, loseOutput),
      // A closed stderr is no reason to stop: results go to stdout.
      stderr: (text) => writeWhole(Deno.stderr, text, () => {}),
      terminal: {
        stdin: Deno.stdin.isTerminal(),
        stdout: Deno.stdout.isTerminal(),
        stderr: Deno.stderr.isTerminal(),
      },
      signal: AbortSignal.any([exit.signal, closed.signal]),
    });
  } finally {
    // After an orderly end there are no commands left but those that were left in the background on purpose.
    if (code === undefined || exit.signal.aborted) processes.killAll();
  }
  // A read of standard input may still be pending, so falling off the end wouldn't do.
  if (closed.signal.aborted) return Deno.exit(closed.signal.reason === "SIGPIPE" ? CLOSED_PIPE : 1);
  return Deno.exit(code);
}

/** The surroundings; without the two permissions that everything needs the program ends here. */
function enterWorld(): Surroundings {
  try {
    trustSystemCertificates();
    return readSurroundings();
  } catch (error) {
    const missing = missingFlag(error);
    if (missing === undefined) throw error;
    writeWhole(Deno.stderr, `cst-agent: Cannot start: ${missing}\n`, () => {});
    return Deno.exit(1);
  }
}

async function* readStdin(): AsyncIterable<Uint8Array> {
  try {
    yield* Deno.stdin.readable;
  } catch (error) {
    throw fileErrorOf(error, "standard input", "read");
  }
}

/** How long a full pipe that doesn't block is left alone, in ms. */
const FULL_MS = 5;

/**
 * Writes all of `text`; what the system refuses is told to `lose`, and the rest is swallowed. A pipe that another process
 * has set not to block says so when it's full, and is waited for as any other pipe is.
 */
export function writeWhole(
  stream: { writeSync(bytes: Uint8Array): number },
  text: string,
  lose: (error: unknown) => void,
): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += stream.writeSync(bytes.subarray(at));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) return lose(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS);
    }
  }
}

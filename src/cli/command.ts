/** What a command is: argv in, exit code out, everything else by the world that it's given. */
import type { Clock, Files, LogFiles, Processes } from "../system/system.ts";

/** The real world as `main.ts` builds it, or a made-up one in tests. */
export interface World {
  readonly files: Files;
  readonly logFiles: LogFiles;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly env: { readonly [name: string]: string };
  /** Absolute. */
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
  /** Aborts on SIGINT, SIGTERM or SIGHUP; its reason is the signal's name. */
  readonly signal: AbortSignal;
}

/** A command of the program; returns the exit code. */
export type Command = (argv: readonly string[], world: World) => Promise<number>;

/** The whole of standard input as text; bytes that aren't UTF-8 become U+FFFD. */
export async function readAllStdin(world: World): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const chunk of world.readStdin()) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

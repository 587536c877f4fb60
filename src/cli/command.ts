/** What a command is: argv in, exit code out, everything else by the world that it's given. */
import { StoppedError } from "../errors.ts";
import type { ProcessWorld } from "../system/world.ts";

/** The real world as `main.ts` builds it, or a made-up one in tests. */
export type World = ProcessWorld;

/** A command of the program; returns the exit code. */
export type Command = (argv: readonly string[], world: World) => Promise<number>;

/** The whole of standard input as text; bytes that aren't UTF-8 become U+FFFD. Throws as `readInput` does. */
export async function readAllStdin(world: World): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const chunk of readInput(world)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/**
 * Standard input, chunk by chunk; a person at a terminal is told that it's waited for. Throws `StoppedError` at a
 * signal, since it may never end.
 */
export async function* readInput(world: World): AsyncGenerator<Uint8Array> {
  const { signal, terminal } = world;
  if (terminal.stdin) world.stderr("Reading standard input: Ctrl-D ends it, Ctrl-C stops\n");
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new StoppedError(String(signal.reason)));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  const chunks = world.readStdin()[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([stopped, chunks.next()]);
    if (next.done) return;
    yield next.value;
  }
}

/**
 * The absolute form of a path on the command line, otherwise as it's written: of `link/../x` the system opens what lies
 * beside the link's target, and a name on the command line means what it means to every other program.
 */
export function absolute(path: string, world: Pick<World, "cwd">): string {
  return isAbsolute(path) ? path : `${world.cwd}/${path}`;
}

/** True for `/x`, and for `C:\x` where there are drives. */
export function isAbsolute(path: string): boolean {
  return /^(\/|[A-Za-z]:[\\/])/.test(path);
}

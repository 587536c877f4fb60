/** What a command is: argv in, exit code out, everything else by the world that it's given. */
import type { ProcessWorld } from "../system/world.ts";

/** The real world as `main.ts` builds it, or a made-up one in tests. */
export type World = ProcessWorld;

/** A command of the program; returns the exit code. */
export type Command = (argv: readonly string[], world: World) => Promise<number>;

/** The whole of standard input as text; bytes that aren't UTF-8 become U+FFFD. */
export async function readAllStdin(world: World): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const chunk of world.readStdin()) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The absolute form of a path on the command line, otherwise as it's written: `..` after a link is the system's to follow. */
export function absolute(path: string, world: Pick<World, "cwd">): string {
  return path.startsWith("/") ? path : `${world.cwd}/${path}`;
}

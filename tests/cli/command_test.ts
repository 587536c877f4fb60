import { assertEquals, assertRejects } from "@std/assert";
import { readAllStdin, readInput, type World } from "../../src/cli/command.ts";
import { StoppedError } from "../../src/errors.ts";

function createWorld(terminal: boolean, signal: AbortSignal, chunks: readonly string[]) {
  let stderr = "";
  const world: Partial<World> = {
    terminal: { stdin: terminal, stdout: false, stderr: false },
    signal,
    stderr: (text) => void (stderr += text),
    async *readStdin() {
      for (const chunk of chunks) yield await Promise.resolve(new TextEncoder().encode(chunk));
      if (terminal) await new Promise(() => {});
    },
  };
  return { world: world as World, stderr: () => stderr };
}

Deno.test("standard input that isn't a terminal is read to its end, silently", async () => {
  const { world, stderr } = createWorld(false, new AbortController().signal, ["é", "", "b\n"]);
  assertEquals([await readAllStdin(world), stderr()], ["éb\n", ""]);
});

Deno.test("a person who is waited for is told so, and a signal ends the wait", async () => {
  const stop = new AbortController();
  const { world, stderr } = createWorld(true, stop.signal, ["a"]);
  const input = readInput(world);
  assertEquals((await input.next()).value, new TextEncoder().encode("a"));
  assertEquals(stderr(), "Reading standard input: Ctrl-D ends it, Ctrl-C stops\n");
  const waiting = input.next();
  stop.abort("SIGINT");
  await assertRejects(() => waiting, StoppedError, "Stopped by SIGINT");
  await assertRejects(() => readInput(world).next(), StoppedError, "Stopped by SIGINT");
});

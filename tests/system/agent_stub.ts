/** A little program that runs one command in the real world, for tests that end it by a signal. */
import { runProcess } from "../../src/system/world.ts";

await runProcess(async ([script], world) => {
  await world.processes.runGroup({
    argv: ["/bin/sh", "-c", script!],
    cwd: "/tmp",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 60_000,
    signal: world.signal,
    killBackground: false,
    onOutput: (chunk) => world.stdout(new TextDecoder().decode(chunk)),
  });
  return world.signal.aborted ? 77 : 0;
});

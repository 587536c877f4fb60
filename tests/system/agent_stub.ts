/** A little program that runs one command as the agent does, for tests that end it by a signal. */
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import { dieBySignal, type ExitSignal, listenForExit } from "../../src/system/signals.ts";

const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
const signals = listenForExit(leave);
signals.signal.addEventListener("abort", () => leave(signals.signal.reason));

function leave(signal: ExitSignal): void {
  processes.killAll();
  signals.close();
  dieBySignal(signal);
}

await processes.runGroup({
  argv: ["/bin/sh", "-c", Deno.args[0]!],
  cwd: "/tmp",
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  killBackground: false,
  onOutput: (chunk) => void Deno.stdout.writeSync(chunk),
});

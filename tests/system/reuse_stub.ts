/**
 * A little program for a pid namespace of its own, where it may say which number comes next: a command ends and leaves
 * a child that fled its session, a bystander gets the number of the command's session, and then the child is stopped.
 * Prints how the bystander ended.
 */
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";

/** Threads of this program take numbers too, so that the bystander may get the next one. */
const TRIES = 20;

const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
let output = "";
let leader = 0;
let bystander: Deno.ChildProcess | undefined;
const end = await processes.runGroup({
  argv: ["/bin/sh", "-c", "setsid sleep 300 & echo $$"],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 10_000,
  signal: new AbortController().signal,
  killBackground: true,
  onOutput(chunk) {
    output += new TextDecoder().decode(chunk);
    leader = Number(output);
    setTimeout(takeNumber, 20);
  },
});
await processes.close();
try {
  bystander?.kill("SIGTERM");
} catch {
  // It has ended already, and says by what.
}
const status = await bystander?.status;
console.log(JSON.stringify({ left: end.backgroundLeft, bystander: status?.signal ?? "none" }));

/** Starts the bystander as leader of a session that has the number of the ended one. */
function takeNumber(): void {
  for (let tries = 0; tries < TRIES; tries++) {
    Deno.writeTextFileSync("/proc/sys/kernel/ns_last_pid", String(leader - 1));
    const child = new Deno.Command(findSetsid()!, {
      args: ["sleep", "300"],
      env: { PATH: "/usr/bin:/bin" },
      clearEnv: true,
      stdout: "null",
    }).spawn();
    if (child.pid === leader) {
      bystander = child;
      return;
    }
    child.kill("SIGKILL");
  }
}

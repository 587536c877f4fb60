/** Running real little programs in groups, and looking at what they leave. */
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import type { GroupEnd, GroupRequest } from "../../src/system/system.ts";

/** A group's end with what it printed. */
export interface Ran extends GroupEnd {
  readonly output: string;
}

/** Runs `script` by `sh -c` in a group of its own. */
export async function runScript(
  script: string,
  options: Partial<GroupRequest> & { readonly setsid?: string | undefined } = {},
): Promise<Ran> {
  const setsid = "setsid" in options ? options.setsid : findSetsid();
  const processes = createProcesses({ clock: createClock(), setsid });
  let output = "";
  const decoder = new TextDecoder();
  try {
    const end = await processes.runGroup({
      argv: ["/bin/sh", "-c", script],
      cwd: "/tmp",
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      killBackground: false,
      onOutput: (chunk) => output += decoder.decode(chunk, { stream: true }),
      ...options,
    });
    return { ...end, output: output + decoder.decode() };
  } finally {
    await processes.close();
  }
}

/** The live processes (not zombies) whose command line holds `text`. */
export function alive(text: string): number[] {
  return [...Deno.readDirSync("/proc")].map((entry) => Number(entry.name))
    .filter((pid) =>
      pid > 0 && pid !== Deno.pid && commandLine(pid).includes(text) && !isZombie(pid)
    );
}

/** Waits until no process with `text` in its command line lives, at most `ms`; returns those that do. */
export async function leftAfter(text: string, ms: number): Promise<number[]> {
  const until = performance.now() + ms;
  for (;;) {
    const pids = alive(text);
    if (pids.length === 0 || performance.now() > until) return pids;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A number of seconds that nobody else sleeps: finds our own `sleep` again. None is a part of another. */
export function uniqueSeconds(): string {
  const digits = () => String(Math.floor(Math.random() * 1e6)).padStart(6, "0");
  return `3${digits()}.${digits()}`;
}

/** Ends processes that a test has left on purpose. */
export function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

function commandLine(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

function isZombie(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat === "" || stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

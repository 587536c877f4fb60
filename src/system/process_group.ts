/**
 * Commands as leaders of their own session and group, behind {@linkcode Processes} (SPEC 5, `run`).
 *
 * `/bin/sh -c 'exec setsid "$@" 2>&1'` gives a command its session and one pipe for both outputs. Deno's own
 * `detached` is a real fork, whose cost grows with our memory (about 40 µs a MiB); a plain spawn of `setsid` isn't and
 * stays near 1.8 ms, the third `exec` included (`scripts/bench/spawn.ts`). Where there is no `setsid` (macOS),
 * `detached` it is.
 */
import { fileErrorOf } from "./files.ts";
import type { Clock, GroupEnd, GroupRequest, Processes } from "./system.ts";
import { RUN_MARK, ticksNow } from "./members.ts";
import {
  type Group,
  killGroup,
  killMembers,
  signalGroup,
  staysAlive,
  stopGroup,
  within,
} from "./stop_group.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** How long background children may hold the output after the leader's end (SPEC 5). */
const DRAIN_MS = 200;
/** How long a killed leader is waited for: one that the kernel can't end (a dead network disk) must not hold us. */
const KILLED_MS = 500;
/** Half of what a pipe holds: the text of a larger chunk is a large object of V8, and memory grows threefold in a flood. */
const CHUNK = 32_768;

/** What {@linkcode createProcesses} needs. */
export interface ProcessOptions {
  readonly clock: Clock;
  /** The path of `setsid`; see `findSetsid`. */
  readonly setsid: string | undefined;
}

/** {@linkcode Processes} with an end. */
export interface ProcessKeeper extends Processes {
  /** Ends the watchdog; what still runs is killed. The end of the program does the same. */
  close(): Promise<void>;
}

/** Where `setsid` is, undefined where there is none. */
export function findSetsid(): string | undefined {
  return ["/usr/bin/setsid", "/bin/setsid"].find((path) => {
    try {
      return Deno.build.os === "linux" && Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/**
 * Runs commands in groups of their own.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createClock } from "./clock.ts";
 * const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
 * let output = "";
 * const end = await processes.runGroup({
 *   argv: ["sh", "-c", "echo out; echo err >&2; exit 3"],
 *   cwd: "/",
 *   env: { PATH: "/bin:/usr/bin" },
 *   timeoutMs: 5000,
 *   signal: new AbortController().signal,
 *   killBackground: false,
 *   onOutput: (chunk) => output += new TextDecoder().decode(chunk),
 * });
 * assertEquals([end.exit, end.reason, output], [3, "exited", "out\nerr\n"]);
 * await processes.close();
 * ```
 */
export function createProcesses(options: ProcessOptions): ProcessKeeper {
  const { clock, setsid } = options;
  const running = new Set<Group>();
  const leftBehind = new Set<Group>();
  let watchdog: Watchdog | undefined;

  async function runGroup(request: GroupRequest): Promise<GroupEnd> {
    const started = clock.monotonic();
    // Two programs, or two keepers of one, must never have the same: what bears it is killed with the command.
    const mark = crypto.randomUUID();
    watchdog ??= createWatchdog(setsid);
    const child = spawn(request, { setsid, mark });
    const group: Group = { pid: child.pid, mark, endedAt: undefined };
    running.add(group);
    watchdog.guard(group.pid);
    try {
      const end = await follow(child, group, { request, clock });
      if (end.backgroundLeft && !request.killBackground) leftBehind.add(group);
      return { ...end, ms: clock.monotonic() - started };
    } finally {
      running.delete(group);
      watchdog.release(group.pid);
    }
  }

  return {
    runGroup,
    killAll() {
      for (const group of running) signalGroup(group, "SIGKILL");
      for (const group of [...running, ...leftBehind]) killMembers(group);
    },
    async close() {
      await watchdog?.close();
    },
  };
}

function spawn(
  request: GroupRequest,
  options: { readonly setsid: string | undefined; readonly mark: string },
): Deno.ChildProcess {
  const { argv, cwd, env } = request;
  const script = options.setsid === undefined
    ? 'exec "$@" 2>&1'
    : `exec ${options.setsid} "$@" 2>&1`;
  try {
    return new Deno.Command("/bin/sh", {
      args: ["-c", script, "sh", ...argv],
      cwd,
      env: { ...env, [RUN_MARK]: options.mark },
      clearEnv: true,
      detached: options.setsid === undefined,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
  } catch (error) {
    throw fileErrorOf(error, cwd, "start a command in");
  }
}

/** From the spawn to the end: the leader's, the time limit's or the cancel's. */
async function follow(
  child: Deno.ChildProcess,
  group: Group,
  context: { readonly request: GroupRequest; readonly clock: Clock },
): Promise<Omit<GroupEnd, "ms">> {
  const { request, clock } = context;
  const over = new AbortController();
  const reader = child.stdout.getReader({ mode: "byob" });
  let open = true;
  const output = pump(reader, request.onOutput).finally(() => open = false);
  const status = child.status.then((status) => {
    group.endedAt = ticksNow();
    return status;
  });
  try {
    const reason = await Promise.race([
      status.then(() => "exited" as const),
      clock.sleep(request.timeoutMs, over.signal).then(() => "timeout" as const),
      aborted(request.signal, over.signal).then(() => "cancelled" as const),
      output.then(() => status).then(() => "exited" as const),
    ]);
    if (reason !== "exited") {
      const leader = request.argv[0].endsWith("/bwrap") ? "sandbox" : "command";
      await stopGroup(group, { clock, leader, over: Promise.allSettled([status, output]) });
    }
    const ended = reason === "exited" ? await status : await within(KILLED_MS, status, clock);
    if (open) await within(DRAIN_MS, output, clock);
    const backgroundLeft = open || await staysAlive(group, clock);
    if (backgroundLeft && (reason !== "exited" || request.killBackground)) {
      killGroup(group);
    }
    return {
      exit: exitOf(reason, ended),
      signal: ended?.signal ?? null,
      reason,
      backgroundLeft,
    };
  } finally {
    over.abort("over");
    // What reads the output has failed: the command can't go on without it.
    if (group.endedAt === undefined) killGroup(group);
    await reader.cancel().catch(() => {});
  }
}

function exitOf(reason: GroupEnd["reason"], status: Deno.CommandStatus | undefined): number {
  switch (reason) {
    case "timeout":
      return 124;
    case "cancelled":
      return 130;
    case "exited":
      return status?.code ?? 1;
  }
}

/** Reads into one buffer again and again: a new array for each chunk is garbage faster than it is collected. */
async function pump(
  reader: ReadableStreamBYOBReader,
  onOutput: (chunk: Uint8Array) => void,
): Promise<void> {
  let buffer = new Uint8Array(CHUNK);
  for (;;) {
    const { done, value } = await reader.read(buffer);
    if (done) return;
    onOutput(value);
    buffer = new Uint8Array(value.buffer);
  }
}

/** Resolves when `signal` aborts; forgets about it when `over` does. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
  });
}

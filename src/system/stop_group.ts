/** Stopping a group: who is told, in which order, and whether anybody is left. */
import { groupHasLife, listMembers, sessionIsOwn } from "./members.ts";
import type { Clock } from "./system.ts";

/** How long a command may take to end after SIGTERM (SPEC 5). */
const TERM_GRACE_MS = 2000;
/** How long a child takes from its last word to its end, on a busy machine. */
const ENDING_MS = 30;

/** A command that runs, or whose background children do. */
export interface Group {
  readonly pid: number;
  readonly mark: string;
  /** When the leader was seen to have ended (`ticksNow`): from then on its number may become somebody else's. */
  endedAt: number | undefined;
}

/**
 * SIGTERM to all of the command, and SIGKILL to what is left of it after the grace. bubblewrap passes no signal on: at
 * SIGTERM it ends itself, and with it, by SIGKILL, all that is inside. So a sandbox gets none, only what is in it.
 */
export async function stopGroup(
  group: Group,
  context: {
    readonly clock: Clock;
    readonly leader: "command" | "sandbox";
    readonly over: Promise<unknown>;
  },
): Promise<void> {
  const { clock, leader, over } = context;
  const deadline = clock.monotonic() + TERM_GRACE_MS;
  const told = new Set(leader === "sandbox" ? [group.pid] : []);
  if (leader === "command") signalGroup(group, "SIGTERM");
  let isOver = false;
  const ended = over.then(() => isOver = true);
  // The usual end is seen at once. Who holds neither pipe nor leader is asked for, ever less often, and who was just
  // being born when the group was told is told by itself.
  for (let pause = 5; clock.monotonic() < deadline; pause = Math.min(100, pause * 2)) {
    const members = listMembers(membershipOf(group));
    if (members.length === 0) break;
    const late = members.filter(({ pid, group: own }) =>
      !told.has(pid) && (leader === "sandbox" || own !== group.pid)
    );
    for (const { pid } of late) {
      signal(pid, "SIGTERM");
      told.add(pid);
    }
    await (isOver ? clock.sleep(pause) : within(pause, ended, clock));
  }
  killGroup(group);
}

/** Whether the group lives on: a child that has just let go of the pipe is about to end. */
export async function staysAlive(group: Group, clock: Clock): Promise<boolean> {
  if (!groupIsAlive(group)) return false;
  await clock.sleep(ENDING_MS);
  return groupIsAlive(group);
}

function groupIsAlive(group: Group): boolean {
  try {
    Deno.kill(-group.pid, 0 as unknown as Deno.Signal);
  } catch {
    return false;
  }
  return Deno.build.os !== "linux" || groupHasLife(group.pid);
}

/**
 * Signals the group. In the first millisecond the leader has not called `setsid` yet and there is no such group: then
 * the leader is all there is, and if it got its group just in between, the group is signalled after all. After the
 * leader's end the group is signalled only if its number is still its own.
 */
export function signalGroup(group: Group, name: Deno.Signal): void {
  if (group.endedAt !== undefined) {
    if (sessionIsOwn(membershipOf(group))) signal(-group.pid, name);
    return;
  }
  if (signal(-group.pid, name)) return;
  signal(group.pid, name);
  signal(-group.pid, name);
}

/** Kills the group and whatever of the command left it. */
export function killGroup(group: Group): void {
  signalGroup(group, "SIGKILL");
  killMembers(group);
}

/** Kills each process that {@linkcode listMembers} finds. */
export function killMembers(group: Group): void {
  for (const { pid } of listMembers(membershipOf(group))) signal(pid, "SIGKILL");
}

function membershipOf({ pid, mark, endedAt }: Group) {
  return { session: pid, mark, endedAt };
}

function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** What `promise` gives, or undefined after `ms`. */
export async function within<T>(
  ms: number,
  promise: Promise<T>,
  clock: Clock,
): Promise<T | undefined> {
  const over = new AbortController();
  const first = await Promise.race([promise, clock.sleep(ms, over.signal).then(() => undefined)]);
  over.abort("over");
  return first;
}

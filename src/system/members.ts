/** Which processes belong to a command, as Linux's `/proc` tells. Elsewhere nothing is found. */

/** The variable in the environment of every command, by which what left its session is still found. */
export const RUN_MARK = "CST_RUN_MARK";

/** One process of a command. */
export interface Member {
  readonly pid: number;
  readonly group: number;
}

/** How a command is recognised: by its session, which is the leader's pid, or by its mark. */
export interface Membership {
  readonly session: number;
  readonly mark: string;
  /** When the leader was seen to have ended, by {@linkcode ticksNow}; undefined as long as it hasn't. */
  readonly endedAt: number | undefined;
}

/** A live process as `/proc` tells of it. */
interface Seen extends Member {
  readonly session: number;
  readonly started: number;
  readonly marked: boolean;
}

/**
 * The live processes of a command: those of its session, in whatever group a shell with job control has put them, and
 * those that left it by `setsid` but still carry its mark. Zombies don't count. Takes about 10 µs for each process of
 * the machine.
 */
export function listMembers(of: Membership): Member[] {
  const seen = look(of);
  const own = isOwn(seen, of);
  return seen.filter(({ marked }) => own || marked).map(({ pid, group }) => ({ pid, group }));
}

/**
 * Whether the number of the session is still the command's: once its leader has ended and its last process is gone,
 * the system may give it to somebody else. Where `/proc` tells nothing, a number is trusted.
 */
export function sessionIsOwn(of: Membership): boolean {
  return of.endedAt === undefined || readStat(Deno.pid) === undefined || isOwn(look(of), of);
}

/**
 * The system gives no number to a new process as long as a process of that session lives. So one that is surely the
 * command's, by its mark or since it's older than the leader's end, speaks for all of them.
 */
function isOwn(seen: readonly Seen[], { session, endedAt }: Membership): boolean {
  return endedAt === undefined ||
    seen.some((each) => each.session === session && (each.marked || each.started <= endedAt));
}

/** The live processes of the session and those with the mark. */
function look(of: Membership): Seen[] {
  const seen: Seen[] = [];
  for (const pid of pids()) {
    const stat = readStat(pid);
    if (stat === undefined || stat.dead) continue;
    const marked = hasMark(pid, of.mark);
    if (marked || stat.session === of.session) seen.push({ pid, ...stat, marked });
  }
  return seen;
}

/** The time since the machine's start in hundredths of a second, the unit of a process's start in `/proc`. */
export function ticksNow(): number {
  const uptime = read("/proc/uptime");
  return uptime === undefined ? Infinity : Math.floor(parseFloat(uptime) * 100);
}

/** Whether a live process, not just a zombie, is in the group. */
export function groupHasLife(group: number): boolean {
  return pids().some((pid) => {
    const stat = readStat(pid);
    return stat !== undefined && !stat.dead && stat.group === group;
  });
}

function pids(): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map((entry) => Number(entry.name)).filter((pid) =>
      pid > 0
    );
  } catch {
    return [];
  }
}

/** One line of `/proc/PID/stat`. */
interface Stat {
  readonly dead: boolean;
  readonly group: number;
  readonly session: number;
  readonly started: number;
}

/**
 * `pid (name) state ppid pgrp session …`, the start as field 22; the name may hold anything, so reading starts after
 * the last `)`.
 */
function readStat(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group, session] = fields;
  return {
    dead: state === "Z" || state === "X",
    group: Number(group),
    session: Number(session),
    started: Number(fields[19]),
  };
}

function hasMark(pid: number, mark: string): boolean {
  if (pid === Deno.pid) return false;
  const environment = read(`/proc/${pid}/environ`);
  return environment !== undefined &&
    `\0${environment}\0`.includes(`\0${RUN_MARK}=${mark}\0`);
}

/** A process may end at any moment, and another user's environment can't be read. */
function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

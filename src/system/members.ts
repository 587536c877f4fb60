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
}

/**
 * The live processes of a command: those of its session, in whatever group a shell with job control has put them, and
 * those that left it by `setsid` but still carry its mark. Zombies don't count. Takes about 10 µs for each process of
 * the machine.
 */
export function listMembers(of: Membership): Member[] {
  const found: Member[] = [];
  for (const pid of pids()) {
    const stat = readStat(pid);
    if (stat === undefined || stat.dead) continue;
    if (stat.session === of.session || hasMark(pid, of.mark)) {
      found.push({ pid, group: stat.group });
    }
  }
  return found;
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

/** `pid (name) state ppid pgrp session …`; the name may hold anything, so reading starts after the last `)`. */
function readStat(
  pid: number,
): { readonly dead: boolean; readonly group: number; readonly session: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const [state, , group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { dead: state === "Z" || state === "X", group: Number(group), session: Number(session) };
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

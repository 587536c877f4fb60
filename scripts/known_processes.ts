/** Processes that are known by number and start, so that a number that came back isn't taken for them (Linux). */

/** One process. */
export interface Known {
  readonly pid: number;
  readonly started: string;
}

interface Stat extends Known {
  readonly parent: number;
  readonly dead: boolean;
}

/** The live processes that `pid` has started, and theirs, as it is now. */
export function descendantsOf(pid: number): Known[] {
  const all = living();
  const found = all.filter(({ parent }) => parent === pid);
  // Grows while it's walked: children come after their parent.
  for (const { pid: parent } of found) found.push(...all.filter((each) => each.parent === parent));
  return found;
}

/** Those of `known` that still live. */
export function leftOf(known: readonly Known[]): Known[] {
  return known.filter(({ pid, started }) => {
    const stat = statOf(pid);
    return stat !== undefined && !stat.dead && stat.started === started;
  });
}

/** The numbers of the live processes whose command line holds `text`. */
export function livingWith(text: string): number[] {
  return living().map(({ pid }) => pid)
    .filter((pid) => pid !== Deno.pid && read(`/proc/${pid}/cmdline`).includes(text));
}

function living(): Stat[] {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name))
    .map(({ name }) => statOf(Number(name)))
    .filter((stat) => stat !== undefined && !stat.dead) as Stat[];
}

/** `pid (name) state ppid …`, the start as field 22; the name may hold anything. */
function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === "") return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    started: fields[19]!,
    parent: Number(fields[1]),
    dead: fields[0] === "Z" || fields[0] === "X",
  };
}

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

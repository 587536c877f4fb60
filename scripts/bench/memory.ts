/**
 * What a program and everything that it started take of the memory, as Linux counts it (`/proc/PID/smaps_rollup`).
 *
 * A page that several processes share is in the resident size (RSS) of each of them; of the proportional size (PSS)
 * each gets its part, so that the sum over a tree is what the tree takes.
 */

/** Sums over a process tree. */
export interface TreeMemory {
  readonly pssKb: number;
  readonly rssKb: number;
  readonly processes: number;
}

/** How often a tree is looked at, in ms. */
const EVERY = 25;

/** What the tree that `pid` leads takes now; zeros when it's gone. */
export function treeMemory(pid: number): TreeMemory {
  const rollups = treeOf(pid).map((it) => read(`/proc/${it}/smaps_rollup`)).filter((it) =>
    it !== ""
  );
  const sum = (field: string) =>
    rollups.reduce((kb, it) => kb + Number(new RegExp(`^${field}: +(\\d+)`, "m").exec(it)?.[1]), 0);
  return { pssKb: sum("Pss"), rssKb: sum("Rss"), processes: rollups.length };
}

/** The most of each that the tree of `pid` took until `ended` was settled; sums are taken every 25 ms. */
export async function peakMemory(pid: number, ended: Promise<unknown>): Promise<TreeMemory> {
  let peak: TreeMemory = { pssKb: 0, rssKb: 0, processes: 0 };
  let over = false;
  void ended.finally(() => over = true);
  while (!over) {
    const now = treeMemory(pid);
    peak = {
      pssKb: Math.max(peak.pssKb, now.pssKb),
      rssKb: Math.max(peak.rssKb, now.rssKb),
      processes: Math.max(peak.processes, now.processes),
    };
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
  return peak;
}

/** `pid` and its descendants. */
function treeOf(pid: number): readonly number[] {
  const tree = [pid];
  for (const parent of tree) {
    for (const { name: task } of list(`/proc/${parent}/task`)) {
      const children = read(`/proc/${parent}/task/${task}/children`).trim();
      if (children !== "") tree.push(...children.split(" ").map(Number));
    }
  }
  return tree;
}

/** A process may end while it's looked at. */
function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

function list(path: string): readonly Deno.DirEntry[] {
  try {
    return Array.from(Deno.readDirSync(path));
  } catch {
    return [];
  }
}

/**
 * Prints the table of the shared patch cases with this engine's column: each case in a real folder, through
 * `cst-agent patch`'s own code.
 *
 * Usage: deno run -A scripts/patch_scores.ts [FOLDER of the cases]
 */
import { loadCases, SETS } from "../tests/patch/corpus.ts";
import { judge, patchFolder, type Verdict } from "../tests/patch/on_disk.ts";

const shared = new URL("../../shared/patch/", import.meta.url);
const OUR = "cst-agent";

/** What came of each case, by category. */
async function count(): Promise<Map<string, Map<Verdict, number>>> {
  const counts = new Map<string, Map<Verdict, number>>();
  for (const set of SETS) {
    for (const each of loadCases(set)) {
      const verdict = await judge(each, patchFolder);
      const row = counts.get(each.category) ?? new Map<Verdict, number>();
      row.set(verdict, (row.get(verdict) ?? 0) + 1);
      counts.set(each.category, row);
      if (verdict !== "right") console.error(`${verdict}: ${each.category} ${each.id}`);
    }
  }
  return counts;
}

function cell(row: ReadonlyMap<Verdict, number> | undefined): string {
  if (!row) return "–";
  const total = [...row.values()].reduce((sum, each) => sum + each, 0);
  const faults = [...row].filter(([verdict]) => verdict !== "right")
    .map(([verdict, number]) => ` ${number} ${verdict}`).join(",");
  return `${row.get("right") ?? 0}/${total}${faults}`;
}

const counts = await count();
const table = Deno.readTextFileSync(new URL("scores.md", shared)).split("\n");
const all = new Map<Verdict, number>();
for (const row of counts.values()) {
  for (const [verdict, number] of row) all.set(verdict, (all.get(verdict) ?? 0) + number);
}
let inTable = false;
for (const line of table) {
  const category = /^\| ?([^|]+?) ?\|/.exec(line)?.[1];
  if (category === "category") inTable = true;
  if (!inTable || category === undefined) {
    if (inTable && category === undefined) break;
    continue;
  }
  const ours = category === "category"
    ? OUR
    : category.startsWith("---")
    ? "---"
    : category === "**all**"
    ? cell(all)
    : cell(counts.get(category));
  console.log(`${line} ${ours} |`);
}
console.log(`| real/synth | | ok |${"  |".repeat(8)} ${cell(counts.get("real/synth"))} |`);
console.log(
  `\nThe ${OUR} column counts the cases that are here (dev and synth), right/cases; the others were counted over a larger set.`,
);

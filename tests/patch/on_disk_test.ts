import { assertEquals } from "@std/assert";
import { loadCases, SETS, sharedIsThere } from "./corpus.ts";
import { judge, patchFolder } from "./on_disk.ts";

for (const set of SETS) {
  Deno.test(`All cases of ${set} leave whole folders right`, async () => {
    if (!sharedIsThere()) return;
    const faults: string[] = [];
    // The larger sets are judged whole by scripts/patch_scores.ts, and in memory beside this.
    const cases = loadCases(set).filter((each, at) => set === "hand" || each.disk || at % 8 === 0);
    for (const each of cases) {
      const verdict = await judge(each, patchFolder);
      if (verdict !== "right") faults.push(`${verdict}: ${each.category} ${each.id}`);
    }
    assertEquals(faults, []);
  });
}

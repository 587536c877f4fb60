import { assertEquals } from "@std/assert";
import { applySections } from "../../src/patch/apply.ts";
import { encodeText } from "../../src/patch/byte_text.ts";
import { parsePatch } from "../../src/patch/parse.ts";
import type { Misfit, Source } from "../../src/patch/patch.ts";
import { type Case, loadCases, matches, SETS, sharedIsThere } from "./corpus.ts";

type Run =
  | { readonly tree: Map<string, string> }
  | { readonly misfits: readonly Misfit[] };

function run(each: Case): Run {
  const parsed = parsePatch(encodeText(each.patch));
  if (parsed.kind === "misfits") return parsed;
  const applied = applySections(parsed.sections, (path): Source => {
    const text = each.before.get(path);
    if (text !== undefined) return { kind: "file", text, mode: 0o644 };
    const folder = [...each.before.keys()].some((name) => name.startsWith(`${path}/`));
    return folder ? { kind: "other", what: "a folder" } : { kind: "missing" };
  });
  if (applied.kind === "misfits") return applied;
  const tree = new Map(each.before);
  for (const { path, after } of applied.changes) {
    if (after === null) tree.delete(path);
    else tree.set(path, after.text);
  }
  return { tree };
}

/** What is wrong with the outcome, or nothing. */
function fault(each: Case): string | undefined {
  const outcome = run(each);
  if ("misfits" in outcome) {
    if (each.expect !== "ok") return undefined;
    return `${each.category} ${each.id}: refused: ${outcome.misfits[0]?.message}`;
  }
  if (each.expect === "fail") return `${each.category} ${each.id}: applied, must be refused`;
  return matches(each, outcome.tree) ? undefined : `${each.category} ${each.id}: WRONG EDIT`;
}

for (const set of SETS) {
  Deno.test(`All cases of ${set} are applied right or refused right, in memory`, () => {
    if (!sharedIsThere()) return;
    const cases = loadCases(set).filter((each) => !each.disk);
    assertEquals(cases.map(fault).filter((each) => each !== undefined), []);
  });
}

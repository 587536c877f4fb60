/**
 * The engine's own time against `git apply`'s whole process, in one interleaved run: 1,000 hunks in a 1 MB file, and a
 * hunk that fits nowhere in it. Prints medians and their ratio.
 *
 * Usage: deno run -A scripts/bench/patch.ts [ROUNDS]
 */
import { applySections } from "../../src/patch/apply.ts";
import { byteTextOf, encodeText } from "../../src/patch/byte_text.ts";
import { parsePatch } from "../../src/patch/parse.ts";

const rounds = Number(Deno.args[0] ?? 15);
const folder = Deno.makeTempDirSync();
const git = (args: string[]) =>
  new Deno.Command("git", { args, cwd: folder, stdout: "piped", stderr: "null" }).outputSync();

/** About 1 MB of lines that look like code: many are equal. */
const lines = Array.from(
  { length: 30_000 },
  (_, at) => at % 5 === 0 ? "    }" : `    const value${at % 5000} = compute(${at % 1000}, "x");`,
);
const edited = lines.map((line, at) => at % 30 === 12 ? `    const changed${at} = 1;` : line);
Deno.writeTextFileSync(`${folder}/old.ts`, `${lines.join("\n")}\n`);
Deno.writeTextFileSync(`${folder}/new.ts`, `${edited.join("\n")}\n`);
const diff = new TextDecoder().decode(git(["diff", "--no-index", "old.ts", "new.ts"]).stdout)
  .replaceAll("new.ts", "old.ts");
Deno.writeTextFileSync(`${folder}/many.patch`, diff);
const absent = `--- a/old.ts\n+++ b/old.ts\n@@ -12000,7 +12000,7 @@\n${
  lines.slice(12_000, 12_003).map((line) => ` ${line}`).join("\n")
}\n-    const absent = 0;\n+    const absent = 1;\n${
  lines.slice(12_004, 12_007).map((line) => ` ${line}`).join("\n")
}\n`;
Deno.writeTextFileSync(`${folder}/absent.patch`, absent);

function ours(patch: string): { ms: number; kind: string } {
  const start = performance.now();
  const bytes = Deno.readFileSync(`${folder}/old.ts`);
  const text = Deno.readTextFileSync(`${folder}/${patch}`);
  const parsed = parsePatch(encodeText(text));
  if (parsed.kind !== "patch") throw new Error("the benchmark's patch must parse");
  const applied = applySections(
    parsed.sections,
    () => ({ kind: "file", text: byteTextOf(bytes), mode: 0o644 }),
  );
  return { ms: performance.now() - start, kind: applied.kind };
}

function theirs(patch: string): { ms: number; kind: string } {
  const start = performance.now();
  const { success } = git(["apply", "--check", "--whitespace=nowarn", patch]);
  return { ms: performance.now() - start, kind: success ? "applied" : "misfits" };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

const size = Deno.statSync(`${folder}/old.ts`).size;
console.log(
  `file ${(size / 1e6).toFixed(2)} MB, ${diff.split("\n@@").length - 1} hunks, ${rounds} rounds`,
);
for (const patch of ["many.patch", "absent.patch"]) {
  const times = { ours: [] as number[], git: [] as number[] };
  const kinds = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const [a, b] = [theirs(patch), ours(patch)];
    times.git.push(a.ms);
    times.ours.push(b.ms);
    kinds.add(`git ${a.kind}, ours ${b.kind}`);
  }
  const [gitMs, ourMs] = [median(times.git), median(times.ours)];
  console.log(
    `${patch}: git apply ${gitMs.toFixed(1)} ms, engine ${ourMs.toFixed(1)} ms (first ${
      times.ours[0]!.toFixed(1)
    }), ratio ${(ourMs / gitMs).toFixed(2)} (${[...kinds].join("; ")})`,
  );
}
Deno.removeSync(folder, { recursive: true });

/**
 * What reading and judging a scoped command line costs: median and 99th percentile, in milliseconds.
 *
 * Usage: deno run -A scripts/bench/check_command.ts [ROUNDS]
 */
import { pathsToResolve } from "../../src/permission/judge_command.ts";
import { createPolicy } from "../../src/permission/policy.ts";
import { readPermissionFlags } from "../../src/permission/flags.ts";
import { createRules } from "../../src/permission/rules.ts";

const LINES = [
  "git status",
  "make -j2 test 2>&1 | tail -n 20",
  "git log --oneline | head -20 && echo done > out.txt",
  'for i in 1 2 3; do echo "$i"; done',
  "find . -name '*.ts' -type f | xargs grep -n 'some text' | sort | uniq -c",
  "if test -f a; then sed -n '1,20p' a; else cat <<'EOF'\nnothing here\nEOF\nfi",
];

const rounds = Number(Deno.args[0] ?? "500");
const names = "git make tail head echo find xargs grep sort uniq test sed cat".split(" ");
const { flags } = readPermissionFlags([`--allow-run=${names.join(",")}`, "--allow-write=."]);
const policy = createPolicy(createRules(flags, "/w"), {
  cwd: "/w",
  home: "/home/u",
  programs: new Map(names.map((name) => [name, { path: `/bin/${name}`, real: `/bin/${name}` }])),
  realPaths: new Map(),
  ownPaths: [],
  foldCase: false,
});

const loading = performance.now();
const { readCommandLine } = await import("../../src/permission/shell.ts");
console.log(`loading the parser: ${(performance.now() - loading).toFixed(1)} ms, once`);

for (const text of LINES) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const line = readCommandLine(text, { home: "/home/u" });
    const paths = new Map(
      pathsToResolve(line, "/w").map((path) => [path, { path, real: path, links: 1 }]),
    );
    const { kind } = policy.decide({ kind: "run", line, paths });
    times.push(performance.now() - start);
    if (kind !== "allow") throw new Error(`Not allowed: ${text}`);
  }
  times.sort((left, right) => left - right);
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(3);
  console.log(`${at(0.5)} ms median  ${at(0.99)} ms p99  first included  ${JSON.stringify(text)}`);
}

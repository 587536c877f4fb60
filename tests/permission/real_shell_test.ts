/**
 * The checker against bash itself: generated lines run in a scratch folder where every program is a stub that writes
 * its name to a log. CST_FUZZ_LINES sets how many.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { readPermissionFlags } from "../../src/permission/flags.ts";
import { createRules } from "../../src/permission/rules.ts";
import { createPolicy } from "../../src/permission/policy.ts";
import { readCommandLine } from "../../src/permission/shell.ts";
import type { Call } from "../../src/permission/shell_syntax.ts";
import { ALLOWED, broken, line, soup, WRAPPERS } from "./shell_lines.ts";
import { createScratch, exists, type Scratch } from "./scratch_shell.ts";
import { judgeableLine } from "./judgeable.ts";

/** Bash refuses it, and yet ends with 0. */
const REFUSED_WITH_0 = "[[ -n\n $(a) && p == p* ]] && 'a' & a";

const LINES = Number(Deno.env.get("CST_FUZZ_LINES") ?? "120");

function decide(text: string, scratch: Scratch) {
  const cwd = `${scratch.folder}/work`;
  const { flags } = readPermissionFlags([
    `--allow-run=${[...ALLOWED, ...WRAPPERS].join(",")}`,
    "--allow-write=.",
  ]);
  const programs = new Map([...ALLOWED, ...WRAPPERS].map((name) => {
    const path = `${scratch.bin}/${name}`;
    return [name, { path, real: path }];
  }));
  const facts = {
    cwd,
    home: "/home/u",
    programs,
    realPaths: new Map(),
    ownPaths: [],
    foldCase: false,
  };
  const access = judgeableLine(text, (path) => ({ path, real: path, links: 1 }), cwd);
  return createPolicy(createRules(flags, cwd), facts).decide(access);
}

for (
  const [what, lines] of [
    ["pieces put together", soup],
    ["grammatical lines", line],
    ["lines with pieces thrown in", broken],
  ] as const
) {
  Deno.test(`no program starts that the checker hadn't named: ${what}`, async () => {
    const scratch = createScratch();
    let certain = 0;
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(lines, async (text) => {
        const read = readCommandLine(text, { home: "/home/u" });
        const opaque = read.calls.some((call) => call.concern?.kind === "opaque");
        if (read.doubts.length > 0 || opaque || read.calls.length === 0) return;
        certain++;
        const started = await scratch.run(text);
        const named = read.calls.map((call) => call.texts[0]);
        assertEquals(started.filter((one) => !named.includes(nameOf(one))), [], "raw");
        const decision = decide(text, scratch);
        if (decision.kind !== "allow") return;
        accepted++;
        assert(decision.printed !== null);
        let ran = await scratch.run(decision.printed);
        // A pattern may find a file or not that the other side of a pipe makes: then it's run again.
        for (let again = 0; again < 3 && String(ran) !== String(started); again++) {
          ran = await scratch.run(decision.printed);
        }
        assertEquals(ran.filter((one) => !ALLOWED.includes(nameOf(one))), [], decision.printed);
        if (started.length === 0 && ran.length > 0 && !(await scratch.isSyntax(text))) return;
        assertEquals(ran, started, `printed otherwise than meant: ${decision.printed}`);
      }),
      { numRuns: LINES, examples: [[REFUSED_WITH_0]] },
    ).finally(() => scratch.remove());
    if (lines === line) assert(accepted > LINES / 4, "most grammatical lines should be accepted");
    console.log(`${LINES} lines, ${certain} certain, ${accepted} accepted and run both ways`);
  });
}

Deno.test("under strace, an accepted line executes the files that it was accepted for and no other", async () => {
  if (!exists("/usr/bin/strace")) {
    if (Deno.env.has("CI")) throw new Error("Cannot find strace");
    console.log("left out: strace is not on this machine");
    return;
  }
  const scratch = createScratch();
  const allowed = [...ALLOWED, ...WRAPPERS].map((name) => `${scratch.bin}/${name}`);
  let executed = 0;
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      const decision = decide(text, scratch);
      if (decision.kind !== "allow" || decision.printed === null) return;
      const files = await scratch.trace(decision.printed);
      executed += files.length;
      assertEquals(files.filter((file) => !allowed.includes(file)), [], decision.printed);
    }),
    { numRuns: Math.ceil(LINES / 8) },
  ).finally(() => scratch.remove());
  console.log(`${executed} files executed`);
});

Deno.test("printing is a fixpoint: what is printed reads as the same words", () => {
  fc.assert(
    fc.property(fc.oneof(soup, line, broken), (text) => {
      const read = readCommandLine(text, { home: "/home/u" });
      if (read.doubts.length > 0) return;
      const scratch = { folder: "/w", bin: "/w/bin" } as Scratch;
      const decision = decide(text, scratch);
      if (decision.kind !== "allow" || decision.printed === null) return;
      const again = readCommandLine(decision.printed, { home: null });
      assertEquals(again.doubts, []);
      assertEquals(
        again.calls.map(wordsOf),
        read.calls.map(wordsOf),
      );
    }),
    { numRuns: 1000 },
  );
});

/** A call's words without what printing changes on purpose: the paths of programs, and the text for an inner shell. */
function wordsOf({ texts }: Call): (string | null)[] {
  const words = texts.map((text) => text?.replace("/w/bin/", "") ?? null);
  return words[0] === "bash" ? ["bash"] : words;
}

function nameOf(started: string): string {
  return started.split("<")[0]!;
}

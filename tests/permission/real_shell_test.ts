/**
 * The checker against bash itself: generated lines run in a scratch folder where every program is a stub that writes
 * its name to a log. CST_FUZZ_LINES sets how many.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createRules, readPermissionFlags } from "../../src/permission/rules.ts";
import { createPolicy, PINNED_SHELL } from "../../src/permission/policy.ts";
import { readCommandLine } from "../../src/permission/shell.ts";
import { judgeableLine } from "./judgeable.ts";

const LINES = Number(Deno.env.get("CST_FUZZ_LINES") ?? "250");
const ALLOWED = ["a", "b", "c"];
const OTHERS = ["x", "y"];

interface Scratch {
  readonly folder: string;
  readonly bin: string;
  /** Runs a text and returns the names of the stubs that started, sorted. */
  run(text: string): Promise<string[]>;
  remove(): void;
}

function createScratch(): Scratch {
  const folder = Deno.makeTempDirSync({ prefix: "cst-shell-" });
  const bin = `${folder}/bin`;
  const log = `${folder}/log`;
  Deno.mkdirSync(bin);
  Deno.mkdirSync(`${folder}/work`);
  for (const name of [...ALLOWED, ...OTHERS]) {
    const body = `#!/bin/sh\necho ${name} >> ${log}\necho ${name}\n`;
    Deno.writeTextFileSync(`${bin}/${name}`, body, { mode: 0o755 });
  }
  return {
    folder,
    bin,
    async run(text) {
      Deno.writeTextFileSync(log, "");
      const [shell, ...args] = PINNED_SHELL;
      await new Deno.Command("/usr/bin/timeout", {
        args: ["-k", "1", "3", `/bin/${shell}`, ...args, text],
        cwd: `${folder}/work`,
        clearEnv: true,
        env: { PATH: bin, HOME: "/home/u" },
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).output();
      return Deno.readTextFileSync(log).split("\n").filter((name) => name !== "").sort();
    },
    remove: () => Deno.removeSync(folder, { recursive: true }),
  };
}

/** Pieces that, put together at random, make lines on which readings differ. */
const PIECES = [
  ..."a b c x y".split(" "),
  ..."a a b".split(" ").map((name) => ` ${name} `),
  " ",
  " ",
  "\n",
  ";",
  " && ",
  " || ",
  " | ",
  " & ",
  "|&",
  "$(",
  ")",
  "`",
  '"',
  "'",
  "\\",
  "\\\n",
  "$'",
  "'",
  '$"',
  "${v:-",
  "}",
  "${v",
  "<(",
  ">(",
  " <<E\n",
  "\nE\n",
  " <<'E'\n",
  " <<-E\n",
  " <<< ",
  "[[ ",
  " ]]",
  "((",
  "))",
  "$((",
  "{ ",
  "; }",
  "( ",
  " )",
  "{a,x}",
  "#",
  " # ",
  "!",
  " ! ",
  "time ",
  "if ",
  "; then ",
  "; fi",
  "for i in 1 2; do ",
  "; done",
  "case a in ",
  "*) ",
  ";;",
  " esac",
  "v=",
  "v=x ",
  "$v",
  '"$v"',
  " > f",
  " 2>&1",
  ">&2",
  "<f",
  " &> f",
  "~",
  "*",
  "?",
  "[ab]",
  "\r",
  "\t",
  "\u00a0",
  "$",
  "\\x24(x)",
  "@(a|x)",
  "function f ",
  "f() ",
  "eval ",
  "env ",
  "command ",
  "-",
  "1",
];

const soup = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 })
  .map((pieces) => pieces.join(""));

/** Lines with a grammar: most of them can be read. */
const { line } = fc.letrec<{ line: string; command: string; word: string }>((tie) => ({
  word: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(
      "p",
      "'q r'",
      '"s t"',
      "\\;",
      "$v",
      '"$v"',
      "*",
      "{p,q}",
      "$'\\n'",
      "~/p",
      "''",
      "'$(x)'",
      "${v:-p}",
      "$((1+2))",
    ),
    fc.string({ unit: "binary-ascii", maxLength: 6 }).map((text) =>
      `'${text.replaceAll("'", "").replaceAll("\0", "")}'`
    ),
    tie("line").map((inner) => `$(${inner})`),
    tie("line").map((inner) => `"p$(${inner})"`),
    tie("line").map((inner) => `<(${inner})`),
    tie("line").map((inner) => `\`${inner.replace(/[\\`]/g, "")}\``),
  ),
  command: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.tuple(
      fc.constantFrom(...ALLOWED, ...ALLOWED, ...OTHERS, "'a'", "\\b"),
      fc.array(tie("word"), { maxLength: 3 }),
      fc.constantFrom("", "", "", " > f", " 2>&1", " >/dev/null", " <<< p", " <<E\np $v\nE\n"),
    ).map(([name, words, redirect]) => [name, ...words].join(" ") + redirect),
    tie("line").map((inner) => `( ${inner} )`),
    tie("line").map((inner) => `{ ${inner}\n}`),
    fc.tuple(tie("line"), tie("line")).map(([test, body]) => `if ${test}\nthen ${body}\nfi`),
    fc.tuple(tie("word"), tie("line")).map(([word, body]) =>
      `for i in ${word} 2; do ${body}\ndone`
    ),
    fc.tuple(tie("word"), tie("line")).map(([word, body]) =>
      `case ${word} in p*) ${body}\n;; *) a;; esac`
    ),
  ),
  line: fc.tuple(
    tie("command"),
    fc.constantFrom("\n", " && ", " || ", " | ", "; ", ""),
    tie("command"),
  )
    .map(([left, joint, right]) =>
      joint === "" || left.endsWith("\n") ? left : `${left}${joint}${right}`
    ),
}));

function decide(text: string, scratch: Scratch) {
  const cwd = `${scratch.folder}/work`;
  const { flags } = readPermissionFlags([`--allow-run=${ALLOWED.join(",")}`, "--allow-write=."]);
  const programs = new Map(ALLOWED.map((name) => {
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

for (const [what, lines] of [["pieces put together", soup], ["grammatical lines", line]] as const) {
  Deno.test(`no program starts that the checker hadn't named: ${what}`, async () => {
    const scratch = createScratch();
    let certain = 0;
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(lines, async (text) => {
        const read = readCommandLine(text, { home: "/home/u" });
        if (read.doubts.length > 0 || read.calls.length === 0) return;
        certain++;
        const started = await scratch.run(text);
        const named = read.calls.map((call) => call.texts[0]);
        assertEquals(started.filter((name) => !named.includes(name)), [], "raw");
        const decision = decide(text, scratch);
        if (decision.kind !== "allow") return;
        accepted++;
        assert(decision.printed !== null);
        const ran = await scratch.run(decision.printed);
        assertEquals(ran.filter((name) => !ALLOWED.includes(name)), [], decision.printed);
        assertEquals(ran, started, `printed otherwise than meant: ${decision.printed}`);
      }),
      { numRuns: LINES },
    );
    scratch.remove();
    console.log(`${LINES} lines, ${certain} certain, ${accepted} accepted and run both ways`);
  });
}

Deno.test("printing is a fixpoint: what is printed reads as the same words", () => {
  fc.assert(
    fc.property(fc.oneof(soup, line), (text) => {
      const read = readCommandLine(text, { home: "/home/u" });
      if (read.doubts.length > 0) return;
      const scratch = { folder: "/w", bin: "/w/bin" } as Scratch;
      const decision = decide(text, scratch);
      if (decision.kind !== "allow" || decision.printed === null) return;
      const again = readCommandLine(decision.printed, { home: null });
      assertEquals(again.doubts, []);
      assertEquals(
        again.calls.map((call) => call.texts.slice(1)),
        read.calls.map((call) => call.texts.slice(1)),
      );
    }),
    { numRuns: 1000 },
  );
});

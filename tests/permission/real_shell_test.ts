/**
 * The checker against bash itself: generated lines run in a scratch folder where every program is a stub that writes
 * its name to a log. CST_FUZZ_LINES sets how many.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createRules, readPermissionFlags } from "../../src/permission/rules.ts";
import { createPolicy, SHELL_OPTIONS } from "../../src/permission/policy.ts";
import { readCommandLine } from "../../src/permission/shell.ts";
import type { Call } from "../../src/permission/shell_syntax.ts";
import { judgeableLine } from "./judgeable.ts";

const LINES = Number(Deno.env.get("CST_FUZZ_LINES") ?? "120");
const ALLOWED = ["a", "b", "c"];
const OTHERS = ["x", "y"];
/** Wrappers, which are the real ones. */
const WRAPPERS = ["env", "nohup", "bash"];

interface Scratch {
  readonly folder: string;
  readonly bin: string;
  /** Runs a text in an empty folder and returns the stubs that started, each as `name<argument>…`, sorted. */
  run(text: string): Promise<string[]>;
  /** Whether bash takes the text at all. (The parser mends a few lines that bash refuses; what's printed is as checked.) */
  isSyntax(text: string): Promise<boolean>;
  /** Runs a text and returns the files that were executed, the shell's own aside. */
  trace(text: string): Promise<string[]>;
  remove(): void;
}

function createScratch(): Scratch {
  const folder = Deno.makeTempDirSync({ prefix: "cst-shell-" });
  const bin = `${folder}/bin`;
  let runs = 0;
  Deno.mkdirSync(bin);
  Deno.mkdirSync(`${folder}/work`);
  for (const name of [...ALLOWED, ...OTHERS]) {
    const body =
      `#!/bin/sh\ns=${name}; for x; do s="$s<$x>"; done; printf '%s\\036' "$s" >> "$LOG"\n`;
    Deno.writeTextFileSync(`${bin}/${name}`, body, { mode: 0o755 });
  }
  for (const name of WRAPPERS) {
    const real = ["/usr/bin", "/bin"].map((place) => `${place}/${name}`).find(exists);
    if (real === undefined) throw new Error(`${name} is not on this machine`);
    Deno.symlinkSync(real, `${bin}/${name}`);
  }
  async function runShell(before: readonly string[], text: string, log: string): Promise<void> {
    // What runs in the background holds descriptor 9, so that the output ends when the last of it has.
    const held = 'exec 9>&1; exec /usr/bin/timeout -k 1 3 "$@" > /dev/null 2>&1';
    Deno.removeSync(`${folder}/work`, { recursive: true });
    Deno.mkdirSync(`${folder}/work`);
    // It is there from the start, so that a pattern finds the same whichever side of a pipe is first.
    Deno.writeTextFileSync(`${folder}/work/f`, "");
    const shell = ["/bin/bash", ...SHELL_OPTIONS, text];
    await new Deno.Command("/bin/sh", {
      args: ["-c", held, "sh", ...before, ...shell],
      cwd: `${folder}/work`,
      clearEnv: true,
      env: { PATH: bin, HOME: "/home/u", LOG: log },
      stdin: "null",
    }).output();
  }
  return {
    folder,
    bin,
    async run(text) {
      const log = `${folder}/log${++runs}`;
      Deno.writeTextFileSync(log, "");
      await runShell([], text, log);
      const records = Deno.readTextFileSync(log).split("\x1e").slice(0, -1);
      return records.map((record) => record.replace(/\/dev\/fd\/\d+|\/log\d+/g, "N")).sort();
    },
    async isSyntax(text) {
      return (await new Deno.Command("/bin/bash", { args: ["-n", "-c", text], stderr: "null" })
        .output()).success;
    },
    async trace(text) {
      const log = `${folder}/trace${++runs}`;
      await runShell(
        ["/usr/bin/strace", "-f", "-qq", "-e", "trace=execve", "-o", log],
        text,
        "/dev/null",
      );
      const files = [...Deno.readTextFileSync(log).matchAll(/execve\("([^"]*)".* = 0$/gm)];
      return files.map(([, file]) => file!).slice(1);
    },
    remove: () => Deno.removeSync(folder, { recursive: true }),
  };
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
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

const plainWord = fc.oneof(
  fc.constantFrom("p", "'q r'", '"s t"', "\\;", "$v", '"$v"', "*", "{p,q}", "$'\\n'", "~/p", "''"),
  fc.constantFrom(
    "'$(x)'",
    "${v:-p}",
    '"$@"',
    "$*",
    "$((1+2))",
    "p\\ q",
    '"p\\$(x)"',
    '""$v',
    "[ab]*",
    "\\\n",
  ),
  fc.string({ unit: "binary-ascii", maxLength: 6 }).map((text) =>
    `'${text.replaceAll("'", "").replaceAll("\0", "").replaceAll("\x1e", "")}'`
  ),
);

/** Lines with a grammar: most of them can be read. `inner` is the line that stands in their substitutions. */
function grammar(inner: fc.Arbitrary<string> | null): fc.Arbitrary<string> {
  const word = inner === null ? plainWord : fc.oneof(
    { arbitrary: plainWord, weight: 6 },
    { arbitrary: inner.map((text) => `$(${text})`), weight: 1 },
    { arbitrary: inner.map((text) => `"p$( ${text} )"`), weight: 1 },
    { arbitrary: inner.map((text) => `<(${text})`), weight: 1 },
    { arbitrary: inner.map((text) => `\`${text.replace(/[\\`]/g, "")}\``), weight: 1 },
  );
  const redirect = fc.constantFrom(
    "",
    "",
    "",
    "",
    " > f",
    " 2>&1",
    " >/dev/null",
    " <<< p",
    " &> f",
    " 2>> f",
  );
  const names = fc.constantFrom(
    ..."a a a b b c c x 'a' \\b".split(" "),
    "env a",
    "LANG=C b",
    "nohup c",
  );
  const simple = fc.tuple(names, fc.array(word, { maxLength: 3 }), redirect)
    .map(([name, words, end]) => [name, ...words].join(" ") + end);
  const body = inner ?? simple;
  const compound = fc.oneof(
    body.map((text) => `( ${text} )`),
    body.map((text) => `{ ${text}\n} > f`),
    body.map((text) => `! ${text}`),
    fc.tuple(simple, body, body).map(([test, one, two]) =>
      `if ${test}\nthen ${one}\nelif a; then b; else ${two}\nfi`
    ),
    fc.tuple(word, body).map(([item, text]) => `for i in ${item} 2; do ${text}\ndone`),
    fc.tuple(word, body).map(([item, text]) => `case ${item} in p*|q) ${text}\n;; *) a;; esac`),
    fc.tuple(word, simple).map(([item, text]) => `[[ -n ${item} && p == p* ]] && ${text}`),
    body.map((text) => `bash -c '${text.replaceAll("'", "'\\''")}'`),
  );
  const command = fc.oneof({ arbitrary: simple, weight: 4 }, { arbitrary: compound, weight: 1 });
  const joint = fc.constantFrom("\n", " && ", " || ", " | ", "; ", " |& ", " & ");
  return fc.oneof(
    { arbitrary: command, weight: 2 },
    { arbitrary: fc.tuple(command, joint, command).map((parts) => parts.join("")), weight: 3 },
    { arbitrary: simple.map((text) => `${text} <<E && b\np $v \\$q\nE\na`), weight: inner ? 1 : 0 },
  );
}

const line = grammar(grammar(grammar(null)));

/** Lines with pieces thrown in: near enough to be read, far enough to be read wrong. */
const broken = fc.tuple(
  line,
  fc.array(fc.tuple(fc.nat({ max: 1000 }), fc.constantFrom(...PIECES)), {
    minLength: 1,
    maxLength: 3,
  }),
).map(([text, pieces]) =>
  pieces.reduce((whole, [place, piece]) => {
    const at = place % (whole.length + 1);
    return whole.slice(0, at) + piece + whole.slice(at);
  }, text)
);

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
        const ran = await scratch.run(decision.printed);
        assertEquals(ran.filter((one) => !ALLOWED.includes(nameOf(one))), [], decision.printed);
        if (started.length === 0 && ran.length > 0 && !(await scratch.isSyntax(text))) return;
        assertEquals(ran, started, `printed otherwise than meant: ${decision.printed}`);
      }),
      { numRuns: LINES },
    );
    scratch.remove();
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
  );
  scratch.remove();
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

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { World } from "../../src/cli/command.ts";
import { patchCommand } from "../../src/cli/patch.ts";
import { createFiles } from "../../src/system/files.ts";
import { tryLock } from "../../src/system/lock.ts";
import { applyPatchTool } from "../../src/tools/apply_patch.ts";
import { FIVE, plantFive, watched } from "../tools/five_files.ts";
import { createRig, harvest, plant } from "../tools/world.ts";

const PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two  \n+TWO\n";

/** One run: the exit code and what was printed. */
async function run(argv: readonly string[], cwd: string, stdin = PATCH) {
  const printed = { stdout: "", stderr: "" };
  const world: Partial<World> = {
    files: createFiles(),
    env: { XDG_STATE_HOME: `${cwd}/../state` },
    cwd,
    terminal: { stdin: false, stdout: false, stderr: false },
    signal: new AbortController().signal,
    async *readStdin() {
      yield await Promise.resolve(new TextEncoder().encode(stdin));
    },
    stdout: (text) => void (printed.stdout += text),
    stderr: (text) => void (printed.stderr += text),
  };
  return { exit: await patchCommand(argv, world as World), ...printed };
}

Deno.test("A patch from standard input or a file is applied, and where its hunks landed is printed", async () => {
  for (const source of ["-", "given.patch"]) {
    const { cwd } = createRig();
    plant(cwd, { "a.txt": "one\ntwo\nthree\n", "given.patch": PATCH });
    assertEquals(await run([source], cwd, source === "-" ? PATCH : ""), {
      exit: 0,
      stdout:
        "Updated a.txt\n  hunk 1: line 2, trailing space ignored, 1 line below where its header said\n",
      stderr: "",
    });
    assertEquals(harvest(cwd)["a.txt"], "644 one\nTWO\nthree\n");
  }
});

Deno.test("A folder behind a link is the one that the system would open", async () => {
  const { cwd } = createRig();
  plant(cwd, { "a.txt": "two\n", "deep/a.txt": "two\n", "deep/inner/given.patch": PATCH });
  Deno.symlinkSync("deep/inner", `${cwd}/link`);
  assertEquals((await run(["link/given.patch", "-C", "link/.."], cwd)).exit, 0);
  assertEquals([harvest(cwd)["a.txt"], harvest(cwd)["deep/a.txt"]], ["644 two\n", "644 TWO\n"]);
});

Deno.test("With --check nothing is written; with --directory another folder is meant", async () => {
  const { cwd } = createRig();
  plant(cwd, { "sub/a.txt": "two\n" });
  const before = harvest(cwd);
  const checked = await run(["--check", "--directory", "sub"], cwd);
  assertEquals([checked.exit, harvest(cwd)], [0, before]);
  assertStringIncludes(checked.stdout, "The patch fits:\nUpdated a.txt\n");
  assertEquals((await run(["-C", "sub"], cwd)).exit, 0);
  assertEquals(harvest(cwd)["sub/a.txt"], "644 TWO\n");
});

Deno.test("A patch that doesn't fit changes nothing, says so on standard error and ends with 1", async () => {
  const { cwd } = createRig();
  plant(cwd, { "a.txt": "2\n" });
  const before = harvest(cwd);
  assertEquals(await run([], cwd), {
    exit: 1,
    stdout: "",
    stderr:
      'Nothing was written. Mend the patch and send the whole of it again.\nHunk 1 of "a.txt" (patch line 3) doesn\'t fit: none of its lines is in the file.\n',
  });
  assertEquals(harvest(cwd), before);
});

Deno.test("With --json the outcome is one object", async () => {
  const { cwd } = createRig();
  plant(cwd, { "a.txt": "two\n" });
  const { stdout } = await run(["--json"], cwd);
  assertEquals(JSON.parse(stdout), {
    applied: true,
    fits: true,
    files: [{ path: "a.txt", change: "updated" }],
    hunks: [{ path: "a.txt", hunk: 1, from: 1, to: 1, how: "trailing_space", moved: 0 }],
    errors: [],
  });
  const again = JSON.parse((await run(["--json"], cwd)).stdout);
  assertEquals([again.applied, again.errors.map((each: { kind: string }) => each.kind)], [
    false,
    ["context_not_found"],
  ]);
});

Deno.test("No path leads out of the folder: by dots, by an absolute name or through a link", async () => {
  const { cwd } = createRig();
  plant(cwd, { "../secret.txt": "two  \n", "../far/a.txt": "two  \n" });
  Deno.symlinkSync("../far", `${cwd}/near`);
  Deno.symlinkSync("../secret.txt", `${cwd}/link.txt`);
  const top = cwd.slice(0, -"/project".length);
  for (
    const name of [
      "../secret.txt",
      `${top}/secret.txt`,
      "x/../../secret.txt",
      "near/a.txt",
      "link.txt",
    ]
  ) {
    const patch = `--- ${name}\n+++ ${name}\n@@ -1 +1 @@\n-two  \n+TWO\n`;
    const { exit, stderr } = await run([], cwd, patch);
    assertEquals(exit, 1);
    assertStringIncludes(stderr, `leads out of "${cwd}"`);
  }
  assertEquals(Deno.readTextFileSync(`${top}/secret.txt`), "two  \n");
  assertEquals(Deno.readTextFileSync(`${top}/far/a.txt`), "two  \n");
});

Deno.test("A first folder that looks like a prefix is kept where only that file is there", async () => {
  const { cwd } = createRig();
  plant(cwd, { "a/a.txt": "two\n", "b/a.txt": "two\n" });
  assertEquals((await run([], cwd)).exit, 0);
  assertEquals([harvest(cwd)["a/a.txt"], harvest(cwd)["b/a.txt"]], ["644 TWO\n", "644 two\n"]);
  plant(cwd, { "a.txt": "two\n", "a/a.txt": "two\n" });
  assertEquals((await run([], cwd)).exit, 0);
  assertEquals([harvest(cwd)["a.txt"], harvest(cwd)["a/a.txt"]], ["644 TWO\n", "644 two\n"]);
});

Deno.test("Another patch that is being applied in the folder is waited for by the user, not raced", async () => {
  const { cwd } = createRig();
  plant(cwd, { "a.txt": "two\n" });
  await run(["--json"], cwd);
  const [store] = [...Deno.readDirSync(`${cwd}/../state/cst-agent/patch`)];
  const lock = tryLock(`${cwd}/../state/cst-agent/patch/${store!.name}/lock`)!;
  assertEquals(await run([], cwd), {
    exit: 1,
    stdout: "",
    stderr: `Another patch is being applied in "${cwd}": try again\n`,
  });
  lock.release();
});

Deno.test("A patch that was cut off by a crash is put back before the next one, which says so", async () => {
  const { cwd } = createRig();
  plantFive(cwd);
  await run([], cwd, "");
  const [name] = [...Deno.readDirSync(`${cwd}/../state/cst-agent/patch`)];
  const store = `${cwd}/../state/cst-agent/patch/${name!.name}`;
  let count = 0;
  const { world } = createRig(watched(() => {
    // As after a crash: from some rename on nothing works any more.
    if (++count > 20) throw new Error("crashed");
  }));
  await applyPatchTool.run({ patch: FIVE }, { ...world, cwd, spillDir: store }).catch(() => {});
  const between = harvest(cwd);
  const { stderr } = await run([], cwd, "");
  assertStringIncludes(stderr, 'Put back an edit that was cut off: "a.txt", "run.sh"');
  const { cwd: fresh } = createRig();
  plantFive(fresh);
  assertEquals(harvest(cwd), harvest(fresh));
  assertEquals(JSON.stringify(between) === JSON.stringify(harvest(fresh)), false);
});

Deno.test("With --help the usage and an example are printed, and nothing is read", async () => {
  const { cwd } = createRig();
  const { exit, stdout } = await run(["--help"], cwd);
  assertEquals(exit, 0);
  assertStringIncludes(stdout, "Usage: cst-agent patch [--check]");
  assertStringIncludes(stdout, "Example:");
});

Deno.test("A file above the folder, behind a prefix, is refused and not taken for one in the folder", async () => {
  for (const prefixed of ["+++ b/../a.txt", "+++ /dev/null"]) {
    const { cwd } = createRig();
    plant(cwd, { "a.txt": "two\n" });
    const hunk = prefixed.includes("null") ? "@@ -1 +0,0 @@\n-two\n" : "@@ -1 +1 @@\n-two\n+TWO\n";
    const { exit, stderr } = await run(["-"], cwd, `--- a/../a.txt\n${prefixed}\n${hunk}`);
    assertEquals([exit, harvest(cwd)["a.txt"]], [1, "644 two\n"]);
    assertStringIncludes(stderr, "leads out of");
  }
});

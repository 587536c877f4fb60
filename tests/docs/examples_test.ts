import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { miniCalcPlan, saying, withShell } from "./shell.ts";

const examples = new URL("../../examples/", import.meta.url).pathname;
const START = "git init -q . && git add calc.c Makefile test.sh && git commit -qm start\n";

Deno.test("pre-commit.sh lets a commit through that the agent finds good, and stops another", async () => {
  const change = `${START}echo '/* more */' >> calc.c && git add calc.c
cp "${examples}pre-commit.sh" .git/hooks/pre-commit
git commit -qm change`;
  await withShell(saying("OK"), async ({ run }) => {
    const { code, stderr } = await run(change);
    assertEquals([code, stderr], [0, "OK\n"]);
  });
  await withShell(saying("NO: the remark says nothing"), async ({ run }) => {
    const { code, stderr } = await run(change);
    assertEquals([code, stderr], [1, "NO: the remark says nothing\n"]);
  });
});

Deno.test("ci-repair.sh leaves a patch that makes red tests pass, and stays red itself", async () => {
  await withShell(miniCalcPlan(), async ({ work, run }) => {
    await run(START);
    const { code, stderr } = await run(`"${examples}ci-repair.sh" "make test"`);
    assertStringIncludes(stderr, "repair.patch makes the tests pass");
    assertEquals(code, 2);
    const patch = await Deno.readTextFile(`${work}/repair.patch`);
    assertMatch(patch, /^diff --git a\/calc\.c b\/calc\.c\n/);
    const again = await run("git checkout -q calc.c && git apply repair.patch && make -B test");
    assertEquals(again.code, 0, again.stderr);
  });
});

Deno.test("each-file.sh writes an answer beside each file", async () => {
  await withShell(saying("A calculator."), async ({ work, run }) => {
    const { code, stdout } = await run(`"${examples}each-file.sh" "Explain FILE" calc.c test.sh`);
    assertEquals([code, stdout], [0, "calc.c: done\ntest.sh: done\n"]);
    assertStringIncludes(await Deno.readTextFile(`${work}/calc.c.notes`), "A calculator.");
    assertStringIncludes(await Deno.readTextFile(`${work}/test.sh.notes`), "A calculator.");
  });
});

Deno.test("pipe.sh prints the answer and nothing else", async () => {
  await withShell(saying("Two fixes."), async ({ run }) => {
    const { code, stdout } = await run(
      `"${examples}pipe.sh" "Write release notes from this" | sed "s/^/> /"`,
      "fix one\nfix two\n",
    );
    assertEquals([code, stdout], [0, "> Two fixes.\n"]);
  });
});

Deno.test("nightly-report.sh writes a report of the day, and says so when there is none", async () => {
  await withShell(saying("All is well."), async ({ work, run }) => {
    const { code } = await run(`"${examples}nightly-report.sh" reports`);
    assertEquals(code, 0);
    const [report] = Array.from(Deno.readDirSync(`${work}/reports`));
    assertMatch(report!.name, /^\d{4}-\d\d-\d\d\.md$/);
    const text = await Deno.readTextFile(`${work}/reports/${report!.name}`);
    assertStringIncludes(text, "All is well.");
    const failed = await run(
      `CST_BASE_URL=http://127.0.0.1:1/v1 CST_RETRIES=0 "${examples}nightly-report.sh" reports`,
    );
    assertMatch(failed.stderr, /No report \(.*\): exit 4\n$/);
    assertEquals(failed.code, 4);
  });
});

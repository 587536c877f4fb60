import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createFiles } from "../../src/system/files.ts";
import { FileError } from "../../src/system/system.ts";
import { applyPatchTool } from "../../src/tools/apply_patch.ts";
import { recoverJournal } from "../../src/tools/transaction.ts";
import { undoEdits } from "../../src/tools/undo.ts";
import { FIVE, plantFive, watched } from "./five_files.ts";
import { createRig, harvest, plant } from "./world.ts";

/** The project before and after the patch, and how many operations it takes. */
async function bothStates() {
  let operations = 0;
  const { cwd, world } = createRig(watched(() => operations++));
  plantFive(cwd);
  const before = harvest(cwd);
  const answer = await applyPatchTool.run({ patch: FIVE }, world);
  return { before, after: harvest(cwd), operations, answer };
}

Deno.test("A patch over five files makes folders, keeps and sets modes, deletes and renames", async () => {
  const { after, answer } = await bothStates();
  assertEquals(answer, {
    exit: 0,
    output: `Updated a.txt
  hunk 1: lines 1-3
Updated run.sh (mode 755 is now 700)
  hunk 1: lines 1-2
Created new/deep/made.txt
Deleted sub/gone.txt
Renamed old.txt to new/moved.txt
`,
  });
  assertEquals(after, {
    "a.txt": "644 one\nTWO\nthree\n",
    new: "/",
    "new/deep": "/",
    "new/deep/made.txt": "644 made\n",
    "new/moved.txt": "640 keep\nthis\n",
    "run.sh": "700 #!/bin/sh\necho Y\n",
    sub: "/",
  });
});

Deno.test("Whichever operation fails, the project is as it was and the store is empty", async () => {
  const { before, operations } = await bothStates();
  assert(operations > 20, `only ${operations} operations`);
  for (const code of ["ENOSPC", "EACCES", "EISDIR"]) {
    // The last one syncs the journal's folder after the commit: the edits are safe by then.
    for (let ordinal = 1; ordinal < operations; ordinal++) {
      let count = 0;
      const { cwd, store, world } = createRig(watched((_, path) => {
        if (++count === ordinal) {
          throw new FileError(code, path, `Cannot write "${path}": injected`);
        }
      }));
      plantFive(cwd);
      const answer = await applyPatchTool.run({ patch: FIVE }, world);
      assertEquals([answer.exit, harvest(cwd)], [1, before], `${code} at operation ${ordinal}`);
      assertStringIncludes(answer.output, "Nothing was changed");
      assertEquals(await recoverJournal(createFiles(), store), []);
      assertEquals([...harvestNames(store)], []);
    }
  }
});

function harvestNames(store: string): string[] {
  return Object.keys(harvest(store)).filter((name) => name !== "edits");
}

Deno.test("When putting back fails too, the next start finishes it and says so", async () => {
  const { before, operations } = await bothStates();
  for (let ordinal = 6; ordinal < operations; ordinal++) {
    let count = 0;
    const { cwd, store, world } = createRig(watched((_, path) => {
      if (++count >= ordinal) throw new FileError("EIO", path, `Cannot write "${path}": injected`);
    }));
    plantFive(cwd);
    const answer = await applyPatchTool.run({ patch: FIVE }, world);
    assertEquals(answer.exit, 1);
    await recoverJournal(createFiles(), store);
    assertEquals(harvest(cwd), before, `operations from ${ordinal} on fail`);
    assertEquals(harvestNames(store), []);
  }
});

Deno.test("Killed at any operation, the project is old or new after the next start, never between", async () => {
  const { before, after, operations } = await bothStates();
  const seen = { old: 0, new: 0 };
  for (let ordinal = 1; ordinal <= operations + 1; ordinal++) {
    const { cwd, store } = createRig();
    plantFive(cwd);
    const { signal } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        new URL("kill_child.ts", import.meta.url).pathname,
        cwd,
        store,
        String(ordinal),
      ],
      stdout: "null",
      stderr: "null",
    }).output();
    assertEquals(signal, ordinal <= operations ? "SIGKILL" : null);
    const notices = await recoverJournal(createFiles(), store);
    const now = harvest(cwd);
    const state = JSON.stringify(now) === JSON.stringify(after) ? "new" : "old";
    assertEquals(now, state === "new" ? after : before, `killed at operation ${ordinal}`);
    if (state === "new") assertEquals(notices, []);
    seen[state]++;
  }
  assert(seen.new >= 1 && seen.old >= 20, JSON.stringify(seen));
});

Deno.test("A recovery that is itself cut off is finished by the next one", async () => {
  const { before, operations } = await bothStates();
  for (let ordinal = 1; ordinal < operations; ordinal++) {
    let count = 0;
    // Everything fails from the commit's rename on, so that the journal stays open with all files changed.
    const { cwd, store, world } = createRig(watched((_, path) => {
      if (++count >= operations - 1) throw new FileError("EIO", path, `Cannot write "${path}"`);
    }));
    plantFive(cwd);
    await applyPatchTool.run({ patch: FIVE }, world);
    let step = 0;
    const broken = watched((_, path) => {
      if (++step >= ordinal) throw new FileError("EIO", path, "injected");
    });
    await recoverJournal(broken, store).catch(() => {});
    await recoverJournal(createFiles(), store);
    assertEquals(harvest(cwd), before, `recovery cut off at operation ${ordinal}`);
  }
});

Deno.test("A file that changes between locating and writing is noticed and nothing is written", async () => {
  let cwdOf = "";
  const { cwd, world } = createRig(watched((operation, path) => {
    if (operation === "create" && path.endsWith("-5.tmp")) {
      Deno.writeTextFileSync(`${cwdOf}/a.txt`, "someone else\n");
    }
  }));
  cwdOf = cwd;
  plantFive(cwd);
  const before = harvest(cwd);
  const answer = await applyPatchTool.run({ patch: FIVE }, world);
  assertEquals(answer, {
    exit: 1,
    output: '"a.txt" was changed by someone else meanwhile: read it again. Nothing was changed.\n',
  });
  assertEquals(harvest(cwd), { ...before, "a.txt": "644 someone else\n" });
});

Deno.test("Undo puts the last edits back exactly, once", async () => {
  const { cwd, store, world } = createRig();
  plantFive(cwd);
  const before = harvest(cwd);
  await applyPatchTool.run({ patch: FIVE }, { ...world, callId: "m2-1" });
  await applyPatchTool.run(
    { patch: "--- a/a.txt\n+++ b/a.txt\n@@\n-TWO\n+2\n" },
    { ...world, callId: "m2-2" },
  );
  const paths = await undoEdits(world.files, store, (callId) => callId.startsWith("m2-"));
  assertEquals(paths.toSorted(), [
    "a.txt",
    "new/deep/made.txt",
    "new/moved.txt",
    "old.txt",
    "run.sh",
    "sub/gone.txt",
  ]);
  assertEquals(harvest(cwd), before);
  assertEquals(await undoEdits(world.files, store, () => true), []);
});

Deno.test("Undo refuses, and changes nothing, when a file has changed since", async () => {
  const { cwd, store, world } = createRig();
  plantFive(cwd);
  await applyPatchTool.run({ patch: FIVE }, world);
  plant(cwd, { "a.txt": "mine\n" });
  const now = harvest(cwd);
  const error = await undoEdits(world.files, store, () => true).catch((each) => each as Error);
  assertEquals(
    (error as Error).message,
    'Cannot undo the edit of "a.txt": the file has changed since. Nothing was changed',
  );
  assertEquals(harvest(cwd), now);
});

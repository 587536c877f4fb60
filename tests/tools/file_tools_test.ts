import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/vocab.ts";
import { FILE_TOOLS, TOOLS } from "../../src/tools/mod.ts";
import { createRig, harvest, plant, type Rig } from "./world.ts";

async function call(rig: Rig, name: string, args: JsonObject) {
  const tool = FILE_TOOLS.find((each) => each.spec.name === name)!;
  const { exit, output } = await tool.run(args, rig.world);
  return [exit, output];
}

Deno.test("The seven tools are described in under 3 KB, so that a first request stays under 4", () => {
  assertEquals(TOOLS.map((tool) => tool.spec.name), [
    "run",
    "read_file",
    "write_file",
    "edit_file",
    "apply_patch",
    "list_files",
    "search",
  ]);
  const tools = TOOLS.map((tool) => ({ type: "function", function: tool.spec }));
  const { length } = JSON.stringify(tools);
  assert(length < 3000, `${length} bytes`);
});

Deno.test("read_file gives the text exactly, whole or some lines of it", async () => {
  const rig = createRig();
  plant(rig.cwd, { "t.txt": "\uFEFFone\r\n\ttwo\nthree" });
  const rows: [JsonObject, number, string][] = [
    [{ path: "t.txt" }, 0, "\uFEFFone\r\n\ttwo\nthree"],
    [{ path: "t.txt", start_line: 2, end_line: 2 }, 0, "\ttwo\n"],
    [{ path: "t.txt", start_line: 3 }, 0, "three"],
    [{ path: "t.txt", start_line: 4 }, 1, '"t.txt" has 3 lines, no line 4.\n'],
    [{ path: "t.txt", start_line: 3, end_line: 1 }, 1, "end_line 1 is before start_line 3.\n"],
    [{ path: "none" }, 1, '"none" doesn\'t exist.\n'],
    [{ path: "." }, 1, '"." is a folder, not a file.\n'],
  ];
  for (const [args, exit, output] of rows) {
    assertEquals(await call(rig, "read_file", args), [exit, output]);
  }
});

Deno.test("write_file makes folders, keeps a mode and a link, and refuses what can't be a file", async () => {
  const rig = createRig();
  plant(rig.cwd, { "run.sh 755": "old\n" });
  Deno.symlinkSync("run.sh", `${rig.cwd}/link`);
  Deno.symlinkSync("nowhere", `${rig.cwd}/dangling`);
  const rows: [JsonObject, number, string][] = [
    [{ path: "a/b/c.txt", content: "é" }, 0, 'Created "a/b/c.txt" (2 bytes)\n'],
    [{ path: "link", content: "new\n" }, 0, 'Wrote "link" (4 bytes)\n'],
    [{ path: "link", content: "new\n" }, 0, '"link" has this content already (4 bytes)\n'],
    [{ path: "dangling", content: "" }, 1, '"dangling" is a link that leads nowhere.\n'],
    [{ path: "a", content: "" }, 1, '"a" is a folder, not a file.\n'],
    [
      { path: "run.sh/x", content: "" },
      1,
      `"run.sh/x" is below "${rig.cwd}/run.sh", which is no folder.\n`,
    ],
  ];
  for (const [args, exit, output] of rows) {
    assertEquals(await call(rig, "write_file", args), [exit, output]);
  }
  assertEquals(harvest(rig.cwd), {
    a: "/",
    "a/b": "/",
    "a/b/c.txt": "644 é",
    dangling: "-> nowhere",
    link: "-> run.sh",
    "run.sh": "755 new\n",
  });
});

Deno.test("write_file overwrites what it wrote or read itself, but not what others changed since", async () => {
  const rig = createRig();
  plant(rig.cwd, { "s.txt": "v1\n" });
  await call(rig, "read_file", { path: "s.txt" });
  assertEquals((await call(rig, "write_file", { path: "s.txt", content: "v2\n" }))[0], 0);
  assertEquals((await call(rig, "write_file", { path: "s.txt", content: "v3\n" }))[0], 0);
  plant(rig.cwd, { "s.txt": "theirs\n" });
  assertEquals(await call(rig, "write_file", { path: "s.txt", content: "v4\n" }), [
    1,
    '"s.txt" has changed since it was read: read it again before overwriting it. Nothing was written.\n',
  ]);
});

Deno.test("edit_file replaces what occurs once, or all of it, byte for byte", async () => {
  const rig = createRig();
  const latin = new Uint8Array([0xE9, 0x0A, 0x61, 0x0A, 0x80, 0x0A]);
  plant(rig.cwd, {
    "t.txt": "a\nb\nfoo\nb\n$& end\n",
    "crlf.txt": "one\r\ntwo\r\nthree\r\n",
    "latin.txt": latin,
  });
  const rows: [JsonObject, number, string][] = [
    [{ path: "t.txt", old: "foo\n", new: "$& $1\n" }, 0, 'Edited "t.txt" at line 3\n'],
    [
      { path: "t.txt", old: "b\n", new: "c\n" },
      1,
      'old occurs 2 times in "t.txt", at lines 2, 4: give more of the text around it, or set all. Nothing was written.\n',
    ],
    [{ path: "t.txt", old: "b\n", new: "c\n", all: true }, 0, 'Edited "t.txt" at lines 2, 4\n'],
    [
      { path: "t.txt", old: "", new: "c" },
      1,
      "old is empty: give the text that is to be replaced.\n",
    ],
    [{ path: "t.txt", old: "a", new: "a" }, 1, "old and new are the same: nothing would change.\n"],
    [{ path: "none", old: "a", new: "b" }, 1, '"none" doesn\'t exist: write_file creates it.\n'],
    [{ path: "crlf.txt", old: "one\ntwo\n", new: "1\n2\n" }, 0, 'Edited "crlf.txt" at line 1\n'],
    [{ path: "latin.txt", old: "a\n", new: "é\n" }, 0, 'Edited "latin.txt" at line 2\n'],
  ];
  for (const [args, exit, output] of rows) {
    assertEquals(await call(rig, "edit_file", args), [exit, output]);
  }
  assertEquals(harvest(rig.cwd), {
    "crlf.txt": "644 1\r\n2\r\nthree\r\n",
    "latin.txt": `644 ${btoa("\xE9\n\xC3\xA9\n\x80\n")}`,
    "t.txt": "644 a\nc\n$& $1\nc\n$& end\n",
  });
});

Deno.test("edit_file says what is nearest to a text that isn't there", async () => {
  const rig = createRig();
  plant(rig.cwd, { "m.c": "int main() {\n\treturn 0;\n}\n" });
  const [exit, output] = await call(rig, "edit_file", {
    path: "m.c",
    old: "int main() {\n    return 0;\n}\n",
    new: "x",
  });
  assertEquals(exit, 1);
  assertStringIncludes(
    output as string,
    'the nearest is lines 1-3, where "    return 0;" was expected and at line 2 the file has "\\treturn 0;" (only the indentation differs)',
  );
});

Deno.test("list_files and search see what git would", async () => {
  const rig = createRig();
  plant(rig.cwd, {
    ".gitignore": "*.log\n/build/\n!keep.log\n",
    ".git/config": "needle\n",
    "build/out.js": "needle\n",
    "keep.log": "needle 1\n",
    "drop.log": "needle\n",
    "src/a.ts": "x\nneedle(2)\r\n",
    "src/.gitignore": "gen/\n",
    "src/gen/b.ts": "needle\n",
    "src/bin.dat": new Uint8Array([0, 110, 101]),
  });
  const rows: [string, JsonObject, number, string][] = [
    ["list_files", {}, 0, ".gitignore\nkeep.log\nsrc/.gitignore\nsrc/a.ts\nsrc/bin.dat\n"],
    ["list_files", { path: "src", glob: "*.{ts,js}" }, 0, "src/a.ts\n"],
    ["list_files", { glob: "src/*.ts" }, 0, "src/a.ts\n"],
    ["list_files", { glob: "*.py" }, 0, "No files.\n"],
    ["list_files", { path: "none" }, 1, `Cannot resolve "${rig.cwd}/none": it doesn't exist.\n`],
    ["search", { pattern: "needle" }, 0, "keep.log:1:needle 1\nsrc/a.ts:2:needle(2)\n"],
    ["search", { pattern: "needle\\(\\d\\)$", path: "src" }, 0, "src/a.ts:2:needle(2)\n"],
    ["search", { pattern: "needle", path: "drop.log" }, 0, "drop.log:1:needle\n"],
    ["search", { pattern: "absent" }, 1, "Nothing found.\n"],
    [
      "search",
      { pattern: "(a+)+$" },
      1,
      'The pattern repeats a group that repeats, which may take for ever: write it without "(x+)+".\n',
    ],
  ];
  for (const [name, args, exit, output] of rows) {
    assertEquals(await call(rig, name, args), [exit, output]);
  }
});

Deno.test("Below a repository's top its .gitignore counts too, and names are those of the working directory", async () => {
  const rig = createRig();
  plant(rig.cwd, {
    ".git/HEAD": "",
    ".gitignore": "*.tmp\n/pkg/out/\n",
    "pkg/a.ts": "x\n",
    "pkg/b.tmp": "x\n",
    "pkg/out/c.ts": "x\n",
    "other/d.ts": "x\n",
  });
  const world = { ...rig.world, cwd: `${rig.cwd}/pkg` };
  assertEquals(await call({ ...rig, world }, "list_files", {}), [0, "a.ts\n"]);
  assertEquals(await call({ ...rig, world }, "search", { pattern: "x", path: "../other" }), [
    0,
    `${rig.cwd}/other/d.ts:1:x\n`,
  ]);
});

Deno.test("apply_patch needs every path that it reads or writes", () => {
  const tool = FILE_TOOLS.find((each) => each.spec.name === "apply_patch")!;
  const patch = `--- a/x\n+++ b/x\n@@\n-1\n+2\n--- /dev/null\n+++ b/../up\n@@ -0,0 +1 @@\n+n
diff --git a/from b/to\nrename from from\nrename to to\n`;
  assertEquals(tool.needs({ patch }), [
    { kind: "read", path: "x" },
    { kind: "read", path: "../up" },
    { kind: "read", path: "from" },
    { kind: "write", path: "x" },
    { kind: "write", path: "../up" },
    { kind: "write", path: "from" },
    { kind: "write", path: "to" },
  ]);
  assertEquals(tool.needs({ patch: "no patch" }), []);
});

Deno.test("list_files and search pass over a file that may not be read", async () => {
  const rig = createRig();
  plant(rig.cwd, { "a.txt": "key\n", ".env": "key\n", "secret/b.txt": "key\n" });
  const closed = /\/(\.env|secret)(\/|$)/;
  const world = { ...rig.world, mayRead: (path: string) => Promise.resolve(!closed.test(path)) };
  assertEquals(
    [
      await call({ ...rig, world }, "search", { pattern: "key" }),
      await call({ ...rig, world }, "list_files", {}),
    ],
    [[0, "a.txt:1:key\n"], [0, "a.txt\n"]],
  );
});

import { assertEquals, assertRejects } from "@std/assert";
import { createFiles } from "../../src/system/files.ts";
import { FileError } from "../../src/system/system.ts";

const files = createFiles();
const bytes = new TextEncoder().encode("hello\n");

Deno.test("A synced file has its bytes and its mode whatever the umask is, and is never overwritten", async () => {
  const folder = await Deno.makeTempDir();
  await files.createSynced(`${folder}/a`, bytes, 0o777);
  const info = await files.stat(`${folder}/a`);
  assertEquals([info.kind, info.size, info.mode, info.links], ["file", 6, 0o777, 1]);
  const error = await assertRejects(
    () => files.createSynced(`${folder}/a`, bytes, 0o600),
    FileError,
  );
  assertEquals([error.code, error.message], [
    "EEXIST",
    `Cannot write "${folder}/a": it exists already`,
  ]);
});

Deno.test("Links are followed by stat and named by lstat", async () => {
  const folder = await files.realPath(await Deno.makeTempDir());
  await files.createSynced(`${folder}/a`, bytes, 0o644);
  await files.symlink("a", `${folder}/l`);
  assertEquals((await files.stat(`${folder}/l`)).kind, "file");
  assertEquals((await files.lstat(`${folder}/l`)).kind, "symlink");
  assertEquals(await files.readLink(`${folder}/l`), "a");
  assertEquals(await files.realPath(`${folder}/l`), `${folder}/a`);
  const names = (await files.readDir(folder)).map((entry) => `${entry.name} ${entry.kind}`).sort();
  assertEquals(names, ["a file", "l symlink"]);
});

Deno.test("Every failure is a FileError with the system's code", async () => {
  const folder = await Deno.makeTempDir();
  await files.createSynced(`${folder}/file`, bytes, 0o644);
  await files.mkdir(`${folder}/full/inner`, { recursive: true });
  const rows: [string, () => Promise<unknown>][] = [
    ["ENOENT", () => files.readFile(`${folder}/none`)],
    ["ENOENT", () => files.stat(`${folder}/none`)],
    ["ENOENT", () => files.realPath(`${folder}/none`)],
    ["EISDIR", () => files.readFile(folder)],
    ["ENOTDIR", () => files.readFile(`${folder}/file/x`)],
    ["EEXIST", () => files.mkdir(`${folder}/full`)],
    ["ENOTEMPTY", () => files.remove(`${folder}/full`)],
    ["EISDIR", () => files.rename(`${folder}/file`, `${folder}/full`)],
  ];
  for (const [code, step] of rows) {
    assertEquals((await assertRejects(step, FileError)).code, code);
  }
});

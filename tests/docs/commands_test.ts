import { assertEquals } from "@std/assert";
import { miniCalcPlan, withShell } from "./shell.ts";

const root = new URL("../../", import.meta.url);

/** Blocks that are marked `sh run` are commands that a reader may type as they stand. */
const RUNNABLE = /^```sh run\n([\s\S]*?)^```$/gm;

function pages(): string[] {
  const docs = Array.from(Deno.readDirSync(new URL("docs/", root))).map(({ name }) => name);
  const texts = docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  return ["README.md", "README.zh-CN.md", ...texts.sort()];
}

function blocksOf(path: string): string[] {
  const text = Deno.readTextFileSync(new URL(path, root));
  return [...text.matchAll(RUNNABLE)].map((match) => match[1]!);
}

for (const path of pages()) {
  const blocks = blocksOf(path);
  // The Chinese page holds the same blocks; that is a test of its own.
  if (blocks.length === 0 || path === "README.zh-CN.md") continue;
  Deno.test(`The commands in ${path} do what they are shown for`, async () => {
    await withShell(miniCalcPlan(), async ({ run }) => {
      for (const block of blocks) {
        const { code, stderr } = await run(block);
        assertEquals(code, 0, `${block}\n${stderr}`);
      }
    });
  });
}

Deno.test("README.zh-CN.md shows the same blocks in the same order as README.md", () => {
  const fences = (path: string) =>
    Deno.readTextFileSync(new URL(path, root)).match(/^```[\s\S]*?^```$/gm);
  assertEquals(fences("README.zh-CN.md"), fences("README.md"));
});

Deno.test("Every link in README and docs to a file of the project leads somewhere", () => {
  for (const path of pages()) {
    const text = Deno.readTextFileSync(new URL(path, root));
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
      const place = new URL(target!, new URL(path, root));
      assertEquals([path, target, exists(place)], [path, target, true]);
    }
  }
});

function exists(place: URL): boolean {
  try {
    return Deno.statSync(place) !== undefined;
  } catch {
    return false;
  }
}

Deno.test("docs/README.md names every page of docs", () => {
  const index = Deno.readTextFileSync(new URL("docs/README.md", root));
  const missing = pages().filter((path) =>
    path.startsWith("docs/") && path !== "docs/README.md" &&
    !index.includes(`(${path.slice("docs/".length)})`)
  );
  assertEquals(missing, []);
});

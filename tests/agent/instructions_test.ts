import { assertEquals } from "@std/assert";
import { readInstructions } from "../../src/agent/instructions.ts";
import { createFiles } from "../../src/system/files.ts";

/** The instructions for `cwd` in a tree of files; a name that ends in a slash is a folder. */
async function read(tree: { readonly [path: string]: string }, cwd: string) {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-agents-" }));
  try {
    Deno.mkdirSync(`${top}/${cwd}`, { recursive: true });
    for (const [path, text] of Object.entries(tree)) {
      Deno.mkdirSync(`${top}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      if (!path.endsWith("/")) Deno.writeTextFileSync(`${top}/${path}`, text);
    }
    return await readInstructions(createFiles(), `${top}/${cwd}`);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("AGENTS.md is read from the repository's root down to the working directory", async (t) => {
  const rows: {
    readonly title: string;
    readonly tree: { readonly [path: string]: string };
    readonly text: string;
  }[] = [
    { title: "none", tree: { "r/.git/": "" }, text: "" },
    {
      title: "outermost first, a folder without one skipped",
      tree: { "r/.git/": "", "r/AGENTS.md": "root\n", "r/a/b/AGENTS.md": "inner\n\n" },
      text: "root\n\ninner",
    },
    {
      title: "nothing above the repository",
      tree: { "AGENTS.md": "outside", "r/.git/": "", "r/AGENTS.md": "root" },
      text: "root",
    },
    {
      title: "a worktree's .git is a file",
      tree: { "r/.git": "gitdir: x", "r/AGENTS.md": "root" },
      text: "root",
    },
    {
      title: "outside of a repository only the working directory's",
      tree: { "r/AGENTS.md": "above", "r/a/b/AGENTS.md": "here" },
      text: "here",
    },
    { title: "an empty one adds nothing", tree: { "r/.git/": "", "r/AGENTS.md": "\n" }, text: "" },
    {
      title: "a folder of that name is none",
      tree: { "r/.git/": "", "r/AGENTS.md/": "" },
      text: "",
    },
  ];
  for (const { title, tree, text } of rows) {
    await t.step(title, async () => {
      assertEquals(await read(tree, "r/a/b"), { text });
    });
  }
});

Deno.test("an AGENTS.md that leads out of the project, or never ends, is not read", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-agents-" }));
  try {
    Deno.mkdirSync(`${top}/r/.git`, { recursive: true });
    Deno.mkdirSync(`${top}/r/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${top}/secret`, "secret");
    Deno.writeTextFileSync(`${top}/r/NOTES.md`, "shared");
    Deno.symlinkSync("../secret", `${top}/r/AGENTS.md`);
    Deno.symlinkSync("../NOTES.md", `${top}/r/a/AGENTS.md`);
    await new Deno.Command("mkfifo", { args: [`${top}/r/a/b/AGENTS.md`] }).output();
    assertEquals(await readInstructions(createFiles(), `${top}/r/a/b`), { text: "shared" });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("AGENTS.md gives 32 KiB in all, cut at a whole character and announced", async () => {
  const tree = { "r/.git/": "", "r/AGENTS.md": "x".repeat(32_767), "r/a/AGENTS.md": "é" };
  assertEquals(await read({ "r/.git/": "", "r/AGENTS.md": "é".repeat(16_384) }, "r"), {
    text: "é".repeat(16_384),
  });
  assertEquals(await read(tree, "r/a"), {
    text: "x".repeat(32_767) + "\n",
    notice: "AGENTS.md is 32771 bytes long: the model gets the first 32768",
  });
  const odd = await read({ "r/.git/": "", "r/AGENTS.md": "x" + "é".repeat(16_384) }, "r");
  assertEquals(odd.text, "x" + "é".repeat(16_383));
});

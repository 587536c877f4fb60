import { assertEquals } from "@std/assert";
import { findProgram, gatherFacts, resolvePath } from "../../src/agent/resolve.ts";
import { readPermissionFlags } from "../../src/permission/flags.ts";
import { createRules } from "../../src/permission/rules.ts";
import { createFiles } from "../../src/system/files.ts";

const files = createFiles();

/** A folder with links of every kind; `HERE` stands for it in what comes back. */
async function withTree(test: (top: string) => Promise<void>): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-resolve-" }));
  try {
    for (const name of ["work", "outside", "bin", "more"]) Deno.mkdirSync(`${top}/${name}`);
    Deno.writeTextFileSync(`${top}/outside/secret`, "s");
    Deno.writeTextFileSync(`${top}/work/plain`, "p");
    Deno.linkSync(`${top}/work/plain`, `${top}/work/hard`);
    Deno.symlinkSync("../outside", `${top}/work/out`);
    Deno.symlinkSync("../outside/new", `${top}/work/dangling`);
    Deno.symlinkSync("loop", `${top}/work/loop`);
    Deno.writeTextFileSync(`${top}/bin/tool`, "", { mode: 0o755 });
    Deno.writeTextFileSync(`${top}/bin/notes`, "", { mode: 0o644 });
    Deno.mkdirSync(`${top}/bin/folder`);
    Deno.symlinkSync("../bin/tool", `${top}/more/alias`);
    await test(top);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("resolvePath() follows every link, also of a path that doesn't exist yet", () =>
  withTree(async (top) => {
    const rows: readonly (readonly [string, string, number])[] = [
      ["plain", "work/plain", 2],
      ["out/secret", "outside/secret", 1],
      ["out/new/deeper", "outside/new/deeper", 1],
      ["new/../plain", "work/plain", 2],
      ["../outside/secret", "outside/secret", 1],
      ["dangling", "outside/new", 1],
      ["dangling/x", "outside/new/x", 1],
      ["", "work", 1],
    ];
    for (const [path, real, links] of rows) {
      const seen = await resolvePath(files, path, `${top}/work`);
      assertEquals([path, seen.real.replace(`${top}/`, ""), seen.links], [path, real, links]);
    }
    const loop = await resolvePath(files, "loop/x", `${top}/work`);
    assertEquals(loop.real, `${top}/work/loop/x`);
  }));

Deno.test("findProgram() finds what can be run: on the PATH by name, by an absolute path, never by a relative one", () =>
  withTree(async (top) => {
    const path = `relative:${top}/none:${top}/more:${top}/bin`;
    const tool = { path: `${top}/bin/tool`, real: `${top}/bin/tool` };
    const rows = [
      ["tool", tool],
      ["alias", { path: `${top}/more/alias`, real: `${top}/bin/tool` }],
      [`${top}/bin/tool`, tool],
      ["notes", undefined],
      ["folder", undefined],
      ["bin/tool", undefined],
      ["./tool", undefined],
      ["absent", undefined],
    ] as const;
    for (const [name, expected] of rows) {
      assertEquals([name, await findProgram(files, name, path)], [name, expected]);
    }
  }));

Deno.test("gatherFacts() looks up what the rules name, once", () =>
  withTree(async (top) => {
    const flags = ["--allow-run=tool,absent", "--allow-write=out", "--deny-read=plain"];
    const cwd = `${top}/work`;
    const facts = await gatherFacts(files, createRules(readPermissionFlags(flags).flags, cwd), {
      cwd,
      env: { PATH: `${top}/bin` },
      ownPaths: [`${top}/work/out/sessions`],
      foldCase: false,
    });
    assertEquals(facts.programs.get("tool"), {
      path: `${top}/bin/tool`,
      real: `${top}/bin/tool`,
    });
    assertEquals(facts.programs.has("absent"), false);
    assertEquals(facts.realPaths.get(`${cwd}/out`), `${top}/outside`);
    assertEquals(facts.realPaths.get(`${cwd}/plain`), `${cwd}/plain`);
    assertEquals([facts.ownPaths, facts.home], [[`${top}/outside/sessions`], null]);
  }));

/** Our own cases, `fixtures/patches/NNN_name`: whole folders compared, and the whole sentence of each refusal. */
import { assertEquals } from "@std/assert";
import { createRig, harvest } from "../tools/world.ts";
import { applyPatchTool } from "../../src/tools/apply_patch.ts";

const folder = new URL("../../fixtures/patches/", import.meta.url).pathname;
const names = [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();

for (const name of names) {
  Deno.test(`Patch fixture ${name}`, async () => {
    const { cwd, world } = createRig();
    copy(`${folder}${name}/input`, cwd);
    const before = harvest(cwd);
    const patch = Deno.readTextFileSync(`${folder}${name}/patch.txt`);
    const answer = await applyPatchTool.run({ patch }, world);
    const refusal = readOrNothing(`${folder}${name}/refused.txt`);
    if (refusal !== undefined) {
      assertEquals([answer, harvest(cwd)], [{ exit: 1, output: refusal }, before]);
      return;
    }
    const { cwd: wanted } = createRig();
    copy(`${folder}${name}/expected`, wanted);
    assertEquals([answer.exit, filesOf(cwd)], [0, filesOf(wanted)], answer.output);
  });
}

function copy(from: string, to: string): void {
  if (!exists(from)) return;
  const args = ["-R", `${from}/.`, to];
  if (!new Deno.Command("cp", { args }).outputSync().success) throw new Error(`cp ${from}`);
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

function readOrNothing(path: string): string | undefined {
  return exists(path) ? Deno.readTextFileSync(path) : undefined;
}

/** Git keeps no folders and few modes: contents alone. */
function filesOf(cwd: string): Record<string, string> {
  const files = Object.entries(harvest(cwd)).filter(([, text]) => text !== "/");
  return Object.fromEntries(files.map(([name, text]) => [name, text.replace(/^\d+ /, "")]));
}

/** The shared cases of area E: public reports about edit tools, played with ours. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createFiles } from "../../src/system/files.ts";
import { FileError } from "../../src/system/system.ts";
import { applyPatchTool } from "../../src/tools/apply_patch.ts";
import { FILE_TOOLS } from "../../src/tools/mod.ts";
import type { ToolAnswer } from "../../src/tools/tool.ts";
import { SHARED, sharedIsThere } from "../patch/corpus.ts";
import { createRig, harvest } from "./world.ts";

interface Step {
  readonly name?: string;
  readonly arguments?: Record<string, string>;
  readonly outside?: string;
}

interface Expected {
  readonly tool_call?: Step | readonly Step[];
  readonly expect: {
    readonly files_after?: string;
    readonly tool_error?: string | boolean;
    readonly either?: unknown;
    readonly or?: string;
  };
}

function shell(command: string, cwd: string): void {
  const { success } = new Deno.Command("sh", { args: ["-c", command], cwd }).outputSync();
  if (!success) throw new Error(`failed: ${command}`);
}

async function play(id: string, patchName?: string) {
  const folder = new URL(`cases/${id}/`, SHARED).pathname;
  const { cwd, world } = createRig();
  const names = [...Deno.readDirSync(folder)].map((entry) => entry.name);
  if (names.includes("before")) shell(`cp -r '${folder}before/.' . && chmod -R u=rwX,go=rX .`, cwd);
  if (names.includes("setup.sh")) shell(`sh '${folder}setup.sh'`, cwd);
  const before = harvest(cwd);
  const expected = JSON.parse(Deno.readTextFileSync(`${folder}expected.json`)) as Expected;
  const steps = patchName
    ? [{ name: "apply_patch", arguments: { patch: Deno.readTextFileSync(folder + patchName) } }]
    : [expected.tool_call ?? []].flat() as Step[];
  let answer: ToolAnswer = { exit: -1, output: "" };
  for (const step of steps) {
    if (step.outside) shell(step.outside, cwd);
    else {
      const tool = FILE_TOOLS.find((each) => each.spec.name === step.name)!;
      answer = await tool.run(step.arguments ?? {}, world);
    }
  }
  return { cwd, folder, before, after: harvest(cwd), answer, expected, names };
}

/** The contents alone: `after/` holds no modes and links. */
function contents(tree: Record<string, string>): Record<string, string> {
  const plain = Object.entries(tree).filter(([, text]) => !text.startsWith("-> "));
  return Object.fromEntries(plain.map(([name, text]) => [name, text.replace(/^\d+ /, "")]));
}

const PATCHES = [
  ["E01", "patch.envelope"],
  ["E01", "patch.unified"],
  ["E03", "patch.envelope"],
  ["E04", "patch.envelope"],
  ["E06", "patch.envelope"],
  ["E08", "patch.envelope"],
  ["E13", "patch.envelope"],
  ["E14", "patch.envelope"],
  ["E14", "patch.unified"],
  ["E23", "patch.unified"],
  ["E09", undefined],
  ["E11", undefined],
  ["E19", undefined],
  ["E24", undefined],
] as const;

for (const [id, patchName] of PATCHES) {
  Deno.test(`Case ${id}${patchName ? ` (${patchName})` : ""} ends as its report asks`, async () => {
    if (!sharedIsThere()) return;
    const { folder, after, answer, expected } = await play(id, patchName);
    const refused = expected.expect.tool_error !== undefined;
    assertEquals([answer.exit, contents(after)], [
      refused ? 1 : 0,
      contents(harvest(`${folder}after`)),
    ], answer.output);
  });
}

Deno.test("A mode stays, and so does a link", async () => {
  if (!sharedIsThere()) return;
  assertMatch((await play("E08", "patch.envelope")).after["run.sh"]!, /^755 /);
  assertEquals((await play("E09")).after["link.txt"], "-> real.txt");
  assertStringIncludes((await play("E11")).answer.output, "has changed since it was read");
});

Deno.test("The other name of a hard link is told of", async () => {
  if (!sharedIsThere()) return;
  const { after, answer } = await play("E18", "patch.envelope");
  assertEquals(after, { "h1.txt": "644 thread\n", "h2.txt": "644 needle\n" });
  assertStringIncludes(answer.output, '"h1.txt" had another hard link');
});

Deno.test("Letters in another normal form are not found, and nothing is normalised", async () => {
  if (!sharedIsThere()) return;
  const { before, after, answer } = await play("E21", "patch.envelope");
  assertEquals([answer.exit, after], [1, before]);
});

Deno.test("A folder that can't be written undoes the whole patch and is named", async () => {
  if (!sharedIsThere()) return;
  const folder = new URL("cases/E16/", SHARED).pathname;
  const files = createFiles();
  // Root may write everywhere: what the system would say is injected.
  const { cwd, world } = createRig({
    ...files,
    createSynced: (path, bytes, mode) =>
      path.includes("/ro/")
        ? Promise.reject(new FileError("EACCES", path, `Cannot write "${path}": permission denied`))
        : files.createSynced(path, bytes, mode),
  });
  shell(`cp -r '${folder}before/.' . && sh '${folder}setup.sh'`, cwd);
  const before = harvest(cwd);
  const patch = Deno.readTextFileSync(`${folder}patch.envelope`);
  const answer = await applyPatchTool.run({ patch }, world);
  assertEquals(answer, {
    exit: 1,
    output: 'Cannot write "ro/b.txt": permission denied. Nothing was changed.\n',
  });
  assertEquals(harvest(cwd), before);
});

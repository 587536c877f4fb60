/** Whole trees through real git: renames, copies, swaps, modes, deletions; its patch must give its own tree. */
import { assertEquals } from "@std/assert";
import { harvest } from "../tools/world.ts";
import { applyPatchTool } from "../../src/tools/apply_patch.ts";
import { createRig, plant } from "../tools/world.ts";

/** Numbers that look random and are the same in every run. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return Math.floor(state / 65_536) % sides;
  };
}

function shell(command: string, cwd: string): string {
  const { success, stdout, stderr } = new Deno.Command("sh", { args: ["-c", command], cwd })
    .outputSync();
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

const WORDS = ["alpha", "beta", "", "}", "    return", "x = 1", "\ttab", "é ü", "- item", "-- sql"];
const NAMES = ["f1", "dir/f2.txt", "dir/sub/f 3.c", "naïve.txt", "e5", "dir2/f6", "f7"];
const FLAGS = ["", "-M", "-C -C --find-copies-harder", "-M30% -U1", "-B -M"];

function bodyOf(dice: (sides: number) => number): string {
  const lines = Array.from(
    { length: 3 + dice(25) },
    () => `${WORDS[dice(WORDS.length)]}${dice(50)}`,
  );
  return lines.join("\n") + (dice(5) > 0 ? "\n" : "");
}

/** Does something to one file of the tree. */
function disturb(tree: string, name: string, dice: (sides: number) => number): void {
  const path = `${tree}/${name}`;
  const edit = (at: string) => {
    const lines = Deno.readTextFileSync(at).split("\n");
    lines.splice(dice(lines.length), dice(2), `new ${dice(99)}`);
    Deno.writeTextFileSync(at, lines.join("\n"));
  };
  switch (dice(7)) {
    case 0:
      Deno.renameSync(path, `${tree}/moved ${dice(99)}`);
      break;
    case 1: {
      const to = `${tree}/deep/er/m${dice(99)}`;
      Deno.mkdirSync(`${tree}/deep/er`, { recursive: true });
      Deno.renameSync(path, to);
      edit(to);
      break;
    }
    case 2:
      Deno.removeSync(path);
      break;
    case 3:
      Deno.chmodSync(path, 0o755);
      break;
    case 4:
      Deno.copyFileSync(path, `${tree}/copy${dice(99)}`);
      edit(path);
      break;
    default:
      edit(path);
  }
}

function swap(tree: string, a: string, b: string): void {
  Deno.renameSync(`${tree}/${a}`, `${tree}/for a moment`);
  Deno.renameSync(`${tree}/${b}`, `${tree}/${a}`);
  Deno.renameSync(`${tree}/for a moment`, `${tree}/${b}`);
}

function filesOf(tree: string): Record<string, string> {
  const files = Object.entries(harvest(tree));
  return Object.fromEntries(
    files.filter(([name, text]) => !name.startsWith(".git") && text !== "/"),
  );
}

Deno.test("Git's patch between two trees gives the second tree, modes and all", async () => {
  for (let round = 0; round < 25; round++) {
    const dice = createDice(round);
    const { cwd: wanted } = createRig();
    const { cwd, world } = createRig();
    const files = Object.fromEntries(NAMES.map((name) => [name, dice(8) > 0 ? bodyOf(dice) : ""]));
    plant(cwd, files);
    plant(wanted, files);
    shell("git init -q && git add -A && git -c user.name=x -c user.email=x commit -qm x", wanted);
    for (const name of NAMES) disturb(wanted, name, dice);
    const left = NAMES.filter((name) => filesOf(wanted)[name] !== undefined);
    if (left.length > 1 && dice(2) > 0) swap(wanted, left[0]!, left[1]!);
    shell("git add -A", wanted);
    const flags = FLAGS[round % FLAGS.length]!;
    const patch = shell(`git diff --cached --no-color ${flags}`, wanted);
    const answer = await applyPatchTool.run({ patch }, world);
    assertEquals(
      [answer.exit, filesOf(cwd)],
      [0, filesOf(wanted)],
      `round ${round}: ${answer.output}`,
    );
  }
});

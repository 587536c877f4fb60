import { assertEquals, assertStringIncludes } from "@std/assert";
import { applyPatchTool } from "../../src/tools/apply_patch.ts";
import { createRig, harvest, plant } from "./world.ts";

function mount(args: readonly string[]): boolean {
  const command = new Deno.Command(args[0]!, { args: args.slice(1), stderr: "null" });
  return command.outputSync().success;
}

const big = Array.from({ length: 2000 }, (_, at) => `line ${at} of a file that nearly fills it`);

for (
  const [name, options, words] of [
    ["full", "size=128k", "no space left on the disk"],
    ["read-only", "size=1m", "the disk is read-only"],
  ] as const
) {
  Deno.test(`A ${name} disk under one of the files leaves all of them as they were`, async () => {
    const { cwd, world } = createRig();
    const small = `${cwd}/small`;
    Deno.mkdirSync(small);
    if (!mount(["mount", "-t", "tmpfs", "-o", options, "tmpfs", small])) {
      console.log("left out: this user may not mount a tmpfs");
      return;
    }
    try {
      plant(cwd, { "a.txt": "one\n", "small/big.txt": `${big.join("\n")}\n` });
      if (name === "read-only") mount(["mount", "-o", "remount,ro", small]);
      const before = harvest(cwd);
      const patch =
        `--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+two\n--- a/small/big.txt\n+++ b/small/big.txt\n@@\n-${
          big[7]
        }\n+changed\n`;
      const answer = await applyPatchTool.run({ patch }, world);
      assertEquals([answer.exit, harvest(cwd)], [1, before]);
      assertStringIncludes(answer.output, `Cannot write "small/big.txt": ${words}`);
    } finally {
      mount(["umount", small]);
    }
  });
}

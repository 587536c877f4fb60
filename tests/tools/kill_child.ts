/** Applies the five-file patch and kills itself with SIGKILL ahead of operation N: `kill_child.ts CWD STORE N`. */
import { applyPatchTool } from "../../src/tools/apply_patch.ts";
import { FIVE, watched } from "./five_files.ts";
import { createRig } from "./world.ts";

const [cwd, store, ordinal] = Deno.args as [string, string, string];
let count = 0;
const files = watched(() => {
  if (++count === Number(ordinal)) Deno.kill(Deno.pid, "SIGKILL");
});
const { world } = createRig(files);
const answer = await applyPatchTool.run({ patch: FIVE }, { ...world, cwd, spillDir: store });
console.log(answer.exit, count);

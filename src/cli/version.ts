/** `cst-agent --version`. */
import { runtimeVersions } from "../system/machine.ts";
import type { World } from "./command.ts";

/** The version of this program; the same stands in `deno.json`. */
export const VERSION = "0.1.0";

/** The commit that was built; `scripts/compile.ts` writes it over the mark. */
const COMMIT = "@COMMIT@";

/** Prints program, commit and runtime on one line. */
export function versionCommand(_argv: readonly string[], world: World): Promise<number> {
  const { deno, v8 } = runtimeVersions();
  const commit = COMMIT.startsWith("@") ? "sources" : COMMIT;
  world.stdout(`cst-agent ${VERSION} (${commit}, Deno ${deno}, V8 ${v8})\n`);
  return Promise.resolve(0);
}

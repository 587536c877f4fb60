/** Permission flags and configuration files → the rules (SPEC 8, 10). */
import { resolvePath } from "../agent/resolve.ts";
import { type PermissionFlags, readPermissionFlags, type Scope } from "../permission/flags.ts";
import { createRules, narrow, type Rules } from "../permission/rules.ts";
import type { Files } from "../system/system.ts";
import type { ConfigFile, Configs } from "./config.ts";

/** Takes the permission flags out of argv; what is left is for `parseCommandLine`. */
export function splitPermissionFlags(
  argv: readonly string[],
): { readonly rest: readonly string[]; readonly words: readonly string[] } {
  const { rest } = readPermissionFlags(argv);
  const kept = new Set(rest);
  return { rest, words: argv.filter((word) => !kept.has(word)) };
}

/** The rules of the flags, of the user's file where a kind isn't named by a flag, narrowed by the project's file. */
export async function readRules(
  given: readonly string[],
  configs: Pick<Configs, "user" | "project">,
  place: Ground,
): Promise<Rules> {
  const words = [...configWords(configs.user, given), ...given];
  const user = readPermissionFlags(words).flags;
  const projectWords = configWords(configs.project, []);
  if (projectWords.length === 0) return createRules(user, place.cwd);
  const project = readPermissionFlags(projectWords).flags;
  const rules = createRules(await followAllowed(user, place), place.cwd);
  return narrow(rules, await followAllowed(project, place), place.cwd);
}

interface Ground {
  readonly cwd: string;
  readonly files: Files;
}

/** `flags` with the links of their allowed paths followed: a project may hold a link that leads out of it. */
async function followAllowed(flags: PermissionFlags, ground: Ground): Promise<PermissionFlags> {
  const follow = async (scope: Scope<string>): Promise<Scope<string>> => {
    if (scope.kind !== "list") return scope;
    const items: string[] = [];
    for (const item of scope.items) {
      items.push((await resolvePath(ground.files, item, ground.cwd)).real);
    }
    return { kind: "list", items };
  };
  return {
    ...flags,
    allowRead: await follow(flags.allowRead),
    allowWrite: await follow(flags.allowWrite),
  };
}

const CONFIG_FLAGS = [
  ["allowRead", "--allow-read"],
  ["allowWrite", "--allow-write"],
  ["allowRun", "--allow-run"],
  ["denyRead", "--deny-read"],
  ["denyWrite", "--deny-write"],
  ["denyRun", "--deny-run"],
] as const;

/** A configuration's permissions as flags; kinds that a flag names already are left to it. Deny always adds up. */
function configWords(config: ConfigFile, given: readonly string[]): string[] {
  return CONFIG_FLAGS.flatMap(([key, flag]) => {
    const list = config[key];
    if (list === undefined) return [];
    if (!flag.startsWith("--deny") && given.some((word) => word.split("=")[0] === flag)) return [];
    return [`${flag}=${list.map((item) => item.replaceAll(",", ",,")).join(",")}`];
  });
}

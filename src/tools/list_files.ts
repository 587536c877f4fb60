/** `list_files`: the names below a folder. */
import type { JsonObject } from "../vocab.ts";
import { answering, succeed } from "./answer.ts";
import { scopeOf } from "./scope.ts";
import { LIST_FILES_SPEC } from "./specs.ts";
import type { Tool, ToolAnswer, ToolWorld } from "./tool.ts";

/** Names that one answer holds. */
const MOST = 1000;

/** Lists files, honouring `.gitignore`; at most 1,000 names. */
export const listFilesTool: Tool = {
  spec: LIST_FILES_SPEC,
  needs: (args) => [{ kind: "read", path: args.path as string | undefined ?? "." }],
  run: (args, world) => answering(() => list(args, world)),
};

async function list(args: JsonObject, world: ToolWorld): Promise<ToolAnswer> {
  const scope = await scopeOf(args as { path?: string; glob?: string }, world);
  if ("exit" in scope) return scope;
  const names: string[] = [];
  let more = 0;
  for await (const { name } of scope.found()) {
    if (names.length < MOST) names.push(name);
    else more++;
  }
  if (names.length === 0) return succeed(`No files.${scope.remark()}`);
  if (more > 0) names.push(`(${more} more: name a folder or a glob)`);
  return succeed(names.join("\n") + scope.remark());
}

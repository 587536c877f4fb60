/** `read_file`: the text of a file, exactly. */
import type { JsonObject } from "../vocab.ts";
import { answering, refuse } from "./answer.ts";
import { sha256Of } from "./journal.ts";
import { resolveTarget } from "./target.ts";
import { READ_FILE_SPEC } from "./specs.ts";
import type { Tool, ToolAnswer, ToolWorld } from "./tool.ts";

/** Larger files aren't read into memory. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a file whole or from `start_line` to `end_line` (from 1, both included). */
export const readFileTool: Tool = {
  spec: READ_FILE_SPEC,
  needs: (args) => [{ kind: "read", path: args.path as string }],
  run: (args, world) => answering(() => read(args, world)),
};

async function read(args: JsonObject, world: ToolWorld): Promise<ToolAnswer> {
  const path = args.path as string;
  const { found, target } = await resolveTarget(world.files, world.cwd, path);
  if (found.kind === "missing") return refuse(`"${path}" doesn't exist`);
  if (found.kind === "other") return refuse(`"${path}" is ${found.what}`);
  if (found.info.size > MOST_BYTES) {
    return refuse(
      `"${path}" has ${found.info.size} bytes, too many to read: use run with head, sed or grep`,
    );
  }
  const bytes = await world.files.readFile(target);
  world.seen?.set(target, await sha256Of(bytes));
  const first = args.start_line as number | undefined;
  const last = args.end_line as number | undefined;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (first === undefined && last === undefined) return { exit: 0, output: text };
  return someLines(text, { path, first: first ?? 1, last: last ?? Infinity });
}

interface Range {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

function someLines(text: string, { path, first, last }: Range): ToolAnswer {
  const lines = text.split(/(?<=\n)/);
  if (last < first) return refuse(`end_line ${last} is before start_line ${first}`);
  if (first > lines.length) return refuse(`"${path}" has ${lines.length} lines, no line ${first}`);
  return { exit: 0, output: lines.slice(first - 1, last).join("") };
}

/** What a call would change in a file that is there, with the lines around it, for the person who is asked. */
import { createPatch } from "diff";
import { FileError, type Files } from "../../system/system.ts";
import { normalPath } from "../../text/path.ts";
import type { ToolCall } from "../../vocab.ts";

/** A longer file is shown without the lines around. */
const MOST_BYTES = 1_048_576;
/** Keys wait while lines are compared. */
const LONGEST_MS = 200;

/** `call` with its change as a unified diff against the file; as it is where there is no such file or no such change. */
export async function withContext(call: ToolCall, cwd: string, files: Files): Promise<ToolCall> {
  const { path } = call.arguments;
  if (typeof path !== "string") return call;
  const before = await readText(normalPath(path, cwd), files);
  const after = before === undefined ? undefined : changed(call, before);
  if (before === undefined || after === undefined) return call;
  const patch = createPatch(path, before, after, "", "", { context: 3, timeout: LONGEST_MS });
  if (patch === undefined) return call;
  // The first lines name the file twice, which the question does already.
  const lines = patch.split("\n").filter((line) =>
    !/^(Index: |=+$|--- |\+\+\+ |\\ No newline)/.test(line)
  );
  return { ...call, arguments: { path, patch: lines.join("\n") } };
}

/**
 * The text of the file after `call`; undefined where it would change nothing that is known.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const call = { id: "c1", name: "edit_file", values: "text", arguments: { path: "a", old: "b", new: "$&" } } as const;
 * assertEquals([changed(call, "abc"), changed(call, "xyz")], ["a$&c", undefined]);
 * ```
 */
export function changed(call: ToolCall, before: string): string | undefined {
  const { content, old, new: wanted } = call.arguments;
  if (typeof content === "string") return content;
  if (typeof old !== "string" || typeof wanted !== "string" || !before.includes(old)) {
    return undefined;
  }
  return call.arguments.all
    ? before.replaceAll(old, () => wanted)
    : before.replace(old, () => wanted);
}

async function readText(path: string, files: Files): Promise<string | undefined> {
  try {
    const info = await files.stat(path);
    if (info.kind !== "file" || info.size > MOST_BYTES) return undefined;
    return new TextDecoder().decode(await files.readFile(path));
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/** `search`: the lines that a regular expression finds. */
import type { JsonObject } from "../vocab.ts";
import { answering, refuse, succeed } from "./answer.ts";
import { scopeOf } from "./scope.ts";
import { SEARCH_SPEC } from "./specs.ts";
import type { Tool, ToolAnswer, ToolWorld } from "./tool.ts";

/** Lines of one answer, characters of one line, and bytes of the largest file that is read. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 300;
const MOST_BYTES = 8 * 1024 * 1024;
/** Characters of a line that are searched; minified files have lines of megabytes. */
const SEARCHED = 20_000;

/** Searches files, honouring `.gitignore`; binary files are passed over. */
export const searchTool: Tool = {
  spec: SEARCH_SPEC,
  needs: (args) => [{ kind: "read", path: args.path as string | undefined ?? "." }],
  run: (args, world) => answering(() => search(args, world)),
};

async function search(args: JsonObject, world: ToolWorld): Promise<ToolAnswer> {
  const pattern = compile(args.pattern as string);
  if (typeof pattern === "string") return refuse(pattern);
  const scope = await scopeOf(args as { path?: string; glob?: string }, world);
  if ("exit" in scope) return scope;
  const lines: string[] = [];
  for await (const { whole, name } of scope.found()) {
    const text = await readText(whole, world);
    if (text === undefined) continue;
    lines.push(...matchesIn(text, pattern).map((match) => `${name}:${match}`));
    if (lines.length > MOST_LINES) {
      lines.length = MOST_LINES;
      lines.push("(there are more: narrow the pattern, the folder or the glob)");
      break;
    }
  }
  if (lines.length === 0) return refuse(`Nothing found.${scope.remark()}\n`);
  return succeed(lines.join("\n") + scope.remark());
}

/** A pattern that repeats a repeated group can take years on one line, and nothing could stop it. */
const ENDLESS = /\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)/;

function compile(pattern: string): RegExp | string {
  if (ENDLESS.test(pattern)) {
    return `The pattern repeats a group that repeats, which may take for ever: write it without "(x+)+"`;
  }
  try {
    return new RegExp(pattern);
  } catch (error) {
    return `Cannot read the pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The file's text; nothing for one that is binary, too large, unreadable or a link. */
async function readText(path: string, world: ToolWorld): Promise<string | undefined> {
  try {
    const info = await world.files.lstat(path);
    if (info.kind !== "file" || info.size > MOST_BYTES) return undefined;
    const bytes = await world.files.readFile(path);
    if (bytes.subarray(0, 8192).includes(0)) return undefined;
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function matchesIn(text: string, pattern: RegExp): string[] {
  const found: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (!pattern.test(line.slice(0, SEARCHED))) continue;
    const shown = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}...` : line;
    found.push(`${index + 1}:${shown}`);
    if (found.length > MOST_LINES) break;
  }
  return found;
}

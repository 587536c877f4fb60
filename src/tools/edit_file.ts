/** `edit_file`: one exact text for another. */
import type { JsonObject } from "../vocab.ts";
import { bytesOf, byteTextOf, decodeText, encodeText } from "../patch/byte_text.ts";
import { nearestLines } from "../patch/explain.ts";
import { answering, refuse, succeed } from "./answer.ts";
import { resolveTarget } from "./target.ts";
import { EDIT_FILE_SPEC } from "./specs.ts";
import type { Tool, ToolAnswer, ToolWorld } from "./tool.ts";
import { linkNote, snapshotOf, writeAll } from "./write_text.ts";

/** Matches of an ambiguous text that are listed. */
const SHOWN = 10;

/**
 * Replaces `old` by `new`; `old` must stand in the file exactly once unless `all`. In a file whose lines all end in
 * CRLF, `\n` in both texts means CRLF. Works on bytes, so that what isn't UTF-8 stays as it is.
 */
export const editFileTool: Tool = {
  spec: EDIT_FILE_SPEC,
  needs: (args) => [
    { kind: "read", path: args.path as string },
    { kind: "write", path: args.path as string },
  ],
  run: (args, world) => answering(() => edit(args, world)),
};

async function edit(args: JsonObject, world: ToolWorld): Promise<ToolAnswer> {
  const path = args.path as string;
  const target = await resolveTarget(world.files, world.cwd, path);
  if (target.found.kind === "other") return refuse(`"${path}" is ${target.found.what}`);
  const before = await snapshotOf(target, world);
  if (!before) return refuse(`"${path}" doesn't exist: write_file creates it`);
  const text = byteTextOf(before.bytes);
  const [old, replacement] = [args.old, args.new].map((each) => withEnds(each as string, text));
  if (old === "") return refuse("old is empty: give the text that is to be replaced");
  if (old === replacement) return refuse("old and new are the same: nothing would change");
  const places = findAll(text, old!);
  if (places.length === 0) return refuse(notFound(path, text, old!));
  if (places.length > 1 && args.all !== true) return refuse(tooMany(path, text, places));
  const bytes = bytesOf(replaceAt(text, places, { old: old!, replacement: replacement! }));
  const after = { bytes, mode: before.mode };
  await writeAll([{ path, target: target.target, before, after }], world);
  return succeed(`Edited "${path}" at ${linesInWords(text, places)}${linkNote(target)}`);
}

/** The argument as byte text, with the file's CRLF where every line of the file has it. */
function withEnds(argument: string, text: string): string {
  const bytes = encodeText(argument);
  const uniform = text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
  return uniform && !bytes.includes("\r") ? bytes.replaceAll("\n", "\r\n") : bytes;
}

function findAll(text: string, old: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) {
    places.push(at);
  }
  return places;
}

interface Swap {
  readonly old: string;
  readonly replacement: string;
}

function replaceAt(text: string, places: readonly number[], { old, replacement }: Swap): string {
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, place), replacement);
    from = place + old.length;
  }
  return parts.join("") + text.slice(from);
}

function lineNumbers(text: string, places: readonly number[]): number[] {
  const numbers: number[] = [];
  let line = 1;
  let from = 0;
  for (const place of places) {
    for (
      let at = text.indexOf("\n", from);
      at >= 0 && at < place;
      at = text.indexOf("\n", at + 1)
    ) {
      line++;
      from = at + 1;
    }
    numbers.push(line);
  }
  return numbers;
}

function linesInWords(text: string, places: readonly number[]): string {
  const numbers = lineNumbers(text, places.slice(0, SHOWN)).join(", ");
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : "";
  return `${places.length === 1 ? "line" : "lines"} ${numbers}${more}`;
}

function tooMany(path: string, text: string, places: readonly number[]): string {
  return `old occurs ${places.length} times in "${path}", at ${
    linesInWords(text, places)
  }: give more of the text around it, or set all. Nothing was written`;
}

function notFound(path: string, text: string, old: string): string {
  const why = nearestLines(old, text) ?? "nothing in it is like it";
  return `old is not in "${path}" (${
    JSON.stringify(clip(decodeText(old)))
  }): ${why}. Nothing was written`;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

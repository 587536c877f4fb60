/**
 * Near misses: lines of prose that were plainly meant as a call (SPEC 2.5). A message without any confirmed call that
 * holds one is not a final answer.
 *
 * A false alarm costs a question to the model; a miss ends the run with the work undone. So a line must look like
 * nothing else: two well-formed words after an indented or quoted `call` may be prose ("call me later"), unless the
 * first holds a digit as ids do, or an `arg` or `end` line comes next.
 */

/** A line that was meant as a call. */
export interface NearMiss {
  readonly line: string;
  /** What is wrong with it, in words that follow the line. */
  readonly why: string;
}

/** Whose calls the reader of this prose takes; their own markup is left to their own parsers. */
export type NearMissReader = "ctl" | "xml" | "native";

const DECORATION = /^[\s>*`"'_~-]*/;
const HEADER =
  /^call[ \t]+([A-Za-z0-9_.:-]{1,64})[ \t]+([A-Za-z_][A-Za-z0-9_.-]{0,63})[\s`"'*_]*$/i;
const FRAME_LINE = /^(?:arg[ \t]+[A-Za-z_]\S*[ \t]+\S|end\s*$)/i;
const ARG_LINE = /^arg[ \t]+[A-Za-z_][A-Za-z0-9_.-]*[ \t]+(?:\d+|<<['"]?[A-Za-z0-9_]+['"]?)\s*$/i;
const RESULT_LINE = /^result[ \t]+[A-Za-z0-9_.:-]+[ \t]+exit=-?\d+[ \t]+\d+\s*$/;
const XML_TAG = /^<\/?(?:minimax:tool_call|invoke(?:\s+name\s*=|\s*>)|parameter\s+name\s*=)/;
const OTHER_TAG =
  /^(?:<\/?(?:tool_calls?|function_calls?|tool_use|toolcall|function=[\w.-]+|tool_code)\b|<[|｜]{1,2}\s*(?:tool|DSML)|\[TOOL_CALLS\]|\[TOOL_REQUEST\])/i;
const JSON_START = /^[[{]/;
const JSON_NAME = /"(?:name|tool|tool_name|function|recipient_name)"\s*:\s*["{]/;
const JSON_ARGUMENTS = /"(?:arguments|args|parameters|input|tool_input)"\s*:/;
const FENCE = /^\s*(?:```|~~~)/;

/**
 * The first line of `text` that was plainly meant as a call but isn't one for this `reader`, if there is one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(findNearMiss("Now:\n  call c1 run\n  arg command ls\n  end\n", "ctl")?.line, "  call c1 run");
 * assertEquals(findNearMiss("You may call me later.\n", "ctl"), undefined);
 * ```
 */
export function findNearMiss(text: string, reader: NearMissReader): NearMiss | undefined {
  const lines = text.split("\n");
  let fenced = false;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (FENCE.test(line)) {
      fenced = !fenced;
      continue;
    }
    const why = frameFault(lines, i, reader) ?? jsonFault(lines, i) ??
      (fenced ? undefined : tagFault(line, reader));
    if (why !== undefined) return { line: line.replace(/\r$/, ""), why };
  }
  return undefined;
}

/** Is this line a piece of a CTL frame, written so that it isn't one? */
function frameFault(
  lines: readonly string[],
  i: number,
  reader: NearMissReader,
): string | undefined {
  const bare = lines[i]!.replace(DECORATION, "");
  const header = HEADER.exec(bare);
  if (header) {
    const followed = FRAME_LINE.test(nextBare(lines, i));
    if (!followed && !/\d/.test(header[1]!)) return undefined;
    if (reader !== "ctl") return "is a call in another protocol's form";
    return bare === lines[i]
      ? 'must be written in small letters: "call <id> <name>"'
      : "must stand at the very beginning of its line, without quotes or other marks";
  }
  if (ARG_LINE.test(bare)) {
    return reader === "ctl"
      ? 'belongs to no call: a frame begins with a line "call <id> <name>"'
      : "is part of a call in another protocol's form";
  }
  if (RESULT_LINE.test(bare)) return "is a result, and results are never yours to write";
  return undefined;
}

/** The next line that isn't blank, its decoration taken off. */
function nextBare(lines: readonly string[], i: number): string {
  for (let next = i + 1; next < lines.length; next++) {
    const bare = lines[next]!.replace(DECORATION, "");
    if (bare !== "") return bare;
  }
  return "";
}

/** Does a JSON call begin here? Fenced or bare, on one line or over several. */
function jsonFault(lines: readonly string[], i: number): string | undefined {
  const first = lines[i]!.trimStart();
  if (!JSON_START.test(first)) return undefined;
  const before = lines[i - 1];
  if (before !== undefined && JSON_START.test(before.trimStart())) return undefined;
  const block = lines.slice(i, i + 12).join("\n").slice(0, 4000);
  if (!JSON_NAME.test(block) || !JSON_ARGUMENTS.test(block)) return undefined;
  return "begins a call written as JSON, which isn't read here";
}

/** Does the line begin with a tag that calls are written in elsewhere? */
function tagFault(line: string, reader: NearMissReader): string | undefined {
  const bare = line.trimStart();
  if (reader !== "xml" && XML_TAG.test(bare)) return "is a call in another protocol's form";
  if (OTHER_TAG.test(bare)) return "is a call in another protocol's form";
  return undefined;
}

/** The sentence about a near miss that goes back to the model. */
export function describeNearMiss(miss: NearMiss): string {
  const line = miss.line.length > 200 ? miss.line.slice(0, 200) + "…" : miss.line;
  return `the line "${line.trim().toWellFormed()}" was meant as a call, but nothing was run: it ${miss.why}`;
}

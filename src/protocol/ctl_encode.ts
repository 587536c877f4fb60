/** Writes CTL frames (SPEC 2): each value in the form that its protocol teaches, if that form can carry it. */
import type { Json, ToolCall } from "../vocab.ts";
import { utf8Length } from "../text/utf8.ts";
import { DEFAULT_LIMITS } from "./protocol.ts";
import { readArgHeader } from "./ctl_header.ts";

/** The name of a protocol that is written as CTL. */
export type CtlName = "ctl" | "ctl-heredoc";

/**
 * The frames of a message's calls. `ctl` counts every value; `ctl-heredoc` writes a value on its line, as a heredoc if it
 * ends in a newline, and counts what neither can carry. A value that isn't a string is written as JSON.
 *
 * Each heredoc of the message has a tag of its own. With one tag for two, a first closing line that is spoiled would
 * leave the second to close the first value, and a call with a wrong value would be confirmed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const call = { id: "c1", name: "run", arguments: { command: "ls" }, values: "text" as const };
 * assertEquals(writeFrames([call], "ctl-heredoc"), "call c1 run\narg command ls\nend\n");
 * assertEquals(writeFrames([call], "ctl"), "call c1 run\narg command 2\nls\nend\n");
 * ```
 */
export function writeFrames(calls: readonly ToolCall[], name: CtlName): string {
  const texts = calls.map((call) =>
    Object.entries(call.arguments).map(([key, value]): Argument => [key, textOf(value)])
  );
  const write = name === "ctl" ? writeCounted : shortWriter(texts.flat());
  return calls.map((call, i) => {
    const args = texts[i]!.map(write).join("");
    return `call ${call.id} ${call.name}\n${args}end\n`;
  }).join("");
}

type Argument = readonly [key: string, text: string];

function textOf(value: Json): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
}

function writeCounted([key, text]: Argument): string {
  const bytes = utf8Length(text);
  return `arg ${key} ${bytes}\n${bytes === 0 ? "" : text + "\n"}`;
}

/** Writes each of `all` in the form that a model has the least to count in; tags are EOF1, EOF2, … in turn. */
function shortWriter(all: readonly Argument[]): (argument: Argument) => string {
  const lines = new Set(all.flatMap(([, text]) => text.split("\n")));
  let n = 0;
  return ([key, text]) => {
    if (fitsInline(key, text)) return `arg ${key} ${text}\n`;
    if (!fitsHeredoc(text)) return writeCounted([key, text]);
    do n++; while (lines.has(`EOF${n}`));
    return `arg ${key} <<EOF${n}\n${text}EOF${n}\n`;
  };
}

/** A line is read back as this very value: it isn't empty, no length and no heredoc. */
function fitsInline(key: string, text: string): boolean {
  const line = `arg ${key} ${text}`;
  return !text.includes("\n") && readArgHeader(line).kind === "inline" &&
    utf8Length(line) <= DEFAULT_LIMITS.line;
}

function fitsHeredoc(text: string): boolean {
  return text.endsWith("\n") &&
    (text.length * 3 <= DEFAULT_LIMITS.line ||
      text.split("\n").every((line) => utf8Length(line) <= DEFAULT_LIMITS.line));
}

/**
 * Prose that stands before frames: it ends its line, and a line that would be read as a header or as reasoning is
 * indented by a space.
 */
export function writeProse(text: string): string {
  const prose = text.replace(/^(?=call[ \t\r]|call$|<think>)/gm, " ");
  return prose === "" || prose.endsWith("\n") ? prose : prose + "\n";
}

/** Writes CTL frames (SPEC 2): each value in the form that its protocol teaches, if that form can carry it. */
import type { Json, ToolCall } from "../vocab.ts";
import { utf8Length } from "../text/utf8.ts";
import { DEFAULT_LIMITS } from "./protocol.ts";
import { readArgHeader } from "./ctl_header.ts";

/** The name of a protocol that is written as CTL. */
export type CtlName = "ctl" | "ctl-heredoc";

/**
 * The frame of one call. `ctl` counts every value; `ctl-heredoc` writes a value on its line, as a heredoc if it ends
 * in a newline, and counts what neither can carry. A value that isn't a string is written as JSON.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const call = { id: "c1", name: "run", arguments: { command: "ls" }, values: "text" as const };
 * assertEquals(writeFrame(call, "ctl-heredoc"), "call c1 run\narg command ls\nend\n");
 * assertEquals(writeFrame(call, "ctl"), "call c1 run\narg command 2\nls\nend\n");
 * ```
 */
export function writeFrame(call: ToolCall, name: CtlName): string {
  const args = Object.entries(call.arguments).map(([key, value]) =>
    writeArgument(key, value, name)
  );
  return `call ${call.id} ${call.name}\n${args.join("")}end\n`;
}

function writeArgument(key: string, value: Json, name: CtlName): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
  if (name === "ctl-heredoc") {
    if (fitsInline(key, text)) return `arg ${key} ${text}\n`;
    if (fitsHeredoc(text)) {
      const tag = chooseTag(text);
      return `arg ${key} <<${tag}\n${text}${tag}\n`;
    }
  }
  const bytes = utf8Length(text);
  return `arg ${key} ${bytes}\n${bytes === 0 ? "" : text + "\n"}`;
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

/** The first of EOF, EOF1, EOF2, … that is no line of `text`. */
function chooseTag(text: string): string {
  const lines = new Set(text.split("\n"));
  let tag = "EOF";
  for (let n = 1; lines.has(tag); n++) tag = `EOF${n}`;
  return tag;
}

/**
 * Prose that stands before frames: it ends its line, and a line that would be read as a header or as reasoning is
 * indented by a space.
 */
export function writeProse(text: string): string {
  const prose = text.replace(/^(?=call[ \t\r]|call$|<think>)/gm, " ");
  return prose === "" || prose.endsWith("\n") ? prose : prose + "\n";
}

/**
 * Header lines of CTL (SPEC 2.1–2.3), read from a whole line without its `\n`:
 *
 * ```text
 * call <id> <name>          opens a frame
 * arg <key> <nbytes>        a value of exactly nbytes bytes follows
 * arg <key> <<TAG           a value follows, up to a line that is exactly TAG
 * arg <key> <value …>       the value is the rest of this line
 * end                       the call is whole
 * ```
 *
 * Words are parted by runs of space and tab; space, tab and CR at the end mean nothing, except in an inline value.
 */

/** What a line whose first word is `call` says. */
export type CallHeader =
  | { readonly kind: "call"; readonly id: string; readonly name: string }
  /** More words than a header has: "call me when it is done". */
  | { readonly kind: "prose" }
  | { readonly kind: "bad"; readonly message: string };

/** What an `arg` line says; `valueAt` is where an inline value begins, in bytes. */
export type ArgHeader =
  | { readonly kind: "length"; readonly key: string; readonly bytes: number }
  | { readonly kind: "heredoc"; readonly key: string; readonly tag: string }
  | { readonly kind: "inline"; readonly key: string; readonly valueAt: number }
  | { readonly kind: "bad"; readonly message: string };

const ID = /^[A-Za-z0-9_.:-]{1,64}$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const HEREDOC = /^<<(?:([A-Za-z0-9_]{1,32})|'([A-Za-z0-9_]{1,32})'|"([A-Za-z0-9_]{1,32})")$/;
const NAME_RULE = 'a letter or "_", then up to 63 letters, digits, "_", "." or "-"';

/** The line without the white space at its end that means nothing. */
export function trimHeader(line: string): string {
  let end = line.length;
  while (end > 0 && isHeaderBlank(line.charCodeAt(end - 1))) end--;
  return end === line.length ? line : line.slice(0, end);
}

function isHeaderBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d;
}

/** May `id` stand in a `call` header? */
function isCallId(id: string): boolean {
  return ID.test(id);
}

/** May `name` stand in a header as the name of a tool or of an argument? */
function isName(name: string): boolean {
  return NAME.test(name);
}

/**
 * What the line says, if its first word is `call`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(readCallHeader("call c1 run\r"), { kind: "call", id: "c1", name: "run" });
 * assertEquals(readCallHeader("call me when done"), { kind: "prose" });
 * ```
 */
export function readCallHeader(line: string): CallHeader {
  const [, id, name, ...more] = trimHeader(line).split(/[ \t]+/);
  if (more.length > 0) return { kind: "prose" };
  if (id === undefined || name === undefined) {
    const missing = id === undefined ? "neither id nor tool name" : "no tool name";
    return {
      kind: "bad",
      message: `the line ${
        quote(line)
      } has ${missing}: a call begins with a line "call <id> <name>"`,
    };
  }
  if (!isCallId(id)) {
    const rule = '1 to 64 letters, digits, "_", ".", ":" or "-"';
    return { kind: "bad", message: `the call id ${quote(id)} isn't allowed: an id is ${rule}` };
  }
  if (!isName(name)) {
    return {
      kind: "bad",
      message: `the tool name ${quote(name)} isn't allowed: a name is ${NAME_RULE}`,
    };
  }
  return { kind: "call", id, name };
}

/**
 * What the line says, if its first word is `arg`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(readArgHeader("arg patch 495"), { kind: "length", key: "patch", bytes: 495 });
 * assertEquals(readArgHeader("arg text <<'EOF'"), { kind: "heredoc", key: "text", tag: "EOF" });
 * assertEquals(readArgHeader("arg command make test"), { kind: "inline", key: "command", valueAt: 12 });
 * ```
 */
export function readArgHeader(line: string): ArgHeader {
  const match = /^arg[ \t]+([^ \t]+)(?:[ \t](.*))?$/s.exec(line);
  const key = match === null ? "" : match[2] === undefined ? trimHeader(match[1]!) : match[1]!;
  if (match === null || key === "") {
    return {
      kind: "bad",
      message: `the line ${quote(line)} has no key: write "arg <key> <value>"`,
    };
  }
  if (!isName(key)) {
    return {
      kind: "bad",
      message: `the argument key ${quote(key)} isn't allowed: a key is ${NAME_RULE}`,
    };
  }
  const field = trimHeader(match[2] ?? "").replace(/^[ \t]+/, "");
  if (field === "") {
    const rule = `write "arg ${key} 0" for an empty value`;
    return { kind: "bad", message: `argument "${key}" has nothing after its key: ${rule}` };
  }
  if (/^\d+$/.test(field)) return { kind: "length", key, bytes: Number(field) };
  if (field.startsWith("<<")) return readHeredoc(key, field);
  return { kind: "inline", key, valueAt: line.length - match[2]!.length };
}

function readHeredoc(key: string, field: string): ArgHeader {
  const match = HEREDOC.exec(field);
  const tag = match?.[1] ?? match?.[2] ?? match?.[3];
  if (tag !== undefined) return { kind: "heredoc", key, tag };
  const rule = 'write <<TAG with a TAG of 1 to 32 letters, digits or "_" and nothing after it';
  return { kind: "bad", message: `argument "${key}": ${quote(field)} opens no heredoc: ${rule}` };
}

/** The text in double quotes, control characters escaped, cut at 120 characters. */
export function quote(text: string): string {
  const shown = text.length > 120 ? text.slice(0, 120).toWellFormed() + "…" : text;
  return JSON.stringify(trimHeader(shown)).replaceAll('\\"', '"').replaceAll("\\\\", "\\");
}

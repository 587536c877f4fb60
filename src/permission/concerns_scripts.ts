/** sed and awk programs: read just far enough to be certain that they neither run a command nor write a file. */
import type { Concern } from "./shell_syntax.ts";

type Texts = readonly (string | null)[];

function effect(why: string): Concern {
  return { kind: "effect", why };
}

const SED_FLAGS =
  /^(-[nErsuz]+|--(quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|sandbox))$/;

/** Why this sed call may write or run something, or null. */
export function sedConcern(texts: Texts): Concern | null {
  const scripts: string[] = [];
  let operands = 0;
  let explicit = false;
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]!;
    const joined = /^(?:-[nErsuz]*e|--expression=)([\s\S]*)$/.exec(text ?? "");
    if (text === null) return effect('a word of "sed" is not literal');
    if (SED_FLAGS.test(text)) continue;
    if (joined) {
      explicit = true;
      const script = joined[1] === "" && !text.startsWith("--") ? texts[++index] : joined[1];
      if (typeof script !== "string") return effect('the script of "sed" is not literal');
      scripts.push(script);
    } else if (text === "--") continue;
    else if (text.startsWith("-") && text !== "-") {
      return effect(`"${text}" of "sed" may write or read files`);
    } else if (operands++ === 0 && !explicit) scripts.push(text);
  }
  return scripts.every(isPlainSed)
    ? null
    : effect('a command in the script of "sed" may write or run something');
}

/** An address: a number, `$`, a step or `/regex/`, with `!` and blanks. */
const SED_ADDRESS = String
  .raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\[^\n])*/I?)(?:,[+~]?(?:\d+|\$|/(?:[^/\\\n\[]|\\[^\n])*/I?))?\s*!?\s*`;
/** `s` and `y` with the usual separators, and flags without `e`, `w` and `m`. */
const SED_SUBSTITUTE = [..."/|,#:@!%"].map((mark) => {
  const body = String.raw`(?:[^${mark}\\\n]|\\[^\n])*[${mark}]`;
  return String.raw`s[${mark}]${body}${body}[gpI\d]*|y[${mark}]${body}${body}`;
}).join("|");
const SED_COMMAND = String.raw`(?:${SED_ADDRESS})?(?:${SED_SUBSTITUTE}|[pdqQNnGgHhxDPl=][ \t]*\d*)`;
const SED_SCRIPT = new RegExp(
  String.raw`^\s*(?:${SED_COMMAND})(?:[ \t]*[;\n]\s*(?:${SED_COMMAND}))*[ \t]*;?\s*$`,
);

/**
 * True for a script of addresses, `s`, `y` and one-letter commands, read as a whole; false for all else.
 *
 * A `[` in an address is left to be asked: a `/` in a bracket would end the address too early.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(isPlainSed("s/old/new/g; 1,3p"), true);
 * assertEquals(isPlainSed("1w out"), false);
 * assertEquals(isPlainSed("s/a/b/e"), false);
 * ```
 */
export function isPlainSed(script: string): boolean {
  return script.length <= 2000 && !bracketHoldsSeparator(script) && SED_SCRIPT.test(script);
}

/** `s/[/]/x/w f`: sed takes the separator in a bracket as text, a plain reading doesn't. */
function bracketHoldsSeparator(script: string): boolean {
  return /\[[^\]]*[/|,#:@!%][^\]]*\]/.test(script);
}

/** Why this awk call may write or run something, or null. */
export function awkConcern(texts: Texts): Concern | null {
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === null) return effect('a word of "awk" is not literal');
    if (text === "--") continue;
    if (/^-[Fv]$/.test(text)) {
      if (typeof texts[++index] !== "string") return effect('a word of "awk" is not literal');
      continue;
    }
    if (/^-[Fv]./.test(text)) continue;
    if (text.startsWith("-")) return effect(`"${text}" of "awk" may read or write files`);
    return isPlainAwk(text) ? null : effect('the program of "awk" may write or run something');
  }
  return null;
}

/**
 * True for an awk program that can't reach `system`, a pipe, an output file or an extension.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(isPlainAwk('$1 > 5 { print $2 "|" }'), true);
 * assertEquals(isPlainAwk('{ print > "out" }'), false);
 * assertEquals(isPlainAwk('BEGIN { system("x") }'), false);
 * ```
 */
export function isPlainAwk(program: string): boolean {
  if (/\b(system|getline|fflush|close)\b|@|\\/.test(program)) return false;
  // A quote inside a regex would make strings out of code: with a slash about, nothing is taken for a string.
  const code = program.includes("/") ? program : program.replace(/"[^"\n]*"/g, '""');
  if (/(?<!\|)\|(?!\|)/.test(code)) return false;
  return !/\bprintf?\b[\s\S]*>/.test(code);
}

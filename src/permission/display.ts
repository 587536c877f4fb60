/** What a prompt may show: exactly what runs, with nothing in it that could move the cursor or hide (SPEC 8). */

/** Control characters, and the characters that turn text around, take no width or look like a blank without being one. */
const HIDDEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\u{e0000}-\u{e0fff}]/gu;

/** More blanks than this in a row are counted instead of shown, so that they can't push the rest out of sight. */
const LONGEST_BLANK = 16;

/**
 * `text` on one line with every control, direction and invisible character written as an escape, and long runs of
 * blanks counted.
 *
 * Nothing is left out: whoever reads the answer sees all that `text` holds.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(escapeForDisplay("touch x\u001b[2K\necho"), "touch x\\x1b[2K\\necho");
 * assertEquals(escapeForDisplay("a" + " ".repeat(40) + "; b"), "a ⟨40 blanks⟩ ; b");
 * ```
 */
export function escapeForDisplay(text: string): string {
  return text
    .replace(/ {2,}/g, (run) => run.length > LONGEST_BLANK ? ` ⟨${run.length} blanks⟩ ` : run)
    .replace(HIDDEN, escapeOne);
}

/**
 * `text` with its line breaks kept and everything else escaped as by {@linkcode escapeForDisplay}: for a command of
 * several lines, each shown on its own.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(linesForDisplay("make\ntouch x\r"), ["make", "touch x\\r"]);
 * ```
 */
export function linesForDisplay(text: string): string[] {
  return text.split("\n").map(escapeForDisplay);
}

function escapeOne(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
  }
  const code = character.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

// deno-lint-ignore-file no-control-regex
/**
 * What a terminal would show in the end, as plain text: escape sequences taken out, each line's last frame kept.
 *
 * ```
 * line     = *( frame "\r" ) frame "\n"      ; a progress bar draws its frames one over the other
 * frame    = *( text / "\b" / escape )
 * escape   = ESC "[" *64param final          ; CSI: colours, cursor, erasing
 *          / ESC ( "]" / "P" / "X" / "^" / "_" ) *4096text ( BEL / ESC "\" )   ; OSC and the like: titles, links
 *          / ESC *intermediate final         ; the short ones: character sets, keypad
 * ```
 *
 * `\r\n` is a line end and stays as it is. An escape that is none of these (a binary file) is shown, not swallowed.
 */

/** Turns slices of terminal output into plain text, however they are cut. */
export interface PlainText {
  /** Takes the next slice; returns what no later slice can change. */
  push(slice: string): string;
  /** The last line, if it has no end. */
  end(): string;
}

/** A line longer than this is let go in parts: a later `\r` then takes back only the part that is still held. */
const FRAME_LIMIT = 8192;

const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f]/g;
const CSI = /\x1b\[[0-?]{0,64}[ -/]{0,64}[@-~]/y;
const COMMAND = /\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)/y;
const SHORT = /\x1b(?:[ -/]{1,64}[0-~]|[0-OQ-WYZ\\`-~])/y;
/** The beginning of one of the three, at the end of the slice. */
const UNFINISHED =
  /\x1b(?:\[[0-?]{0,64}[ -/]{0,64}|[\]PX^_][^\x07\x1b\n]{0,4096}\x1b?|[ -/]{0,64})$/y;

/**
 * A reader of terminal output.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const plain = createPlainText();
 * assertEquals(plain.push("get 1%\rget 9"), "");
 * assertEquals(plain.push("9%\n\x1b[31mred\x1b[0m"), "get 99%\n");
 * assertEquals(plain.end(), "red");
 * ```
 */
export function createPlainText(): PlainText {
  /** What the current line shows so far. */
  let frame = "";
  /** The cursor went back to the start of the line: the next character starts a new frame. */
  let returned = false;
  /** An escape sequence whose end hasn't come. */
  let held = "";
  let out = "";

  /** Text without control characters but `\t` and `\n`. */
  function text(run: string): void {
    if (run === "") return;
    if (returned) {
      frame = run.startsWith("\n") ? frame + "\r" : "";
      returned = false;
    }
    const lineEnd = run.lastIndexOf("\n") + 1;
    if (lineEnd > 0) {
      out += frame + run.slice(0, lineEnd);
      frame = "";
    }
    frame += run.slice(lineEnd);
    while (frame.length >= FRAME_LIMIT) {
      out += frame.slice(0, FRAME_LIMIT);
      frame = frame.slice(FRAME_LIMIT);
    }
  }

  function control(char: string): void {
    switch (char) {
      case "\r":
        returned = true;
        break;
      case "\b":
        frame = returned ? frame : frame.replace(/.$/su, "");
        break;
      case "\x07":
        break;
      default:
        text(picture(char));
    }
  }

  /** The sequences that redraw a line; all others only colour it or move elsewhere. */
  function escape(sequence: string): void {
    if (/^\x1b\[[01]?G$/.test(sequence)) returned = true;
    else if (sequence === "\x1b[2K" || (returned && /^\x1b\[0?K$/.test(sequence))) {
      frame = "";
      returned = false;
    }
  }

  function read(slice: string, final: boolean): void {
    let at = 0;
    for (;;) {
      SPECIAL.lastIndex = at;
      const special = SPECIAL.exec(slice)?.index ?? slice.length;
      text(slice.slice(at, special));
      if (special === slice.length) return;
      const sequence = slice[special] === "\x1b" ? escapeAt(slice, special) : "";
      if (sequence !== "") {
        escape(sequence);
      } else if (
        slice[special] === "\x1b" && !final && matches(UNFINISHED, slice, special) !== ""
      ) {
        held = slice.slice(special);
        return;
      } else {
        control(slice[special]!);
      }
      at = special + Math.max(1, sequence.length);
    }
  }

  function take(): string {
    const taken = out;
    out = "";
    return taken;
  }

  return {
    push(slice) {
      const joined = held + slice;
      held = "";
      read(joined, false);
      return take();
    },
    end() {
      read(held, true);
      held = "";
      const last = take() + frame;
      frame = "";
      return last;
    },
  };
}

function escapeAt(slice: string, at: number): string {
  return matches(CSI, slice, at) || matches(COMMAND, slice, at) || matches(SHORT, slice, at);
}

function matches(sticky: RegExp, slice: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(slice)?.[0] ?? "";
}

/** A control character as the sign that stands for it, so that a reader sees it and JSON, XML and databases take it. */
function picture(char: string): string {
  return char === "\x7f" ? "\u2421" : String.fromCharCode(0x2400 + char.charCodeAt(0));
}

/**
 * The whole lines inside `bytes`, from just after the first line end to just after the last one, if all of `bytes` is
 * printable ASCII, tabs and line ends: those lines are plain text as they are, whatever stands before and after. Most
 * floods are such, and pass by without being decoded.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * assertEquals(plainLines(bytes("end\nline\nline\nbeg")), { from: 4, to: 14 });
 * assertEquals(plainLines(bytes("end\n10%\r20%\n")), undefined);
 * ```
 */
export function plainLines(
  bytes: Uint8Array,
): { readonly from: number; readonly to: number } | undefined {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte > 0x7e || (byte < 0x20 && byte !== 0x0a && byte !== 0x09)) return undefined;
  }
  const from = bytes.indexOf(0x0a) + 1;
  return from === 0 ? undefined : { from, to: bytes.lastIndexOf(0x0a) + 1 };
}

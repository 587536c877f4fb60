// deno-lint-ignore-file no-control-regex
/**
 * Bytes of a terminal in raw mode → keys.
 *
 * ```
 * key      = character                          ; UTF-8
 *          / control                            ; 0x01..0x1a: Ctrl-A..Ctrl-Z, 0x7f: Backspace
 *          / ESC "[" *param final               ; arrows, Home, Delete, … (`1;5D`: with Ctrl)
 *          / ESC "O" final                      ; the same from a keypad mode
 *          / ESC character                      ; with Alt
 *          / ESC                                ; alone: nothing follows within ESCAPE_MS
 * paste    = ESC "[200~" *byte ESC "[201~"
 * ```
 *
 * What a paste holds is text, never keys. A program in the clipboard can write the end mark too, so what comes right
 * behind it, without a pause that a hand would make, still counts as pasted. A terminal without bracketed paste shows
 * a paste as a line break with text behind it in one read.
 */

/** How long an ESC waits for the rest of its sequence, in milliseconds. */
export const ESCAPE_MS = 40;
/** How long a paste waits for its end mark. */
export const PASTE_MS = 2_000;
/** A hand doesn't press two keys in less. */
const BURST_MS = 30;
/** An escape sequence that is longer is none. */
const LONGEST_SEQUENCE = 64;

/** A key that isn't a character. */
export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "shift-tab"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "home"
  | "end"
  | "escape"
  | "delete-word"
  | "kill-to-start"
  | "kill-to-end"
  | "ctrl-c"
  | "ctrl-d"
  | "ctrl-l"
  | "ctrl-z";

/** What was typed. */
export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  | { readonly kind: "key"; readonly name: KeyName };

/** Reads keys, however their bytes are cut. */
export interface KeyReader {
  /** Takes bytes that came `gapMs` after the ones before. */
  push(bytes: Uint8Array, gapMs: number): Key[];
  /** What it waits for: call `flush` when nothing came for so many milliseconds; null when for nothing. */
  waitMs(): number | null;
  /** Nothing more came: what was held is what it is. */
  flush(): Key[];
}

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const CSI = /\x1b\[([0-9;:?<=>]*)([ -/]*[@-~])/y;
const UNFINISHED = /\x1b(?:\[[0-9;:?<=>]*[ -/]*|O)?$/y;
const PLAIN = /[^\x00-\x1f\x7f]+/y;
/** A line break with text behind it, in one read. */
const BURST = /[\r\n][^\x00-\x1f\x7f]/;

const CONTROLS: { readonly [character: string]: KeyName } = {
  "\x01": "home",
  "\x02": "left",
  "\x03": "ctrl-c",
  "\x04": "ctrl-d",
  "\x05": "end",
  "\x06": "right",
  "\x08": "backspace",
  "\t": "tab",
  "\n": "newline",
  "\x0b": "kill-to-end",
  "\x0c": "ctrl-l",
  "\r": "enter",
  "\x0e": "down",
  "\x10": "up",
  "\x15": "kill-to-start",
  "\x17": "delete-word",
  "\x1a": "ctrl-z",
  "\x7f": "backspace",
};

const ALT: { readonly [character: string]: KeyName } = {
  "\r": "newline",
  "\n": "newline",
  "b": "word-left",
  "f": "word-right",
  "\x7f": "delete-word",
  "\x08": "delete-word",
};

const FINALS: { readonly [final: string]: KeyName } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "shift-tab",
};

const NUMBERS: { readonly [number: string]: KeyName } = {
  1: "home",
  3: "delete",
  4: "end",
  7: "home",
  8: "end",
};

/**
 * A reader of keys.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const reader = createKeyReader();
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * assertEquals(reader.push(bytes("é\x1b"), 1000), [{ kind: "text", text: "é" }]);
 * assertEquals(reader.push(bytes("[A"), 5), [{ kind: "key", name: "up" }]);
 * assertEquals(reader.push(bytes("\x1b"), 1000), []);
 * assertEquals(reader.flush(), [{ kind: "key", name: "escape" }]);
 * ```
 */
export function createKeyReader(): KeyReader {
  const decoder = new TextDecoder();
  let held = "";
  /** What a paste holds so far; null outside of one. */
  let pasted: string[] | null = null;
  /** Right behind a paste, until a pause. */
  let trailing = false;

  /** Between `ESC[200~` and `ESC[201~`. Returns where it stopped in `text`. */
  function readPaste(text: string, from: number, keys: Key[]): number {
    const end = text.indexOf(PASTE_END, from);
    if (end < 0) {
      const keep = heldBack(text, from, PASTE_END);
      pasted!.push(text.slice(from, keep));
      held = text.slice(keep);
      return text.length;
    }
    pasted!.push(text.slice(from, end));
    endPaste(keys);
    return end + PASTE_END.length;
  }

  function endPaste(keys: Key[]): void {
    const text = cleanPaste(pasted!.join(""));
    pasted = null;
    trailing = true;
    if (text !== "") keys.push({ kind: "paste", text });
  }

  /** Outside of a paste, at anything. Returns where the next key starts. */
  function readOne(text: string, at: number, keys: Key[]): number {
    const plain = match(PLAIN, text, at);
    if (plain !== "") {
      keys.push({ kind: "text", text: plain });
      return at + plain.length;
    }
    if (text[at] !== "\x1b") {
      const name = CONTROLS[text[at]!];
      if (name) keys.push({ kind: "key", name });
      return at + 1;
    }
    if (text.startsWith(PASTE_START, at)) {
      pasted = [];
      return at + PASTE_START.length;
    }
    if (match(UNFINISHED, text, at) !== "" && text.length - at <= LONGEST_SEQUENCE) {
      held = text.slice(at);
      return text.length;
    }
    const sequence = match(CSI, text, at);
    if (sequence !== "") {
      const name = nameOf(sequence);
      if (name) keys.push({ kind: "key", name });
      return at + sequence.length;
    }
    return readAlt(text, at, keys);
  }

  /** `ESC` with a character behind it that begins no sequence: with Alt, or an Esc of its own. */
  function readAlt(text: string, at: number, keys: Key[]): number {
    if (text[at + 1] === "O") {
      const name = FINALS[text[at + 2]!];
      if (name) keys.push({ kind: "key", name });
      return at + 3;
    }
    const name = ALT[text[at + 1]!];
    if (name) {
      keys.push({ kind: "key", name });
      return at + 2;
    }
    keys.push({ kind: "key", name: "escape" });
    return at + 1;
  }

  return {
    push(bytes, gapMs) {
      if (gapMs >= BURST_MS) trailing = false;
      const text = held + decoder.decode(bytes, { stream: true });
      held = "";
      const keys: Key[] = [];
      for (let at = 0; at < text.length;) {
        if (pasted) at = readPaste(text, at, keys);
        else if (text.startsWith(PASTE_START, at)) at = readOne(text, at, keys);
        else if (trailing || isBurst(text, at)) at = readTrailing(text, at, keys);
        else at = readOne(text, at, keys);
      }
      return keys;
    },
    waitMs: () => pasted ? PASTE_MS : held !== "" ? ESCAPE_MS : null,
    flush() {
      const keys: Key[] = [];
      if (pasted) {
        pasted.push(held);
        held = "";
        endPaste(keys);
      } else if (held !== "") {
        const rest = held.slice(1);
        held = "";
        keys.push({ kind: "key", name: "escape" });
        if (rest !== "") keys.push({ kind: "text", text: rest });
      }
      return keys;
    },
  };

  /** Right behind a paste, or in a paste without marks: all of it is text. */
  function readTrailing(text: string, at: number, keys: Key[]): number {
    trailing = true;
    const next = text.indexOf(PASTE_START, at);
    const end = next < 0 ? heldBack(text, at, PASTE_END) : next;
    held = next < 0 ? text.slice(end) : "";
    const clean = cleanPaste(text.slice(at, end).replaceAll(PASTE_END, ""));
    if (clean !== "") keys.push({ kind: "paste", text: clean });
    return next < 0 ? text.length : next;
  }
}

function isBurst(text: string, at: number): boolean {
  const rest = text.slice(at);
  return !rest.includes("\x1b") && BURST.test(rest);
}

/** Where the beginning of `mark` stands at the end of `text`, at `from` or later; the end of `text` without one. */
function heldBack(text: string, from: number, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length - from); length > 0; length--) {
    if (mark.startsWith(text.slice(-length))) return text.length - length;
  }
  return text.length;
}

/** Pasted text: line ends as `\n`, no control characters but tabs. */
function cleanPaste(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

/** The key that a whole CSI sequence stands for. */
function nameOf(sequence: string): KeyName | undefined {
  const [first = "", modifier = "1"] = sequence.slice(2, -1).split(";");
  const final = sequence.at(-1)!;
  const modified = modifier !== "1" && modifier !== "";
  if (final === "u") return nameOfCode(Number(first), Number(modifier) || 1);
  const name = final === "~" ? NUMBERS[first] : FINALS[final];
  // Shift alone (2) changes nothing; Alt (3) and Ctrl (5) move by words.
  if (modified && modifier !== "2" && name === "left") return "word-left";
  if (modified && modifier !== "2" && name === "right") return "word-right";
  return name;
}

/** Keys of terminals that write the code itself: `ESC[13;2u` is Shift-Enter. */
function nameOfCode(code: number, modifier: number): KeyName | undefined {
  const control = ((modifier - 1) & 4) !== 0;
  if (code === 13) return modifier > 1 ? "newline" : "enter";
  if (code === 27) return "escape";
  if (control && code >= 97 && code <= 122) return CONTROLS[String.fromCharCode(code - 96)];
  return CONTROLS[String.fromCharCode(code)];
}

function match(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? "";
}

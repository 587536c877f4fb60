/**
 * The prose of a message with XML calls (SPEC 3.1): told apart, in slices, are
 *
 * ```text
 * <think>…</think>         at the start of the message or of a line: reasoning
 * ```fence```  `code`      Markdown: tags in it are examples; inline code ends on its line
 * <minimax:tool_call>      a block begins
 * <minimax:tool_call…      a malformed tag
 * </minimax:tool_call      a closing tag without its opening one; also </invoke> and </parameter>
 * <invoke  <parameter      at the start of a line: a call outside of a block
 * ```
 *
 * Text goes out as soon as it can't be one of these any more.
 */
import { BLOCK_CLOSE, BLOCK_OPEN, INVOKE_CLOSE, PARAMETER_CLOSE } from "./xml_block.ts";
import { heldSuffix, THINK_CLOSE, THINK_OPEN, type ThinkPart } from "./think.ts";

/** Where prose stopped being prose; `rest` begins with the tag. */
export type ProseStop = {
  readonly kind: "block" | "malformed" | "stray";
  readonly rest: string;
};

/** What a slice of prose was. */
export interface ProseReading {
  readonly parts: readonly ThinkPart[];
  readonly stop?: ProseStop;
}

/** Reads prose in slices, up to the first tag that isn't an example; not to be used after a `stop`. */
export interface ProseScanner {
  push(slice: string): ProseReading;
  /** Reads what was held as if the line ended here. */
  end(): ProseReading;
  /** Characters held back now. */
  readonly pending: number;
}

type TagReading = "think" | ProseStop["kind"] | "no" | "more";

const INTEREST = /[`<\n]/g;
const BACKTICKS = /`+/y;
const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/;
const MALFORMED = BLOCK_OPEN.slice(0, -1);
const STRAY_CLOSING = [BLOCK_CLOSE.slice(0, -1), INVOKE_CLOSE, PARAMETER_CLOSE];
const STRAY_OPENING = ["<invoke", "<parameter"];

/** Starts at the beginning of a message, or after a block. */
export function createProseScanner(): ProseScanner {
  let parts: ThinkPart[] = [];
  let stop: ProseStop | undefined;
  /** The end of what came, which may be the beginning of a tag. */
  let carry = "";
  let waiting = false;
  let thinking = false;
  /** The line so far, as far as it was scanned. */
  let line = "";
  let blank = true;
  /** The marker of the fence that is open. */
  let fence = "";
  /** The length of the run of backticks that came last and may go on. */
  let run = 0;
  /** The length of the run that opened inline code on this line, 0 if none did. */
  let codeRun = 0;
  /** From a tag in what may be inline code on: held until that is sure. */
  let doubtful: string | undefined;

  function read(text: string, isEnd: boolean): ProseReading {
    parts = [];
    waiting = false;
    let at = 0;
    while (at < text.length && stop === undefined && !waiting) {
      at = thinking ? scanReasoning(text, at, isEnd) : scanText(text, at, isEnd);
    }
    carry = text.slice(at);
    if (isEnd && run > 0) endRun();
    if (isEnd && stop === undefined && !thinking) endLine("");
    return stop === undefined ? { parts } : { parts, stop };
  }

  // <think>Hm.</think>
  //        ^
  function scanReasoning(text: string, at: number, isEnd: boolean): number {
    const close = text.indexOf(THINK_CLOSE, at);
    if (close >= 0) {
      emit("reasoning", text.slice(at, close));
      thinking = false;
      return close + THINK_CLOSE.length;
    }
    const until = isEnd ? text.length : text.length - heldSuffix(text.slice(at), THINK_CLOSE);
    emit("reasoning", text.slice(at, until));
    return wait(until);
  }

  // Some `code` and <minimax:tool_call>
  // ^
  function scanText(text: string, at: number, isEnd: boolean): number {
    if (run > 0 && text[at] !== "`") endRun();
    INTEREST.lastIndex = at;
    const found = INTEREST.exec(text)?.index ?? text.length;
    pass(text.slice(at, found));
    switch (text[found]) {
      case undefined:
        return found;
      case "\n":
        if (endLine(text.slice(found))) emit("text", "\n");
        return found + 1;
      case "`":
        return scanBackticks(text, found);
      default:
        return scanTag(text, found, isEnd);
    }
  }

  // `code`
  // ^
  function scanBackticks(text: string, at: number): number {
    BACKTICKS.lastIndex = at;
    const { length } = BACKTICKS.exec(text)![0];
    run += length;
    return at + length;
  }

  /** Opens inline code with the run of backticks that is over now, or closes what one of its length opened. */
  function endRun(): void {
    pass("`".repeat(run));
    if (codeRun === 0) codeRun = run;
    else if (codeRun === run) {
      codeRun = 0;
      release();
    }
    run = 0;
  }

  // <minimax:tool_call>
  // ^
  function scanTag(text: string, at: number, isEnd: boolean): number {
    const tag = fence === "" ? readTag(text, at, { start: line === "", blank }) : "no";
    if (tag === "more" && !isEnd) return wait(at);
    if (tag === "think") {
      thinking = true;
      return at + THINK_OPEN.length;
    }
    if (tag !== "no" && tag !== "more") {
      if (codeRun === 0) {
        stop = { kind: tag, rest: text.slice(at) };
        return text.length;
      }
      doubtful ??= "";
    }
    pass("<");
    return at + 1;
  }

  /** Ends the line, `rest` being what follows; false if the line held a tag after all. */
  function endLine(rest: string): boolean {
    const marker = FENCE.exec(line)?.slice(1).find((run) => run !== undefined);
    if (fence === "" && marker === undefined && doubtful !== undefined) {
      const held = doubtful + rest;
      const tag = readTag(held, 0, { start: false, blank: false });
      stop = { kind: tag as ProseStop["kind"], rest: held };
      return false;
    }
    if (fence === "") fence = marker ?? "";
    else if (marker?.startsWith(fence) && line.trim() === marker) fence = "";
    release();
    codeRun = 0;
    line = "";
    blank = true;
    return true;
  }

  function pass(piece: string): void {
    line += piece;
    blank &&= piece.trim() === "";
    if (doubtful === undefined) emit("text", piece);
    else doubtful += piece;
  }

  /** What was doubtful is text. */
  function release(): void {
    emit("text", doubtful ?? "");
    doubtful = undefined;
  }

  function wait(at: number): number {
    waiting = true;
    return at;
  }

  function emit(kind: ThinkPart["kind"], text: string): void {
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text };
    else if (text !== "") parts.push({ kind, text });
  }

  return {
    push: (slice) => read(carry + slice, false),
    end: () => read(carry, true),
    get pending() {
      return carry.length + run + (doubtful?.length ?? 0);
    },
  };
}

/** What a tag's place on its line is: at its very start, after white space at most. */
interface Place {
  readonly start: boolean;
  readonly blank: boolean;
}

/** The tag at `at`, if there is one. */
function readTag(text: string, at: number, place: Place): TagReading {
  const seen = text.slice(at, at + BLOCK_CLOSE.length);
  if (seen.startsWith(BLOCK_OPEN)) return "block";
  if (seen.startsWith(MALFORMED) && seen !== MALFORMED) return "malformed";
  if (STRAY_CLOSING.some((tag) => seen.startsWith(tag))) return "stray";
  if (place.start && seen.startsWith(THINK_OPEN)) return "think";
  const openings = place.blank ? STRAY_OPENING : [];
  if (openings.some((tag) => seen.startsWith(tag) && /^[\s>]/.test(seen.slice(tag.length)))) {
    return "stray";
  }
  const possible = [
    BLOCK_OPEN,
    ...STRAY_CLOSING,
    ...openings,
    ...(place.start ? [THINK_OPEN] : []),
  ];
  return possible.some((tag) => tag.startsWith(seen)) ? "more" : "no";
}

/** How many characters of `rest` are the tag that made it a stop. */
export function stopLength(stop: ProseStop): number {
  const tags = [...STRAY_CLOSING, ...STRAY_OPENING, MALFORMED];
  return tags.find((tag) => stop.rest.startsWith(tag))?.length ?? 0;
}

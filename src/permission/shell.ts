/**
 * Which programs a command line would start, and which files it would open by itself: read by syntax, never by pattern
 * (SPEC 8). What can't be read for certain is a doubt.
 *
 * This file brings the parser with it: load it with `import()` when a command line has to be read.
 */
import { parse, type ParsedScript } from "unbash";
import { printShell } from "./print_shell.ts";
import type { Reading } from "./reading.ts";
import { doubt } from "./reading.ts";
import { readList, searchNode } from "./read_shell.ts";
import {
  type Call,
  type CommandLine,
  MOST_MOVES,
  movesOf,
  type Opening,
  type Script,
} from "./shell_syntax.ts";

/** Longer lines are not read: characters. */
const LONGEST = 10_000;
/** Substitutions in substitutions deeper than this are not followed. */
const DEEPEST = 32;

/** What reading depends on besides the text. */
export interface ReadOptions {
  /** The folder that `~` stands for; null makes it a doubt. */
  readonly home: string | null;
}

/**
 * All that can be said of the command line `text`: its programs, its openings, its doubts.
 *
 * Never throws: what breaks the parser is a doubt.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const line = readCommandLine("make 2>&1 | grep \"$(date)\" > log", { home: null });
 * assertEquals(line.calls.map((call) => call.texts[0]), ["make", "date", "grep"]);
 * assertEquals(line.openings, [{ kind: "write", path: "log", moved: false }]);
 * assertEquals(line.doubts, []);
 * assertEquals(readCommandLine("$x y", { home: null }).doubts, ["Cannot be sure of the program's name $x"]);
 * ```
 */
export function readCommandLine(text: string, options: ReadOptions): CommandLine {
  const { reading, script } = readText(text, options, 0);
  if (reading.doubts.length === 0) checkPrinted(script, reading);
  if (movesOf(reading.calls).length > MOST_MOVES) {
    doubt(reading, "the folder after so many changes");
  }
  return {
    text,
    script,
    doubts: reading.doubts.map((what) => `Cannot be sure of ${what}`),
    calls: reading.calls,
    spared: reading.spared,
    openings: placeOpenings(text, reading),
    inner: reading.inner,
  };
}

/** Relative paths after the folder was changed: with one plain `cd` both places count, with more none is certain. */
function placeOpenings(text: string, reading: Reading): Opening[] {
  const moves = movesOf(reading.calls);
  const [move] = moves;
  if (!move) return reading.openings;
  const [name, folder, extra] = move.texts;
  const plain = moves.length === 1 && name === "cd" && extra === undefined &&
    typeof folder === "string" && folder !== "" && !folder.startsWith("-") &&
    !folder.split("/").includes("..") && !/\b(for|while|until)\b/.test(text);
  return reading.openings.flatMap((opening) => {
    if (opening.path.startsWith("/")) return [opening];
    if (!plain) return [{ ...opening, moved: true }];
    return [opening, { ...opening, path: `${folder}/${opening.path}` }];
  });
}

interface ReadText {
  readonly reading: Reading;
  readonly script: Script;
}

function readText(text: string, options: ReadOptions, depth: number): ReadText {
  const reading = createReading(text, options, depth);
  if (text.length > LONGEST) {
    doubt(reading, `so long a line (${text.length} characters, ${LONGEST} at most)`);
  } else if (text.includes("\0") || !text.isWellFormed()) {
    doubt(reading, "the characters of the line");
  } else {
    try {
      const script = reading.script(parse(text));
      readInner(reading, options, depth);
      return { reading, script };
    } catch (error) {
      // The parser and the walk are recursive: only a line made to be deep overflows the stack.
      if (!(error instanceof RangeError)) throw error;
      doubt(reading, "so deep a line");
    }
  }
  return { reading, script: [] };
}

function createReading(text: string, options: ReadOptions, depth: number): Reading {
  let level = depth;
  const reading: Reading = {
    home: options.home,
    source: text,
    doubts: [],
    calls: [],
    spared: [],
    openings: [],
    inner: new Map(),
    script(node) {
      if (level >= DEEPEST) {
        doubt(reading, "so deep a line");
        return [];
      }
      level++;
      if (level > depth + 1 && countHereDocs(node) > 0) {
        doubt(reading, "a here-document in a substitution");
      }
      const outer = reading.source;
      reading.source = node.source ?? outer;
      const script = readList(node, reading);
      // Where one body stands in another's line, bash's versions differ in which is read first.
      if (reading.spared.length > 0 && countHereDocs(node) > reading.spared.length) {
        doubt(reading, "a here-document beside one in a substitution");
      }
      reading.source = outer;
      level--;
      return script;
    },
    search: (node) => searchNode(node, reading),
  };
  return reading;
}

/** The bodies of here-documents in a substitution may be taken for others' (found by comparing with bash). */
function countHereDocs(node: ParsedScript): number {
  return JSON.stringify(node).split('"type":"HereDoc"').length - 1;
}

/** Reads the text that a call hands to a shell: for `bash -c TEXT` it takes part, elsewhere it only shows the programs. */
function readInner(reading: Reading, options: ReadOptions, depth: number): void {
  for (const [index, call] of [...reading.calls].entries()) {
    const text = shellText(call);
    if (text === null) continue;
    const inner = readText(text, options, depth + 1);
    reading.calls.push(...inner.reading.calls);
    reading.spared.push(...inner.reading.spared);
    reading.openings.push(...inner.reading.openings);
    const [name, option, script] = call.texts;
    const plain = name === "bash" && option === "-c" && call.texts.length === 3;
    if (plain && script !== null && inner.reading.doubts.length === 0) {
      reading.calls[index] = { ...call, concern: null };
      reading.inner.set(call.words[2]!, inner.script);
      for (const [word, nested] of inner.reading.inner) reading.inner.set(word, nested);
    }
  }
}

/** The shell text among a call's words, or null. */
function shellText(call: Call): string | null {
  const [name, ...rest] = call.texts;
  const words = rest.filter((text) => text !== null);
  switch (name?.slice(name.lastIndexOf("/") + 1)) {
    case "bash":
    case "sh":
    case "dash":
    case "zsh":
    case "ksh":
    case "script":
    case "su": {
      const at = words.findIndex((text) => /^-[a-z]*c$/.test(text));
      return at < 0 ? null : words[at + 1] ?? null;
    }
    case "eval":
    case "builtin":
    case "exec":
    case "coproc":
      return words.join(" ");
    case "watch":
    case "parallel":
      return words.filter((text) => !text.startsWith("-")).join(" ");
    case "trap":
      return words[0] ?? null;
    default:
      return null;
  }
}

/** What is printed must read as it was read: else the reading was wrong somewhere. */
function checkPrinted(script: Script, reading: Reading): void {
  const printed = printShell(script);
  const again = readText(printed, { home: null }, 0);
  const same = again.reading.doubts.length === 0 && printShell(again.script) === printed &&
    names(again.reading.calls) === names(reading.calls);
  if (!same) doubt(reading, "what the line means when it is printed anew");
}

function names(calls: readonly Call[]): string {
  return calls.map((call) => JSON.stringify(call.texts)).join("\n");
}

/**
 * The part of bash that can be read for certain: a tree that holds nothing else (SPEC 8).
 *
 *     script     = statement*                 statement = andOr ["&"]
 *     andOr      = pipeline (("&&" | "||") pipeline)*
 *     pipeline   = ["time" ["-p"]] ["!"] command (("|" | "|&") command)*
 *     command    = simple | subshell | group | if | while | for | case | test, each with redirects
 *     word       = (text | glob | expansion | command substitution | process substitution)*
 *
 * Text is what remains when the quotes are taken off. Here-documents have become here-strings, `~` the home folder.
 * Types only; `read_shell.ts` makes the tree and `print_shell.ts` writes it.
 */

/** A piece of a word. */
export type Part =
  /** Exactly these characters, nothing in them is live. */
  | { readonly kind: "text"; readonly text: string }
  /** A live pattern: `*`, `?` or a bracket. */
  | { readonly kind: "glob"; readonly text: string }
  /** A live `$x`, `${x:-y}` or `$((1+2))`, as it is printed. */
  | { readonly kind: "expansion"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "command"; readonly script: Script; readonly quoted: boolean }
  | { readonly kind: "process"; readonly operator: "<" | ">"; readonly script: Script };

/** One word; compared by identity where a program's name is replaced by its path. */
export interface Word {
  readonly parts: readonly Part[];
}

/** `[descriptor]operator target`; a descriptor of null is the operator's own. */
export interface Redirect {
  readonly descriptor: number | null;
  readonly operator: ">" | ">>" | ">|" | "<" | "<>" | "&>" | "&>>" | ">&" | "<&" | "<<<";
  readonly target: Word;
}

/** `name=value` before a command. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** A command; `redirects` are printed in order. */
export type Command =
  | {
    readonly kind: "simple";
    readonly assignments: readonly Assignment[];
    readonly words: readonly Word[];
    readonly redirects: readonly Redirect[];
  }
  | {
    readonly kind: "subshell" | "group";
    readonly body: Script;
    readonly redirects: readonly Redirect[];
  }
  | {
    readonly kind: "if";
    readonly branches: readonly { readonly test: Script; readonly body: Script }[];
    readonly otherwise: Script | null;
    readonly redirects: readonly Redirect[];
  }
  | {
    readonly kind: "while" | "until";
    readonly test: Script;
    readonly body: Script;
    readonly redirects: readonly Redirect[];
  }
  | {
    readonly kind: "for";
    readonly name: string;
    readonly items: readonly Word[];
    readonly body: Script;
    readonly redirects: readonly Redirect[];
  }
  | {
    readonly kind: "case";
    readonly word: Word;
    readonly items: readonly {
      readonly patterns: readonly Word[];
      readonly body: Script;
      readonly terminator: ";;" | ";&" | ";;&";
    }[];
    readonly redirects: readonly Redirect[];
  }
  | { readonly kind: "test"; readonly test: Test; readonly redirects: readonly Redirect[] };

/** What stands in `[[ … ]]`. */
export type Test =
  | { readonly kind: "unary"; readonly operator: string; readonly operand: Word }
  | {
    readonly kind: "binary";
    readonly operator: string;
    readonly left: Word;
    readonly right: Word;
  }
  | { readonly kind: "logical"; readonly operator: "&&" | "||"; readonly operands: readonly Test[] }
  | { readonly kind: "not"; readonly operand: Test }
  | { readonly kind: "group"; readonly operand: Test };

/** Commands whose outputs feed each other, one or more. */
export interface Pipeline {
  readonly prefixes: readonly ("time" | "time -p" | "!")[];
  readonly commands: readonly Command[];
  readonly operators: readonly ("|" | "|&")[];
}

/** Pipelines of which each runs as the one before it ended: all of `a && b || c &`. */
export interface Statement {
  readonly pipelines: readonly Pipeline[];
  readonly operators: readonly ("&&" | "||")[];
  readonly background: boolean;
}

/** A whole command line, statement after statement. */
export type Script = readonly Statement[];

/** One program that the line would start, or one builtin that the shell would carry out. */
export interface Call {
  /** The words from the name on, as they were read. */
  readonly words: readonly Word[];
  /** Their texts; null for a word whose text isn't certain. */
  readonly texts: readonly (string | null)[];
  /** The program that starts it, for what stands behind a wrapper such as `env`. */
  readonly via: string | null;
  /** Why the call can't be allowed though its name may be; null when there's no reason. */
  readonly concern: Concern | null;
}

/** `opaque`: it may start what can't be read; `effect`: it may write or read what no rule was asked for. */
export interface Concern {
  readonly kind: "opaque" | "effect";
  readonly why: string;
}

/** A file that the line itself would open. */
export interface Opening {
  readonly kind: "read" | "write";
  /** As written, without quotes. */
  readonly path: string;
  /** Relative, and after a command that may have changed the folder. */
  readonly moved: boolean;
}

/** All that was read of a command line. */
export interface CommandLine {
  readonly text: string;
  readonly script: Script;
  /** Why the reading isn't certain; the line may be allowed only when there's no doubt. */
  readonly doubts: readonly string[];
  /** Every call found, also in a line with doubts, in the order of reading. */
  readonly calls: readonly Call[];
  /** Calls of the text whose outcome is known, so that the line printed anew doesn't make them. */
  readonly spared: readonly Call[];
  readonly openings: readonly Opening[];
  /** The scripts that stand as one word behind `bash -c`. */
  readonly inner: ReadonlyMap<Word, Script>;
}

/** The word's text, or null where something in it is live. */
export function literal(word: Word): string | null {
  let text = "";
  for (const part of word.parts) {
    if (part.kind !== "text") return null;
    text += part.text;
  }
  return text;
}

/** Of more changes of the folder than this, where they may lead isn't followed. */
export const MOST_MOVES = 6;

/** The calls that change the folder. */
export function movesOf(calls: readonly Call[]): Call[] {
  return calls.filter((call) => /^(cd|pushd|popd)$/.test(call.texts[0] ?? ""));
}

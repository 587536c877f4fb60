/**
 * Secrets are masked before anything is written, shown or told (SPEC 7): the values of known keys wherever they stand,
 * and what the user's `--redact` patterns match within a line.
 */

import { UsageError } from "../errors.ts";
import { utf8Length } from "../text/utf8.ts";

/** What stands in place of a secret. */
export const MASK = "[redacted]";
/** Below this, in bytes of UTF-8, a value is too common to be masked everywhere. */
const SHORTEST_SECRET = 8;
/** With patterns, text is held until its line ends; a longer line is let go from its start. */
const LONGEST_HELD = 4096;

/** What is to be masked. */
export interface Redactor {
  /** `text` with every secret in it masked. */
  mask(text: string): string;
  /** Takes text in pieces; a secret that is split over two is masked all the same. */
  createStream(): RedactStream;
}

/** Text in pieces, masked. */
export interface RedactStream {
  /** What is certain to be no part of a secret, masked. */
  push(piece: string): string;
  /** The rest. */
  end(): string;
}

/**
 * The expressions of `--redact`. Throws `UsageError` for one that is no regular expression.
 */
export function compilePatterns(sources: readonly string[]): readonly RegExp[] {
  return sources.map((source) => {
    try {
      return new RegExp(source, "gmu");
    } catch (error) {
      throw new UsageError(`Cannot read the pattern "${source}" of "--redact": ${reasonOf(error)}`);
    }
  });
}

/** `Invalid regular expression: /x/gmu: Lone quantifier brackets` → its last part. */
function reasonOf(error: unknown): string {
  return String(error).split(": ").at(-1)!.toLowerCase();
}

/**
 * Masks the values `secrets` (those of 8 bytes or more) and what `patterns` match; patterns are taken as global,
 * Unicode and line by line (`^` and `$` are the ends of a line). Masking twice is masking once, as long as no pattern matches the mask.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const redactor = createRedactor(["key-1234-abcd"], [/tok_\w+/]);
 * assertEquals(redactor.mask("key-1234-abcd, tok_9"), "[redacted], [redacted]");
 * const stream = createRedactor(["key-1234-abcd"]).createStream();
 * assertEquals([stream.push("a key-12"), stream.push("34-abcd z"), stream.end()], ["a ", "[redacted] z", ""]);
 * ```
 */
export function createRedactor(
  secrets: readonly string[],
  patterns: readonly RegExp[] = [],
): Redactor {
  // The longest first: one key may begin with another.
  const known = [...new Set(secrets)].filter((secret) => utf8Length(secret) >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  const expressions = [
    ...(known.length > 0 ? [new RegExp(known.map(RegExp.escape).join("|"), "g")] : []),
    ...patterns.map(({ source, flags }) =>
      new RegExp(source, [...new Set(flags + "gmu")].join(""))
    ),
  ];
  const mask = (text: string) => expressions.reduce(maskMatches, text);
  return {
    mask,
    createStream: () => createStream({ known, byLine: patterns.length > 0, mask }),
  };
}

function maskMatches(text: string, expression: RegExp): string {
  return text.replace(expression, (match) => match === "" ? "" : MASK);
}

interface StreamParts {
  readonly known: readonly string[];
  readonly byLine: boolean;
  mask(text: string): string;
}

function createStream({ known, byLine, mask }: StreamParts): RedactStream {
  let held = "";
  return {
    push(piece) {
      held += piece;
      const certain = certainLength(held, known, byLine);
      const text = mask(held.slice(0, certain));
      held = held.slice(certain);
      return text;
    },
    end() {
      const text = mask(held);
      held = "";
      return text;
    },
  };
}

/** How much of `text` can be let go: not the line that is unfinished (with patterns), nor what may be the start of a known value. */
function certainLength(text: string, known: readonly string[], byLine: boolean): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  const end = byLine && text.length - lineStart <= LONGEST_HELD ? lineStart : text.length;
  for (let from = 0;;) {
    const start = openStart(text, { from, end, known });
    const whole = firstWhole(text.slice(from, end), known);
    // What a whole value covers can't begin another one: masking goes from left to right.
    if (whole === undefined || from + whole.at >= start) return start;
    from += whole.at + whole.length;
  }
}

interface Range {
  readonly from: number;
  readonly end: number;
  readonly known: readonly string[];
}

/** The first place of the range where a known value begins that the range's end cuts off; else its end. */
function openStart(text: string, { from, end, known }: Range): number {
  const longest = known[0]?.length ?? 0;
  for (let at = Math.max(from, end - longest + 1); at < end; at++) {
    const tail = text.slice(at, end);
    if (known.some((secret) => secret.length > tail.length && secret.startsWith(tail))) return at;
  }
  return end;
}

/** The leftmost known value in `text`. */
function firstWhole(
  text: string,
  known: readonly string[],
): { readonly at: number; readonly length: number } | undefined {
  return known.map((secret) => ({ at: text.indexOf(secret), length: secret.length }))
    .filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at || b.length - a.length)[0];
}

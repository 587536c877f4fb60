/** What the model is told about a violation of CTL (SPEC 2.6): what was declared, what was seen, what to write instead. */
import { quote } from "./ctl_header.ts";

/** An argument as far as it has been read. */
export interface ArgumentState {
  readonly key: string;
  readonly form: "length" | "inline" | "heredoc";
  /** The bytes that the header announced; 0 but for the length form. */
  readonly declared: number;
  /** The closing line of a heredoc, else empty. */
  readonly tag: string;
  /** Bytes of the value read so far. */
  readonly seen: number;
}

/** A line came inside a call where only `arg`, `end` or an empty line may stand. */
export function unexpectedLine(
  call: string,
  line: string,
  last: ArgumentState | undefined,
): string {
  if (last?.form === "length") {
    return `argument "${last.key}": declared ${last.declared} bytes but more arrived: ` +
      `after them came ${quote(line)} instead of "arg" or "end"`;
  }
  if (/^call[ \t]/.test(line)) {
    return `call "${call}" has no "end" line: ${quote(line)} came before it`;
  }
  return `call "${call}": the line ${quote(line)} is neither "arg <key> …" nor "end"; ` +
    "a value of several lines needs the form <<TAG or its length in bytes";
}

/** The stream ended before a counted value was whole. */
export function bodyCutShort(argument: ArgumentState): string {
  return `argument "${argument.key}": declared ${argument.declared} bytes ` +
    `but only ${argument.seen} arrived`;
}

/** The stream ended inside a heredoc. */
export function heredocNotClosed(argument: ArgumentState): string {
  return `argument "${argument.key}": ${argument.seen} bytes arrived ` +
    `but no line that is exactly "${argument.tag}"`;
}

/** The stream ended inside a frame, outside of a value. */
export function callNotClosed(call: string, argumentCount: number): string {
  const seen = argumentCount === 1 ? "1 argument" : `${argumentCount} arguments`;
  return `call "${call}": ${seen} arrived but no line "end"`;
}

/** The stream was cut inside a line that may have become a `call` header. */
export function headerCutShort(line: string): string {
  return `the message was cut inside the line ${quote(line)}, so that call was not run`;
}

/** A line has more bytes than a line may have. */
export function lineTooLong(limit: number, argument: ArgumentState | undefined): string {
  if (argument?.form === "heredoc") {
    return `argument "${argument.key}": a line is longer than ${limit} bytes: ` +
      `write this value with its length, "arg ${argument.key} <nbytes>"`;
  }
  if (argument?.form === "length") {
    return `after argument "${argument.key}" (declared ${argument.declared} bytes) ` +
      `came a line longer than ${limit} bytes`;
  }
  return `a line is longer than ${limit} bytes: write a long value with its length, "arg <key> <nbytes>"`;
}

/** A value is larger than a value may be; `bytes` were declared or seen. */
export function argumentTooLarge(key: string, bytes: number, limit: number): string {
  return `argument "${key}": ${bytes} bytes are more than the ${limit} allowed: write it in parts`;
}

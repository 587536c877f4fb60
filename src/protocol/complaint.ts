/** What the model is told when its message broke off or left its protocol (SPEC 2.5, 2.6). */
import type { ToolCall, Violation } from "../vocab.ts";

/** What went wrong with a message; at least one of `violation` and `cut` is there. */
export interface Trouble {
  readonly violation?: Violation | undefined;
  /** Why the stream was cut, in words: "the length limit was reached". */
  readonly cut?: string | undefined;
  /** The calls of the message that have run and are answered. */
  readonly done: readonly ToolCall[];
}

/**
 * The words that go back after the results: what was wrong, what has run and must not be repeated, what to write again.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const message = 'argument "patch": declared 495 bytes but only 438 arrived';
 * assertEquals(
 *   writeComplaint({ violation: { kind: "body_eof", message, at: 510, id: "c1" }, done: [] }),
 *   `Your last message could not be read to its end (body_eof): ${message}. The call "c1" was not run. ` +
 *     "No call of that message was run. Write its calls again.",
 * );
 * ```
 */
export function writeComplaint({ violation, cut, done }: Trouble): string {
  const sentences: string[] = [];
  if (cut !== undefined) sentences.push(`Your last message was cut off: ${cut}.`);
  if (violation !== undefined) sentences.push(...describe(violation));
  sentences.push(describeDone(done));
  sentences.push(whatNow(violation, done));
  return sentences.join(" ");
}

/** Where calls run at the end of the stream, those before the failed one haven't run either. */
function whatNow(violation: Violation | undefined, done: readonly ToolCall[]): string {
  if (violation === undefined) return "Go on from there.";
  return done.length === 0
    ? "Write its calls again."
    : "Write the failed call and what followed it again.";
}

function describe({ kind, message, id }: Violation): string[] {
  const what = `Your last message could not be read to its end (${kind}): ${endSentence(message)}`;
  return id === undefined ? [what] : [what, `The call "${id}" was not run.`];
}

function endSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : message + ".";
}

function describeDone(done: readonly ToolCall[]): string {
  if (done.length === 0) return "No call of that message was run.";
  const names = done.map(({ id, name }) => `${id} (${name})`).join(", ");
  return `These calls of it have run, with the results above, and must not be repeated: ${names}.`;
}

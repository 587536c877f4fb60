/** From the words of one simple command to the calls it makes: its own program and what that starts in turn. */
import { concernOf } from "./concerns.ts";
import { type Call, literal, type Word } from "./shell_syntax.ts";
import { type Inner, unwrap } from "./wrappers.ts";

/** Wrappers in wrappers deeper than this aren't followed. */
const DEEPEST = 16;

/**
 * The calls that a command with these words makes, its own first.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const words = ["nohup", "env", "make"].map((text) => ({ parts: [{ kind: "text", text } as const] }));
 * assertEquals(callsOf(words).map((call) => [call.texts[0], call.via]), [
 *   ["nohup", null],
 *   ["env", "nohup"],
 *   ["make", "env"],
 * ]);
 * ```
 */
export function callsOf(words: readonly Word[]): Call[] {
  return callsFrom({ words, texts: words.map(literal), via: null }, 0);
}

type Words = Omit<Call, "concern">;

function callsFrom(call: Words, depth: number): Call[] {
  const unwrapped = unwrap(call.texts);
  if (unwrapped?.kind === "opaque" || depth > DEEPEST) {
    const why = unwrapped?.kind === "opaque" ? unwrapped.why : "wrappers are nested too deep";
    return [{ ...call, concern: { kind: "opaque", why } }];
  }
  const own: Call = { ...call, concern: concernOf(call.texts, call.words) };
  const inner = (unwrapped?.inner ?? []).flatMap((part) =>
    callsFrom(innerCall(call, part), depth + 1)
  );
  return [own, ...inner];
}

function innerCall(call: Words, { start, end, unknown, placeholder }: Inner): Words {
  const texts = call.texts.slice(start, end).map((text) =>
    text !== null && placeholder !== null && text.includes(placeholder) ? null : text
  );
  return {
    words: call.words.slice(start, end),
    texts: unknown ? [...texts, null] : texts,
    via: call.texts[0] ?? null,
  };
}

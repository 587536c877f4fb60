/** Neighbours joined: what arrives in one piece of the network is read in one step, not a token at a time. */
import type { Delta } from "../vocab.ts";

/**
 * The same speech in fewer deltas: text after text is one, and so is reasoning of one field. (A token costs a few
 * microseconds on the way to the screen and the session; a piece of the network holds hundreds.)
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(
 *   joinDeltas([
 *     { kind: "text", text: "call c1 " },
 *     { kind: "text", text: "run\n" },
 *     { kind: "finish", reason: "stop" },
 *   ]),
 *   [{ kind: "text", text: "call c1 run\n" }, { kind: "finish", reason: "stop" }],
 * );
 * ```
 */
export function joinDeltas(deltas: readonly Delta[]): readonly Delta[] {
  if (deltas.length < 2) return deltas;
  const joined: Delta[] = [];
  let at = 0;
  while (at < deltas.length) {
    const first = deltas[at]!;
    const end = endOfRun(deltas, at);
    joined.push(
      end - at === 1 ? first : { ...first, text: textOf(deltas.slice(at, end)) } as Delta,
    );
    at = end;
  }
  return joined;
}

/** Where the run of deltas ends that continue the one at `at`. */
function endOfRun(deltas: readonly Delta[], at: number): number {
  const first = deltas[at]!;
  let end = at + 1;
  if (first.kind === "text") {
    while (deltas[end]?.kind === "text") end++;
  } else if (first.kind === "reasoning" && first.details === undefined) {
    for (let next = deltas[end]; next?.kind === "reasoning"; next = deltas[++end]) {
      if (next.field !== first.field || next.details !== undefined) break;
    }
  }
  return end;
}

function textOf(run: readonly Delta[]): string {
  return run.map((delta) => "text" in delta ? delta.text : "").join("");
}

/** Lines of prose that were plainly meant as a call in MiniMax's form or in another (SPEC 2.5, 3.1). */
import { describeNearMiss, findNearMiss } from "./near_miss.ts";

const FENCE = /^\s*(?:```|~~~)/;
/** Tags that lost their `<`, and those of MiniMax-M3. */
const BROKEN_TAG =
  /^\s*(?:<?\/?minimax:tool_call|invoke\s+name\s*=|parameter\s+name\s*=)|\]<\]minimax\[>\[/;
/** A message that is nothing but one fenced block. */
const FENCED_ALONE =
  /^\s*(```|~~~)[^\n]*\n\s*<minimax:tool_call>[\s\S]*<\/minimax:tool_call>\s*\1\s*$/;

/** The clause about the first such line, if there is one. */
export function xmlNearMiss(prose: string): string | undefined {
  if (FENCED_ALONE.test(prose)) {
    const why = "stands in a code fence, which makes it an example";
    return describeNearMiss({ line: "<minimax:tool_call>", why });
  }
  let fenced = false;
  for (const line of prose.split("\n")) {
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && BROKEN_TAG.test(line)) {
      return describeNearMiss({ line, why: "is not one of the tags that calls are written in" });
    }
  }
  const miss = findNearMiss(prose, "xml");
  return miss && describeNearMiss(miss);
}

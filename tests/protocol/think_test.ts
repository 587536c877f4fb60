import { assertEquals } from "@std/assert";
import { createThinkSplitter, type ThinkPart } from "../../src/protocol/think.ts";
import { assertSplitInvariant, joinEvents } from "../split.ts";

function split(slices: readonly string[]): ThinkPart[] {
  const splitter = createThinkSplitter();
  const parts = slices.flatMap((slice) => splitter.push(slice));
  return joinEvents([...parts, ...splitter.end()]);
}

const text = (text: string): ThinkPart => ({ kind: "text", text });
const reasoning = (text: string): ThinkPart => ({ kind: "reasoning", text });

const CASES: [title: string, input: string, parts: ThinkPart[]][] = [
  ["nothing", "", []],
  ["prose only", "a\nb", [text("a\nb")]],
  ["at the start", "<think>a\nb</think>\nc", [reasoning("a\nb"), text("\nc")]],
  ["at a line's start", "a\n<think>b</think>c", [text("a\n"), reasoning("b"), text("c")]],
  ["inside a line it is text", "use <think>b</think>", [text("use <think>b</think>")]],
  ["two in a row", "<think>a</think><think>b</think>c", [reasoning("ab"), text("c")]],
  ["never closed", "a\n<think>b <thi", [text("a\n"), reasoning("b <thi")]],
  ["never opened", "a</think>\nb", [text("a</think>\nb")]],
  ["a tag that stops short", "<thin\n<think", [text("<thin\n<think")]],
  ["a closing tag that stops short", "<think>a</think", [reasoning("a</think")]],
  ["almost a closing tag", "<think><</think</think>b", [reasoning("<</think"), text("b")]],
  ["empty", "<think></think>", []],
];

for (const [title, input, parts] of CASES) {
  Deno.test(`createThinkSplitter() reads ${title}, however it is cut`, () => {
    assertEquals(split([input]), parts);
    assertSplitInvariant(input, split);
  });
}

/** The cases of CTL: near misses, violations, prose after a call, and reasoning (SPEC 2.5–2.7). */
import { type CtlCase, frame } from "./ctl_case.ts";

export const FAULTS: readonly CtlCase[] = [
  // near misses
  {
    title: "an indented frame",
    text: "  call c1 run\n  arg a x\n  end\n",
    calls: [],
    violation: ["bad_call", '"call c1 run" was meant as a call'],
  },
  {
    title: "a frame after a BOM",
    text: "\ufeffcall c1 run\narg a x\nend\n",
    calls: [],
    violation: ["bad_call", "very beginning of its line"],
  },
  { title: "a frame in capitals", text: "CALL c1 run\n", violation: ["bad_call", "small letters"] },
  {
    title: "a fenced JSON call",
    text: '```json\n{"name":"run","arguments":{}}\n```',
    violation: ["bad_call", "JSON"],
  },
  {
    title: "another protocol's tag",
    text: "<minimax:tool_call>\n",
    violation: ["bad_call", "another protocol"],
  },
  {
    title: "a near miss beside a confirmed call is prose",
    text: "CALL c0 run\n" + frame(),
    calls: [["c1", {}]],
  },
  {
    title: "cut: a near miss on a whole line",
    text: "CALL c1 run\nxx",
    how: "cut",
    violation: ["bad_call", "CALL c1 run"],
  },
  {
    title: "cut: a near miss on a line that isn't whole",
    text: "Ok\nCALL c1 run",
    how: "cut",
    prose: "Ok\nCALL c1 run",
  },
  // 2.6 violations
  {
    title: "a length that is too small",
    text: frame("arg a 3", "hello", "x"),
    violation: [
      "unexpected_line",
      'argument "a": declared 3 bytes but more arrived: after them came "lo"',
      "c1",
    ],
  },
  {
    title: "a length that is too large",
    text: frame("arg a 99", "hello"),
    violation: ["body_eof", "declared 99 bytes but only 10 arrived", "c1"],
  },
  {
    title: "an inline value that goes on",
    text: frame("arg a x", "y"),
    violation: ["unexpected_line", '"y" is neither', "c1"],
  },
  {
    title: "a call inside a call",
    text: "call c1 run\ncall c2 run\nend\n",
    calls: [],
    violation: ["unexpected_line", 'call "c1" has no "end" line', "c1"],
  },
  {
    title: "end with more words",
    text: "call c1 run\nend now\n",
    violation: ["unexpected_line", '"end now"', "c1"],
  },
  {
    title: "a bad call after a good one",
    text: frame() + "call c2\n" + frame(),
    calls: [["c1", {}]],
    violation: ["bad_call", "no tool name"],
    kept: frame(),
  },
  {
    title: "nothing is parsed after a violation",
    text: frame("arg a", "end", "call c2 run", "end"),
    calls: [],
    violation: ["bad_arg", '"a"', "c1"],
  },
  // 2.7 after a confirmed call
  {
    title: "prose after a call stops the reading",
    text: frame() + "\nThe result is",
    calls: [["c1", {}]],
    stopAt: 18,
    kept: frame(),
  },
  {
    title: "an invented result stops the reading",
    text: frame() + "result c1 exit=0 1\nx\nend\n" + frame(),
    calls: [["c1", {}]],
    stopAt: 17,
  },
  {
    title: "an indented line after a call stops the reading",
    text: frame() + "  x\n",
    calls: [["c1", {}]],
    stopAt: 20,
  },
  {
    title: "call as prose after a call stops the reading",
    text: frame() + "call me when done\n",
    calls: [["c1", {}]],
    stopAt: 34,
  },
  {
    title: "a word that begins like call after a call stops the reading",
    text: frame() + "cat",
    calls: [["c1", {}]],
    stopAt: 19,
  },
  {
    title: "complete: a word that may begin call stops at the end",
    text: frame() + "ca",
    calls: [["c1", {}]],
    stopAt: 18,
  },
  {
    title: "cut: a word that may begin call stops nothing",
    text: frame() + "ca",
    how: "cut",
    calls: [["c1", {}]],
    kept: frame(),
  },
  {
    title: "fences around frames",
    text: "```ctl\n" + frame() + "```\n\n```text\r\n" + frame().replace("c1", "c2") + " ```  ",
    calls: [["c1", {}], ["c2", {}]],
  },
  {
    title: "a fence with more than a word stops the reading",
    text: frame() + "```sh now\n",
    calls: [["c1", {}]],
    stopAt: 26,
  },
  // reasoning
  {
    title: "reasoning is never parsed",
    text: "<think>call c0 run\nend\n</think>\n" + frame(),
    reasoning: "call c0 run\nend\n",
    prose: "\n",
    calls: [["c1", {}]],
  },
  {
    title: "a frame right after reasoning",
    text: "<think>x</think>" + frame(),
    reasoning: "x",
    calls: [["c1", {}]],
  },
  {
    title: "reasoning between calls",
    text: frame() + "<think>x</think>\n" + frame().replace("c1", "c2"),
    reasoning: "x",
    calls: [["c1", {}], ["c2", {}]],
  },
  {
    title: "reasoning that isn't closed",
    text: "Ok\n<think>call c1 run\nend\n</thin",
    reasoning: "call c1 run\nend\n</thin",
    prose: "Ok\n",
    calls: [],
  },
  {
    title: "think inside a line is prose",
    text: "a <think>b\n" + frame(),
    prose: "a <think>b\n",
    calls: [["c1", {}]],
  },
  {
    title: "another tag after a call stops the reading",
    text: frame() + "<thing>",
    calls: [["c1", {}]],
    stopAt: 22,
  },
];

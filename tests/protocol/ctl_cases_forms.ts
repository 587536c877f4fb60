/** The cases of CTL: words, where a frame starts, and the three forms of an argument (SPEC 2.1–2.3). */
import { type CtlCase, frame } from "./ctl_case.ts";

export const FORMS: readonly CtlCase[] = [
  // 2.1 lexical rules
  { title: "nothing", text: "", prose: "", calls: [] },
  {
    title: "prose only",
    text: "Hello.\nBye",
    prose: "Hello.\nBye",
    calls: [],
    kept: "Hello.\nBye",
  },
  { title: "a call without arguments", text: frame(), calls: [["c1", {}]] },
  {
    title: "runs of space and tab between words, white space and CR at the end",
    text: "call \t c1\t\trun \t\r\narg\t a \t 2 \r\nhi\r\nend \t\r\n",
    calls: [["c1", { a: "hi" }]],
  },
  {
    title: "all lines with CR: an inline value keeps it",
    text: "call c1 run\r\narg a ls\r\nend\r\n",
    calls: [["c1", { a: "ls\r" }]],
  },
  {
    title: "blank lines inside and between frames",
    text: "\n\ncall c1 run\n\n \t\r\narg a x\n\nend\n\n \n\ncall c2 run\nend\n\n",
    calls: [["c1", { a: "x" }], ["c2", {}]],
    prose: "\n\n",
  },
  {
    title: "the longest id and name",
    text: `call ${"i".repeat(64)} ${"n".repeat(64)}\nend\n`,
    calls: [["i".repeat(64), {}]],
  },
  {
    title: "ids of all allowed characters",
    text: "call a.B:9_- run\nend\n",
    calls: [["a.B:9_-", {}]],
  },
  {
    title: "the same id twice",
    text: frame() + frame(),
    calls: [["c1", {}]],
    violation: ["bad_call", 'the call id "c1" was used before'],
  },
  // 2.2 where a frame starts
  {
    title: "call with more than two words is prose",
    text: "call me when it is done\ncall  me\twhen it\r\n",
    prose: "call me when it is done\ncall  me\twhen it\r\n",
    calls: [],
  },
  {
    title: "callback is prose",
    text: "callback x\ncal\nc\n",
    prose: "callback x\ncal\nc\n",
    calls: [],
  },
  {
    title: "call inside a line is prose",
    text: "I call c1 run\n",
    prose: "I call c1 run\n",
    calls: [],
  },
  {
    title: "call alone",
    text: "call\n",
    calls: [],
    violation: ["bad_call", "neither id nor tool name"],
  },
  {
    title: "call and white space alone",
    text: "call \t\r\n",
    violation: ["bad_call", "neither id"],
  },
  {
    title: "call with one word",
    text: "call c1\n",
    violation: ["bad_call", '"call c1" has no tool name'],
  },
  { title: "an ill-formed id", text: "call c#1 run\n", violation: ["bad_call", 'id "c#1"'] },
  {
    title: "an id of 65",
    text: `call ${"i".repeat(65)} run\n`,
    violation: ["bad_call", "1 to 64"],
  },
  { title: "an ill-formed name", text: "call c1 9run\n", violation: ["bad_call", 'name "9run"'] },
  { title: "NUL in a name", text: "call c1 r\0n\n", violation: ["bad_call", "r\\u0000n"] },
  {
    title: "prose, then a frame",
    text: "Now:\n" + frame("arg a x"),
    prose: "Now:\n",
    calls: [["c1", { a: "x" }]],
    kept: "Now:\n" + frame("arg a x"),
  },
  {
    title: "a bad header after prose keeps the prose",
    text: "Now:\ncall c1\nmore",
    prose: "Now:\n",
    violation: ["bad_call", "no tool name"],
    kept: "Now:\n",
  },
  // 2.3 the three forms
  {
    title: "length: newlines, frames and tags inside are bytes",
    text: frame("arg a 26", "call x y\nend\n<<EOF\nEOF\nend", "arg b 0", "arg c 1", ""),
    calls: [["c1", { a: "call x y\nend\n<<EOF\nEOF\nend", b: "", c: "\n" }]],
  },
  {
    title: "length: no newline after the value",
    text: "call c1 run\narg a 2\nhiend\n",
    calls: [["c1", { a: "hi" }]],
  },
  {
    title: "length: bytes, not characters",
    text: frame("arg a 9", "é€😀"),
    calls: [["c1", { a: "é€😀" }]],
  },
  { title: "length: leading zeros", text: frame("arg a 002", "hi"), calls: [["c1", { a: "hi" }]] },
  {
    title: "length: NUL, BOM, CR and tab",
    text: frame("arg a 7", "\0\ufeff\r\t\r"),
    calls: [["c1", { a: "\0\ufeff\r\t\r" }]],
  },
  {
    title: "length: an end inside a character gives U+FFFD, and the rest is unexpected",
    text: frame("arg a 1", "é"),
    violation: ["unexpected_line", "declared 1 bytes but more arrived", "c1"],
  },
  {
    title: "inline: the rest of the line after one blank",
    text: frame(
      "arg a  two blanks ",
      "arg b\ttab",
      "arg c 12 34",
      "arg d cat <<EOF",
      "arg e \u00a0",
    ),
    calls: [["c1", { a: " two blanks ", b: "tab", c: "12 34", d: "cat <<EOF", e: "\u00a0" }]],
  },
  {
    title: "heredoc: only the exact line closes",
    text: frame(
      "arg a <<EO",
      " EO",
      "EO ",
      "EO\r",
      "EOF",
      "end",
      "call x y",
      "```",
      "<think>",
      "",
      "EO",
    ),
    calls: [["c1", { a: " EO\nEO \nEO\r\nEOF\nend\ncall x y\n```\n<think>\n\n" }]],
  },
  { title: "heredoc: empty", text: frame("arg a <<EOF", "EOF"), calls: [["c1", { a: "" }]] },
  {
    title: "heredoc: quoted tags",
    text: frame("arg a <<'A1'", "x", "A1", 'arg b  <<"_"\t', "y", "_"),
    calls: [["c1", { a: "x\n", b: "y\n" }]],
  },
  {
    title: "heredoc: the longest tag",
    text: frame(`arg a <<${"T".repeat(32)}`, "x", "T".repeat(32)),
    calls: [["c1", { a: "x\n" }]],
  },
  ...[
    "<<",
    "<< EOF",
    "<<E-F",
    "<<'EOF",
    `<<'EOF"`,
    "<<EOF x",
    "<<-EOF",
    `<<${"T".repeat(33)}`,
    "<<é",
  ]
    .map((field): CtlCase => ({
      title: `heredoc: ${field} opens none`,
      text: frame(`arg a ${field}`),
      calls: [],
      violation: ["bad_arg", 'argument "a"', "c1"],
    })),
  { title: "arg without a key", text: frame("arg"), violation: ["bad_arg", "no key", "c1"] },
  {
    title: "arg with an ill-formed key",
    text: frame("arg 9a x"),
    violation: ["bad_arg", '"9a"', "c1"],
  },
  {
    title: "arg with a CR in its key",
    text: frame("arg a\rb x"),
    violation: ["bad_arg", "a\\rb", "c1"],
  },
  {
    title: "arg without a value",
    text: frame("arg a"),
    violation: ["bad_arg", 'write "arg a 0"', "c1"],
  },
  {
    title: "arg with white space only",
    text: frame("arg a  \t\r"),
    violation: ["bad_arg", "nothing after", "c1"],
  },
  {
    title: "a key twice",
    text: frame("arg a x", "arg a y"),
    violation: ["bad_arg", "given twice", "c1"],
  },
  {
    title: "a key named __proto__",
    text: frame("arg __proto__ x"),
    calls: [["c1", JSON.parse('{"__proto__":"x"}')]],
  },
];

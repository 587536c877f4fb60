/** The rules of CTL as a table: a text, how the stream ended, and what it must give. */
import type { StreamEnd, ViolationKind } from "../../src/vocab.ts";
import type { Limits } from "../../src/protocol/protocol.ts";

export interface CtlCase {
  readonly title: string;
  readonly text: string;
  /** `complete` unless told. */
  readonly how?: StreamEnd;
  readonly limits?: Partial<Limits>;
  /** The executable calls: name, then arguments. */
  readonly calls?: readonly (readonly [id: string, args: { readonly [key: string]: string }])[];
  /** The prose; not compared when absent. */
  readonly prose?: string;
  readonly reasoning?: string;
  readonly violation?: readonly [kind: ViolationKind, says: string, id?: string];
  readonly stopAt?: number;
  readonly kept?: string;
}

const EOL = "\n";

/** The frame of one call `c1 run` around these lines. */
function frame(...lines: readonly string[]): string {
  return ["call c1 run", ...lines, "end", ""].join(EOL);
}

export const CTL_CASES: readonly CtlCase[] = [
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
  // limits
  {
    title: "a declared length over the limit, before its body",
    text: "call c1 run\narg a 11\n",
    how: "cut",
    limits: { argument: 10 },
    violation: ["limit", '"a": 11 bytes are more than the 10', "c1"],
  },
  {
    title: "a length at the limit",
    text: frame("arg a 10", "0123456789"),
    limits: { argument: 10 },
    calls: [["c1", { a: "0123456789" }]],
  },
  {
    title: "a length of 30 digits",
    text: frame(`arg a ${"9".repeat(30)}`),
    violation: ["limit", '"a"', "c1"],
  },
  {
    title: "a heredoc that grows past the limit",
    text: frame("arg a <<EOF", "01234", "5678", "9", "EOF"),
    limits: { argument: 10 },
    violation: ["limit", '"a": 11 bytes', "c1"],
  },
  {
    title: "a heredoc at the limit",
    text: frame("arg a <<EOF", "012345678", "EOF"),
    limits: { argument: 10 },
    calls: [["c1", { a: "012345678\n" }]],
  },
  {
    title: "an inline value over the limit",
    text: frame("arg a 0123456789x"),
    limits: { argument: 10 },
    violation: ["limit", '"a": 11 bytes', "c1"],
  },
  {
    title: "the last argument that fits",
    text: frame("arg a x", "arg b x"),
    limits: { argumentsPerCall: 2 },
    calls: [["c1", { a: "x", b: "x" }]],
  },
  {
    title: "one argument too many",
    text: frame("arg a x", "arg b x", "arg c x"),
    limits: { argumentsPerCall: 2 },
    violation: ["limit", "more than 2 arguments", "c1"],
  },
  {
    title: "lines at the limit",
    text: frame("arg a x45678", "arg b <<EOF", "0123456789ab", "EOF"),
    limits: { line: 12 },
    calls: [["c1", { a: "x45678", b: "0123456789ab\n" }]],
  },
  {
    title: "a header over the limit",
    text: frame("arg a x456789"),
    limits: { line: 12 },
    violation: ["line_too_long", "longer than 12 bytes", "c1"],
  },
  {
    title: "a heredoc line over the limit",
    text: frame("arg a <<EOF", "ok", "0123456789abc", "EOF"),
    limits: { line: 12 },
    violation: ["line_too_long", 'argument "a": a line', "c1"],
  },
  {
    title: "a call line over the limit",
    text: "call c1 runrun\n",
    limits: { line: 12 },
    violation: ["line_too_long", "longer than 12"],
  },
  {
    title: "prose has no limit",
    text: "0123456789 abcdef\n",
    limits: { line: 12 },
    prose: "0123456789 abcdef\n",
  },
  {
    title: "counted bytes have no lines",
    text: frame("arg a 16", "0123456789abcdef"),
    limits: { line: 12 },
    calls: [["c1", { a: "0123456789abcdef" }]],
  },
  // 2.5 the end of the stream
  {
    title: "complete: a last end without newline",
    text: "call c1 run\nend",
    calls: [["c1", {}]],
    kept: "call c1 run\nend",
  },
  {
    title: "cut: a last end without newline",
    text: "call c1 run\nend",
    how: "cut",
    calls: [],
    violation: ["call_eof", 'no line "end"', "c1"],
    kept: "",
  },
  {
    title: "complete: a last tag without newline",
    text: "call c1 run\narg a <<EOF\nx\nEOF",
    calls: [],
    violation: ["call_eof", "1 argument arrived", "c1"],
  },
  {
    title: "cut: a last tag without newline",
    text: "call c1 run\narg a <<EOF\nx\nEOF",
    how: "cut",
    violation: ["heredoc_eof", '2 bytes arrived but no line that is exactly "EOF"', "c1"],
  },
  {
    title: "complete: an unclosed heredoc",
    text: "call c1 run\narg a <<EOF\nx\nEOFISH",
    violation: ["heredoc_eof", '"a": 2 bytes', "c1"],
  },
  {
    title: "complete: a last arg line without newline",
    text: "call c1 run\narg a x",
    violation: ["call_eof", "1 argument arrived", "c1"],
  },
  {
    title: "complete: a last length without newline",
    text: "call c1 run\narg a 5",
    violation: ["body_eof", "declared 5 bytes but only 0 arrived", "c1"],
  },
  {
    title: "a body that is too short",
    text: "call c1 run\narg patch 495\n" + "x".repeat(438),
    violation: ["body_eof", 'argument "patch": declared 495 bytes but only 438 arrived', "c1"],
  },
  {
    title: "a body that is cut",
    text: "call c1 run\narg a 5\nhel",
    how: "cut",
    violation: ["body_eof", "declared 5 bytes but only 3 arrived", "c1"],
  },
  {
    title: "complete: a call header alone",
    text: "call c1 run",
    violation: ["call_eof", "0 arguments arrived", "c1"],
  },
  {
    title: "cut: a call header that isn't whole",
    text: "Ok.\ncall c1 ru",
    how: "cut",
    calls: [],
    prose: "Ok.\n",
    violation: ["call_eof", 'inside the line "call c1 ru"'],
  },
  {
    title: "cut: prose that begins like a header",
    text: "call me when it",
    how: "cut",
    prose: "call me when it",
  },
  { title: "cut: the beginning of call", text: "Ok.\ncal", how: "cut", prose: "Ok.\ncal" },
  {
    title: "complete: the word call at the end",
    text: "Ok.\ncall",
    violation: ["bad_call", "neither id nor tool name"],
  },
  {
    title: "cut after a whole call",
    text: frame("arg a x") + "call c2 run\narg b",
    how: "cut",
    calls: [["c1", { a: "x" }]],
    violation: ["call_eof", 'call "c2"', "c2"],
    kept: frame("arg a x"),
  },
  {
    title: "cut inside a second header",
    text: frame() + "call c2",
    how: "cut",
    calls: [["c1", {}]],
    violation: ["call_eof", '"call c2"'],
  },
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

import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import type { Confirmed, StreamEnd, ToolCall, Turn } from "../../src/vocab.ts";
import { createTextReading } from "../../src/agent/reading.ts";
import { checkPrefixes } from "../../src/eval/prefixes.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/protocol/protocol.ts";
import { xml } from "../../src/protocol/xml.ts";
import { assertSplitInvariant, joinEvents } from "../split.ts";

function read(
  slices: readonly string[],
  how: StreamEnd = "complete",
  limits: Limits = DEFAULT_LIMITS,
): Confirmed[] {
  const transducer = xml.createTransducer(limits);
  const events = slices.flatMap((text) => [...transducer.push({ kind: "text", text })]);
  return joinEvents([...events, ...transducer.end(how)]);
}

/** The events in a word each: `name{"key":"value"}`, `"text"`, `(reasoning)`, the kind of a violation. */
function gist(events: readonly Confirmed[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === "ready") return event.call.name + JSON.stringify(event.call.arguments);
    if (event.kind === "text") return JSON.stringify(event.text);
    if (event.kind === "reasoning") return `(${event.text})`;
    return event.kind === "violation" ? event.violation.kind : [];
  });
}

const OPEN = "<minimax:tool_call>";
const CLOSE = "</minimax:tool_call>";
const block = (...invokes: string[]) => `${OPEN}\n${invokes.join("\n")}\n${CLOSE}`;
const list = '<invoke name="list"></invoke>';
const one = (value: string) => `<invoke name="f"><parameter name="v">${value}</parameter></invoke>`;

const ROWS: readonly (readonly [title: string, text: string, ...gist: string[]])[] = [
  ["prose", "Hello < world.", '"Hello < world."'],
  ["one call", block(list), "list{}"],
  ["a call on one line", OPEN + one("x") + CLOSE, 'f{"v":"x"}'],
  [
    "text before, between and after",
    `a ${block(list)} b ${block(one("x"))} c`,
    '"a "',
    "list{}",
    '" b "',
    'f{"v":"x"}',
    '" c"',
  ],
  ["two calls in a block", block(list, one("x")), "list{}", 'f{"v":"x"}'],
  ["a self-closing call", block('<invoke name="x" />', "<invoke name='y'/>"), "x{}", "y{}"],
  [
    "names in all quotes",
    block(
      "<invoke name=f><parameter name='a'>1</parameter><parameter name=b>2</parameter></invoke>",
    ),
    'f{"a":"1","b":"2"}',
  ],
  ["layout newlines", block(one("\na\n")), 'f{"v":"a"}'],
  ["one layout newline only", block(one("\n\na\n\n")), 'f{"v":"\\na\\n"}'],
  ["a newline at the end alone is the value's", block(one("a\n")), 'f{"v":"a\\n"}'],
  ["indented closing tag", block(one("\n  a\n  ")), 'f{"v":"  a\\n  "}'],
  ["nothing but a newline", block(one("\n")), 'f{"v":""}'],
  ["an empty value", block(one("")), 'f{"v":""}'],
  ["white space is kept", block(one(" \t a\r\n b ")), 'f{"v":" \\t a\\r\\n b "}'],
  ["entities are kept", block(one("a &amp;&lt; b")), 'f{"v":"a &amp;&lt; b"}'],
  ["markup in a value", block(one("<b>x</b> <!-- & -->")), 'f{"v":"<b>x</b> <!-- & -->"}'],
  ["a closing tag in a value", block(one("a</parameter>b")), 'f{"v":"a</parameter>b"}'],
  [
    "closing tags in a value",
    block(one("a</parameter></invoke>b")),
    'f{"v":"a</parameter></invoke>b"}',
  ],
  ["a block's end in a value", block(one(`a ${CLOSE} b`)), `f{"v":"a ${CLOSE} b"}`],
  ["a block's beginning in a value", block(one(`a ${OPEN}`)), `f{"v":"a ${OPEN}"}`],
  [
    "a fence and a tag of reasoning in a value",
    block(one("```\n<think>\n```x")),
    'f{"v":"```\\n<think>\\n```x"}',
  ],
  ["a frame in a value", block(one("call c1 run\nend\n")), 'f{"v":"call c1 run\\nend\\n"}'],
  [
    "a value that would close early",
    block(one(`a</parameter></invoke>${CLOSE}b`)),
    '"b"',
    "bad_xml",
  ],
  ["never closed", `${OPEN}\n${list}`, "bad_xml"],
  ["only opened", OPEN, "bad_xml"],
  ["an open value", `${OPEN}<invoke name="f"><parameter name="v">x`, "bad_xml"],
  ["an open call", `${OPEN}<invoke name="f"><parameter name="v">x</parameter>`, "bad_xml"],
  ["an empty block", OPEN + CLOSE, "bad_xml"],
  ["text in a block", block("well", list), "bad_xml"],
  ["text between parameters", block('<invoke name="f">x</invoke>'), "bad_xml"],
  ["a malformed opening tag", `<minimax:tool_call">\n${list}\n${CLOSE}`, "bad_xml"],
  ["another opening tag", `<minimax:tool_calls>\n${list}\n`, "bad_xml"],
  ["a call without name", block("<invoke>x</invoke>", list), "bad_xml"],
  ["a name without name=", block("<invoke list></invoke>"), "bad_xml"],
  [
    "a parameter twice",
    block(
      '<invoke name="f"><parameter name="a">1</parameter><parameter name="a">2</parameter></invoke>',
    ),
    "bad_xml",
  ],
  ["a stray closing tag of a block", `Done. ${CLOSE}`, '"Done. "', "bad_xml"],
  ["a stray closing tag of a call", "Done. </invoke>", '"Done. "', "bad_xml"],
  ["a stray closing tag of a parameter", "Done. </parameter>", '"Done. "', "bad_xml"],
  ["a call outside of a block", `First:\n ${list}`, '"First:\\n "', "bad_xml"],
  ["a good block and a bad one", `${block(list)}\n${block("<invoke>")}`, '"\\n"', "bad_xml"],
  ["a bad block and a good one", `${block("<invoke>")}\n${block(list)}`, "bad_xml"],
  ["a stray tag after a good block", `${block(list)} x </invoke>`, '" x "', "bad_xml"],
  [
    "a mention of a tag",
    'I talk about <invoke name="x"> instead.',
    '"I talk about <invoke name=\\"x\\"> instead."',
  ],
  ["inline code", `Write \`${OPEN}\` and \`</invoke>\`.`, `"Write \`${OPEN}\` and \`</invoke>\`."`],
  ["inline code in two backticks", `\`\`a \` ${OPEN} \`\``, `"\`\`a \` ${OPEN} \`\`"`],
  ["an example and a call", `\`${OPEN}\`:\n${block(list)}`, `"\`${OPEN}\`:\\n"`, "list{}"],
  ["a backtick that closes nothing", `a \` b ${block(list)}`, '"a ` b "', "list{}"],
  [
    "a backtick that closes in the block",
    `a \` b ${OPEN}\n${one("`x`")}${CLOSE}`,
    '"a ` b "',
    'f{"v":"`x`"}',
  ],
  ["a backtick on the line before", `a \` b\n${block(list)}`, '"a ` b\\n"', "list{}"],
  ["an unfinished inline code at the end", `a \`${OPEN}${list}${CLOSE}`, '"a `"', "list{}"],
  [
    "a fence",
    `So:\n\`\`\`xml\n${block(list)}\n\`\`\`\nThat's it.`,
    `${JSON.stringify(`So:\n\`\`\`xml\n${block(list)}\n\`\`\`\nThat's it.`)}`,
  ],
  ["a call after a fence", `\`\`\`\nx\n\`\`\`\n${block(list)}`, '"```\\nx\\n```\\n"', "list{}"],
  [
    "a longer fence",
    `\`\`\`\`\n\`\`\`\n${OPEN}\n\`\`\`\`\n${block(list)}`,
    `${JSON.stringify(`\`\`\`\`\n\`\`\`\n${OPEN}\n\`\`\`\`\n`)}`,
    "list{}",
  ],
  [
    "a tilde fence",
    `~~~\n${OPEN}\n~~~\n${block(list)}`,
    `${JSON.stringify(`~~~\n${OPEN}\n~~~\n`)}`,
    "list{}",
  ],
  [
    "reasoning first",
    `<think>${block(list)}</think>\n${block(one("x"))}`,
    `(${block(list)})`,
    '"\\n"',
    'f{"v":"x"}',
  ],
  [
    "reasoning after a block",
    `${block(list)}\n<think>${block(list)}</think>x`,
    "list{}",
    '"\\n"',
    `(${block(list)})`,
    '"x"',
  ],
  [
    "a draft in reasoning whose opening tag is missing",
    `Hm.\n${block(list)}\n</think>\n${block(one("x"))}`,
    '"Hm.\\n\\n</think>\\n"',
    'f{"v":"x"}',
  ],
  [
    "a draft in reasoning whose opening tag stands inside a line",
    `So <think>${block(list)}</think> Yes. ${block(one("x"))}`,
    '"So <think></think> Yes. "',
    'f{"v":"x"}',
  ],
  [
    "nothing but a draft",
    `Hm.\n${block(list)}\n</think>\nDone.`,
    '"Hm.\\n\\n</think>\\nDone."',
    "bad_xml",
  ],
  ["reasoning that never ends", `<think>${block(list)}`, `(${block(list)})`],
  [
    "reasoning that was closed only",
    `Hm.\n</think>\n\n${block(list)}`,
    '"Hm.\\n</think>\\n\\n"',
    "list{}",
  ],
  [
    "a frame in the text",
    "call c1 run\narg command ls\nend\n",
    '"call c1 run\\narg command ls\\nend\\n"',
    "bad_call",
  ],
  [
    "tags that lost their brackets",
    'minimax:tool_call>\ninvoke name="run">\n',
    `${JSON.stringify('minimax:tool_call>\ninvoke name="run">\n')}`,
    "bad_call",
  ],
  [
    "nothing but a fenced block",
    `\`\`\`\n${block(list)}\n\`\`\``,
    `${JSON.stringify(`\`\`\`\n${block(list)}\n\`\`\``)}`,
    "bad_call",
  ],
  [
    "the tags of MiniMax-M3",
    ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">',
    `${JSON.stringify(']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">')}`,
    "bad_call",
  ],
  [
    "a block and a frame",
    `call c1 run\narg command ls\n${block(list)}`,
    '"call c1 run\\narg command ls\\n"',
    "list{}",
  ],
  ["nothing", ""],
];

for (const [title, text, ...expected] of ROWS) {
  Deno.test(`xml: ${title}`, () => {
    assertEquals(gist(read([text])), expected);
    assertSplitInvariant(text, read, { random: 30 });
  });
}

Deno.test("no prefix that is cut runs anything, and nothing is taken back", () => {
  for (const [, text] of ROWS) {
    const whole = JSON.stringify(read([text]));
    const transducer = xml.createTransducer(DEFAULT_LIMITS);
    let shown = "";
    for (let at = 0; at < text.length; at++) {
      for (const event of transducer.push({ kind: "text", text: text[at]! })) {
        if (event.kind === "text") shown += event.text;
      }
      const cut = read([text.slice(0, at + 1)], "cut");
      assertEquals(cut.filter((event) => event.kind === "ready"), []);
    }
    const texts = (JSON.parse(whole) as Confirmed[]).flatMap((event) =>
      event.kind === "text" ? event.text : []
    );
    assertEquals(texts.join("").startsWith(shown), true);
  }
});

Deno.test("prose is shown as soon as it can't be a tag", () => {
  const transducer = xml.createTransducer(DEFAULT_LIMITS);
  const shown = ["a", "<", "b <min", "imax", "i `", "x", "`<invoke", " <th", "ink>"].map((text) => {
    const events = transducer.push({ kind: "text", text });
    return gist(events).map((word) => JSON.parse(word) as string).join("");
  });
  assertEquals(shown, ["a", "", "<b ", "", "<minimaxi ", "`x", "`<invoke", " <th", "ink>"]);
});

Deno.test("the places of a whole message and of a violation are bytes of its text", () => {
  const text = `é ${block(one("x"))}`;
  const call: ToolCall = { id: "call_1", name: "f", arguments: { v: "x" }, values: "text" };
  const at = new TextEncoder().encode(text).length;
  assertEquals(read([text]), [
    { kind: "text", text: "é " },
    { kind: "call", id: "call_1", name: "f", at },
    { kind: "arg", id: "call_1", key: "v", form: "xml", at },
    { kind: "ready", call, at },
  ]);
  const [, violation] = read(["é </invoke> and more"]);
  assertEquals(violation?.kind === "violation" && violation.violation.at, 3 + "</invoke>".length);
});

Deno.test("a violation says what stands where and which calls were not run", () => {
  const [violation] = read([block(one("x"), list, "well")]);
  assertMatch(
    violation?.kind === "violation" ? violation.violation.message : "",
    /^"well" stands where .* should come\. Nothing of this message was run, neither "f", "list"\./,
  );
});

Deno.test("values and their number are limited", () => {
  const limits = { ...DEFAULT_LIMITS, argument: 3, argumentsPerCall: 1 };
  assertEquals(gist(read([block(one("abcd"))], "complete", limits)), ["limit"]);
  assertEquals(gist(read([block(one("abc"))], "complete", limits)), ['f{"v":"abc"}']);
  const two =
    '<invoke name="f"><parameter name="a">1</parameter><parameter name="b">2</parameter></invoke>';
  assertEquals(gist(read([block(two)], "complete", limits)), ["limit"]);
});

Deno.test("only what came up to the last block goes back once calls ran", () => {
  const transducer = xml.createTransducer(DEFAULT_LIMITS);
  transducer.push({ kind: "text", text: `Look.\n${block(list)}\nThe result is 42.` });
  transducer.end("complete");
  assertEquals(transducer.keptText, `Look.\n${block(list)}`);
});

Deno.test("the conversation carries blocks in the text and results in frames", () => {
  const call: ToolCall = { id: "c1", name: "f", arguments: { v: "x" }, values: "json" };
  const turns: Turn[] = [
    { kind: "user", text: "Go." },
    {
      kind: "assistant",
      text: "Well.",
      calls: [call],
      results: [{ id: "c1", name: "f", exit: 0, output: "ok\n" }],
    },
  ];
  assertEquals(xml.history(turns), [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content:
        `Well.\n${OPEN}\n<invoke name="f">\n<parameter name="v">x</parameter>\n</invoke>\n${CLOSE}`,
    },
    { role: "user", content: "result c1 exit=0 3\nok\n\nend\n" },
  ]);
});

Deno.test("what is written is what is read", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("\n", " ", "<", "&amp;", OPEN, CLOSE, "</invoke>", "call c1 run", "`"))
      .map((parts) => parts.join("")),
  );
  const calls = fc.array(
    fc.record({
      name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,10}$/),
      arguments: fc.dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,10}$/), value, {
        noNullPrototype: true,
      }),
    }),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(fc.property(calls, (written) => {
    const expected = written.map((call, index): ToolCall => (
      { id: `call_${index + 1}`, values: "text", ...call }
    ));
    const slices = xml.encode("", expected).flatMap((delta) =>
      delta.kind === "text" ? delta.text : []
    );
    assertEquals(
      read(slices).flatMap((event) => event.kind === "ready" ? event.call : []),
      expected,
    );
  }));
});

Deno.test("whatever a message is made of, no prefix says what the whole doesn't", () => {
  const token = fc.constantFrom(
    ...[
      OPEN,
      CLOSE,
      "<invoke",
      ' name="f"',
      ">",
      "</invoke>",
      '<parameter name="v">',
      "</parameter>",
    ],
    ...[
      "<think>",
      "</think>",
      "`",
      "``",
      "```",
      "~~~",
      "\n",
      " ",
      "x",
      "<",
      "</",
      "é",
      "😀",
      "<minimax:t",
    ],
    ...[list, one("x"), block(list), "call c1 run\n", '<invoke name="f"/>'],
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 14 }), (tokens) => {
      const open = () => createTextReading(xml, DEFAULT_LIMITS, { eager: true });
      checkPrefixes({ bytes: new TextEncoder().encode(tokens.join("")), open, framing: 0 });
    }),
    { numRuns: Number(Deno.env.get("FUZZ") ?? 150) },
  );
});

Deno.test("long messages are read in linear time", () => {
  const texts = [
    "a < b ` c <minimax:t\n".repeat(30_000),
    `\`${"<invoke> ".repeat(60_000)}`,
    `${OPEN}${
      '<invoke name="f"><parameter name="v">x</parameter></invoke> '.repeat(10_000)
    }${CLOSE}`,
    `${OPEN}<invoke name="f"><parameter name="v">${"</parameter> ".repeat(50_000)}`,
    `${block(list)}\n`.repeat(5_000),
  ];
  for (const text of texts) read(text.match(/[^]{1,12}/g)!);
});

Deno.test("a run of backticks is held until it is over, whatever its slices", () => {
  const transducer = xml.createTransducer(DEFAULT_LIMITS);
  const slices = ["``", "``", "`"].map((text) => transducer.push({ kind: "text", text }));
  assertEquals([slices.flat(), transducer.pending], [[], 5]);
  const after = { kind: "text", text: "x" } as const;
  assertEquals(joinEvents(transducer.push(after)), [{ kind: "text", text: "`````x" }]);
});

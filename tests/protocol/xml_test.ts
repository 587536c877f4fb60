import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import type { Confirmed, ToolCall, Turn } from "../../src/vocab.ts";
import { createTextReading } from "../../src/agent/reading.ts";
import { checkPrefixes } from "../../src/eval/prefixes.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { xml } from "../../src/protocol/xml.ts";
import { assertSplitInvariant, joinEvents } from "../split.ts";
import { block, CLOSE, gist, list, one, OPEN, read } from "./xml_reading.ts";
import { XML_ROWS } from "./xml_rows.ts";

for (const [title, text, ...expected] of XML_ROWS) {
  Deno.test(`xml: ${title}`, () => {
    assertEquals(gist(read([text])), expected);
    assertSplitInvariant(text, read, { random: 30 });
  });
}

Deno.test("a block that lost a piece on its way isn't run; a piece lost before it does no harm", () => {
  const rows = [[`a|b ${block(list)}`, "list{}"], [
    block(list, "|" + one("x")),
    "bad_xml",
  ]] as const;
  for (const [text, expected] of rows) {
    const transducer = xml.createTransducer(DEFAULT_LIMITS);
    const [before, after] = text.split("|") as [string, string];
    transducer.push({ kind: "text", text: before });
    transducer.push({ kind: "gap" });
    transducer.push({ kind: "text", text: after });
    assertEquals(gist(transducer.end("complete")), [expected]);
  }
});

Deno.test("no prefix that is cut runs anything, and nothing is taken back", () => {
  for (const [, text] of XML_ROWS) {
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

/** What every protocol must do, whatever its calls look like: each supplies only its encoding. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Confirmed, Delta, JsonObject, ProtocolName, ToolCall } from "../../src/vocab.ts";
import type { Protocol } from "../../src/protocol/protocol.ts";
import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { joinEvents, seededRandom } from "../split.ts";
import { drive, readyCalls } from "./drive.ts";
import { assertFaithful, mergeDeltas, sliceDeltas } from "./faithful.ts";

/** One rule, to be run over each protocol. */
export interface Rule {
  readonly title: string;
  check(protocol: Protocol): void;
}

function call(id: string, args: { [key: string]: string }, name = "run"): ToolCall {
  return { id, name, arguments: args, values: "text" };
}

const FIRST = call("c1", { command: "make test" });
const SECOND = call("c2", { path: "a.txt", content: "one\ntwo\n" }, "write_file");

/** Calls without what protocols may differ in: ids that xml has none of, and halves of surrogate pairs. */
function bare(calls: readonly ToolCall[]): [name: string, args: JsonObject][] {
  return calls.map(({ name, arguments: args }) => {
    const entries = Object.entries(args).map(([key, value]) =>
      [key, typeof value === "string" ? value.toWellFormed() : value] as const
    );
    return [name, Object.fromEntries(entries)];
  });
}

function violations(events: readonly Confirmed[]): string[] {
  return events.flatMap((event) => event.kind === "violation" ? [event.violation.kind] : []);
}

function prose(events: readonly Confirmed[]): string {
  return events.map((event) => event.kind === "text" ? event.text : "").join("");
}

/** Asserts that `calls` come back as they are, and nothing else is said. */
function assertRoundTrip(protocol: Protocol, text: string, calls: readonly ToolCall[]): void {
  const { events } = drive(protocol, protocol.encode(text, calls));
  assertEquals(violations(events), []);
  assertEquals(bare(readyCalls(events)), bare(calls));
  assert(prose(events).startsWith(text), `${JSON.stringify(prose(events))} lacks the prose`);
}

/** How many of `calls` may run when `units` code units have arrived. */
function wholeBy(protocol: Protocol, text: string, calls: readonly ToolCall[]) {
  if (!protocol.eager) return () => 0;
  const ends = calls.map((_, i) =>
    sliceDeltas(protocol.encode(text, calls.slice(0, i + 1)), () => 1).length
  );
  return (units: number) => ends.filter((end) => end <= units).length;
}

/** Values that have broken readers of tool calls. */
const VALUES: { readonly [title: string]: string } = {
  "nothing": "",
  "tabs": "\tall:\n\t\tcc\t\n",
  "CRLF": "a\r\nb\r\n",
  "a lone CR": "a\rb\r",
  "NUL": "a\0b\0",
  "emoji": "👩‍👩‍👧 é 日本語\n",
  "lone surrogates": "a\ud83d b\ude00",
  "a BOM": "\ufeffx",
  "a line of 100,000 bytes": "x".repeat(100_000),
  "lines of 100,000 bytes": `${"x".repeat(100_000)}\n${"y".repeat(100_000)}\n`,
  "blanks around": "  a  \n",
  "newlines around": "\n\na\n\n",
  "digits": "495",
  "digits and blanks": " 495 ",
  "a heredoc's opening": "<<EOF",
  "tags of heredocs": "EOF\nEOF1\nEOF2\n",
  "Markdown fences": "```sh\nmake\n```\n",
  "entities": "&amp; &lt;b&gt;",
  "JSON": '{"a":[1,"\\n"]}',
  "reasoning": "<think>\ncall c9 run\nend\n</think>\n",
  "a closing parameter tag": "a</parameter>b</invoke>\n",
  "quotes and backslashes": `"'\\n\\`,
  "a result frame": "result c1 exit=0 2\nok\nend\n",
};

/** The text by which another protocol would write a call. */
function markupOf(name: ProtocolName): string {
  return createProtocol(name)!.encode("Now:\n", [FIRST, SECOND]).map((delta) =>
    delta.kind === "text" ? delta.text : JSON.stringify(delta)
  ).join("");
}

/** What each protocol takes for a malformed call. */
const MALFORMED: { readonly [name in ProtocolName]: readonly Delta[] } = {
  "native-eos": [{ kind: "tool_call", slot: 0, id: "c1", name: "run", arguments: '{"a":' }],
  "native-inc": [{ kind: "tool_call", slot: 0, id: "c1", name: "run", arguments: "[1]" }],
  "ctl": [{ kind: "text", text: "call c1\narg a x\nend\n" }],
  "ctl-heredoc": [{ kind: "text", text: "call c1 run\narg a <<-EOF\nx\nEOF\nend\n" }],
  "xml": [{
    kind: "text",
    text: "<minimax:tool_call>\n<invoke run>\n</invoke>\n</minimax:tool_call>",
  }],
};

export const RULES: readonly Rule[] = [
  {
    title: "prose alone is text, at once or at the end",
    check: (protocol) => assertRoundTrip(protocol, "Hello.\n\ncalling it a day <b>", []),
  },
  {
    title: "one call",
    check: (protocol) => assertRoundTrip(protocol, "", [FIRST]),
  },
  {
    title: "a call without arguments",
    check: (protocol) => assertRoundTrip(protocol, "", [call("c1", {}, "list_files")]),
  },
  {
    title: "prose, then two calls back to back",
    check: (protocol) => assertRoundTrip(protocol, "I look.\n", [FIRST, SECOND]),
  },
  {
    title: "a call, then prose: the call stands",
    check(protocol) {
      const after: Delta = { kind: "text", text: "\nThe tests pass.\n" };
      const { events } = drive(protocol, [...protocol.encode("", [FIRST]), after]);
      assertEquals(violations(events), []);
      assertEquals(bare(readyCalls(events)), bare([FIRST]));
    },
  },
  ...PROTOCOL_NAMES.map((name): Rule => ({
    title: `the markup of ${name} inside an argument is a value, or is refused`,
    check(protocol) {
      const calls = [call("c1", { a: markupOf(name), b: "x" })];
      if (protocol.name !== "xml" || name !== "xml") return assertRoundTrip(protocol, "", calls);
      // The one value that SPEC 3.1 can't carry: a whole block of its own (docs/decisions/xml_own_block.md).
      const { events } = drive(protocol, protocol.encode("", calls));
      assertEquals([violations(events), readyCalls(events)], [["bad_xml"], []]);
    },
  })),
  ...Object.entries(VALUES).map(([title, value]): Rule => ({
    title: `${title} in an argument`,
    check: (protocol) => assertRoundTrip(protocol, "", [call("c1", { a: value, b: "x" }), SECOND]),
  })),
  {
    title: "an unknown tool is a call: the agent answers it",
    check: (protocol) => assertRoundTrip(protocol, "", [call("c1", {}, "no_such_tool")]),
  },
  {
    title: "an empty reply confirms nothing",
    check(protocol) {
      for (const how of ["complete", "cut"] as const) {
        assertEquals(drive(protocol, [], { how }), { events: [], pendingMax: 0, keptText: "" });
      }
    },
  },
  {
    title: "calls with one id never come out with one id",
    check(protocol) {
      const { events } = drive(protocol, protocol.encode("", [FIRST, { ...SECOND, id: "c1" }]));
      const ids = readyCalls(events).map(({ id }) => id);
      assertEquals(new Set(ids).size, ids.length);
      assert(ids.length === 2 || violations(events).length === 1);
    },
  },
  {
    title: "a malformed call is a violation and runs nothing",
    check(protocol) {
      for (const how of ["complete", "cut"] as const) {
        const { events } = drive(protocol, MALFORMED[protocol.name], { how });
        assertEquals(readyCalls(events), []);
        assertEquals(violations(events).length, 1);
      }
    },
  },
  {
    title: "a last call that never closes is a violation and never runs",
    check(protocol) {
      const units = sliceDeltas(protocol.encode("", [FIRST, SECOND]), () => 1);
      for (const missing of [5, 12]) {
        const deltas = mergeDeltas(units.slice(0, -missing));
        const { events } = drive(protocol, deltas);
        assertEquals(violations(events).length, 1);
        assertEquals(bare(readyCalls(events)), protocol.eager ? bare([FIRST]) : []);
      }
    },
  },
  {
    title: "cut at every code unit, S1 to S5 hold",
    check(protocol) {
      const calls = [FIRST, SECOND, call("c3", { a: "é\r\n😀\nend\n", b: "7" })];
      const text = "I look.\ncal\n<thin\n";
      assertFaithful(protocol, protocol.encode(text, calls), wholeBy(protocol, text, calls));
    },
  },
  {
    title: "slices of 1, 12 and 4096 units and random ones give the same events",
    check(protocol) {
      const calls = [FIRST, call("c2", { a: "é😀\ud83d".repeat(3000), b: VALUES.tabs! }), SECOND];
      const deltas = protocol.encode("Now: 😀\n", calls);
      const expected = drive(protocol, deltas).events;
      const random = seededRandom(7);
      for (const size of [() => 1, () => 12, () => 4096, () => 1 + Math.floor(random() * 50)]) {
        assertEquals(drive(protocol, sliceDeltas(deltas, size)).events, expected);
      }
      assertEquals(joinEvents(expected), expected);
    },
  },
  {
    title: "decode(encode(calls)) = calls for arbitrary calls",
    check(protocol) {
      fc.assert(
        fc.property(ARBITRARY_CALLS, (calls) => assertRoundTrip(protocol, "", calls)),
        { numRuns: 200, seed: 3 },
      );
    },
  },
  {
    title: "S1 to S5 hold on every prefix of arbitrary calls",
    check(protocol) {
      fc.assert(
        fc.property(ARBITRARY_CALLS, (calls) => {
          assertFaithful(
            protocol,
            protocol.encode("Ok\n", calls),
            wholeBy(protocol, "Ok\n", calls),
          );
        }),
        { numRuns: 12, seed: 5 },
      );
    },
  },
];

const FRAGMENTS = [
  "\n",
  "\r\n",
  "\t",
  " ",
  "end\n",
  "end",
  "call c9 run\n",
  "arg a 3\n",
  "EOF\n",
  "EOF",
  "EOF1\n",
  "<<EOF",
  "```\n",
  "<think>",
  "</think>",
  '<parameter name="a">',
  "</parameter>",
  "</invoke>",
  '<invoke name="a">',
  "<minimax:tool_call>",
  "\0",
  "\ufeff",
  "\ud83d",
  "\ude00",
  "😀",
  "é",
  "0",
  "12",
  "{",
  "}",
  '"',
  "\\",
  "&lt;",
  "result c1 exit=0 1\n",
];

const ARBITRARY_VALUE = fc.array(
  fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: "binary", maxLength: 6 })),
  { maxLength: 8 },
).map((parts) => parts.join(""));

const ARBITRARY_NAME = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,12}$/);

/** Up to three calls of any name with any values under any keys. */
const ARBITRARY_CALLS: fc.Arbitrary<ToolCall[]> = fc.array(
  fc.record({
    name: ARBITRARY_NAME,
    arguments: fc.dictionary(ARBITRARY_NAME, ARBITRARY_VALUE, {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  }),
  { minLength: 1, maxLength: 3 },
).map((calls) => calls.map((made, i): ToolCall => ({ id: `c${i + 1}`, values: "text", ...made })));

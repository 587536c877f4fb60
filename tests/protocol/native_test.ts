import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import type { Confirmed, Delta, JsonObject, StreamEnd, ToolCall, Turn } from "../../src/vocab.ts";
import { nativeEos } from "../../src/protocol/native_eos.ts";
import { nativeInc } from "../../src/protocol/native_inc.ts";
import { DEFAULT_LIMITS, type Limits, type Protocol } from "../../src/protocol/protocol.ts";
import { joinEvents } from "../split.ts";

type CallPiece = Omit<Extract<Delta, { kind: "tool_call" }>, "kind">;

const call = (piece: CallPiece): Delta => ({ kind: "tool_call", ...piece });
const text = (text: string): Delta => ({ kind: "text", text });
const finish = (reason: string): Delta => ({ kind: "finish", reason });
const DONE: Delta = { kind: "done" };
const A = call({ slot: 0, id: "a", name: "run", arguments: '{"command":"ls"}' });
const B = call({ slot: 1, id: "b", name: "run", arguments: '{"command":"pwd"}' });

function read(
  protocol: Protocol,
  deltas: readonly Delta[],
  how: StreamEnd = "complete",
  limits: Limits = DEFAULT_LIMITS,
): Confirmed[] {
  const transducer = protocol.createTransducer(limits);
  const events = deltas.flatMap((delta) => [...transducer.push(delta)]);
  return joinEvents([...events, ...transducer.end(how)]);
}

/** The events in one word each: what ran with what, what went wrong. */
function gist(events: readonly Confirmed[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === "ready") return `${event.call.id} ${JSON.stringify(event.call.arguments)}`;
    if (event.kind === "violation") return event.violation.kind;
    return [];
  });
}

interface Row {
  readonly title: string;
  readonly deltas: readonly Delta[];
  readonly how?: StreamEnd;
  readonly eos: readonly string[];
  readonly inc: readonly string[];
}

function slot0(...pieces: string[]): Delta[] {
  return [
    call({ slot: 0, id: "a", name: "run" }),
    ...pieces.map((piece) => call({ slot: 0, arguments: piece })),
    finish("tool_calls"),
    DONE,
  ];
}

function both(title: string, deltas: readonly Delta[], gists: readonly string[]): Row {
  return { title, deltas, eos: gists, inc: gists };
}

const LS = 'a {"command":"ls"}';
const PWD = 'b {"command":"pwd"}';

const ROWS: readonly Row[] = [
  both("no arguments are {}", slot0(), ["a {}"]),
  both("empty arguments are {}", slot0(""), ["a {}"]),
  both("white space is {}", slot0(" \n"), ["a {}"]),
  both("null is {}", slot0("nu", "ll"), ["a {}"]),
  both("pieces are joined", slot0('{"comm', 'and":"l', 's"}'), [LS]),
  both("an object encoded twice", slot0('"{\\"command\\":\\"ls\\"}"'), [LS]),
  both("arguments sent twice", slot0('{"command":', '"ls"}', '{"command":"ls"}'), [LS]),
  both("begun, then sent whole", slot0('{"command":', '{"command":"ls"}'), [LS]),
  both("two objects glued", slot0('{"command":"ls"}{"command":"pwd"}'), ["bad_json"]),
  both("two objects in two deltas", slot0('{"command":"ls"}', '{"command":"pwd"}'), ["bad_json"]),
  both("a placeholder, then the object", slot0("{}", '{"command":"ls"}'), ["bad_json"]),
  both(
    "one object five times over, not the same",
    slot0('{"c":""}', '{"c":"x"}', "{}", '{"c":""}'),
    [
      "bad_json",
    ],
  ),
  both("a trailing comma", slot0('{"command":"ls",}'), ["bad_json"]),
  both("a raw line break in a string", slot0('{"command":"a \\\nb"}'), ["bad_json"]),
  both("an array", slot0('["ls"]'), ["bad_json"]),
  both("a number", slot0("7"), ["bad_json"]),
  both("a string", slot0('"ls"'), ["bad_json"]),
  both("half an object although the end is complete", slot0('{"command":"l'), ["bad_json"]),
  both("two calls", [A, B, finish("tool_calls")], [LS, PWD]),
  both("the reason says stop although calls came", [A, finish("stop"), DONE], [LS]),
  both("[DONE] without a reason", [A, DONE], [LS]),
  both("slots open later on", [call({ slot: 3, id: "b", name: "run" }), A, DONE], ["b {}", LS]),
  both("no id at all", [call({ slot: 0, name: "run" }), call({ slot: 1, name: "run" }), DONE], [
    "call_1 {}",
    "call_2 {}",
  ]),
  both("an id given twice", [A, call({ slot: 1, id: "a", name: "run" }), DONE], [LS, "a-2 {}"]),
  both("an id that looks made distinct", [
    call({ slot: 0, id: "a", name: "run" }),
    call({ slot: 1, id: "a", name: "run" }),
    call({ slot: 2, id: "a-2", name: "run" }),
    DONE,
  ], ["a {}", "a-2 {}", "a-2-2 {}"]),
  both("another id and name later are ignored", [
    A,
    call({ slot: 0, id: "z", name: "walk" }),
    DONE,
  ], [LS]),
  both("no name", [call({ slot: 0, id: "a", arguments: "{}" }), DONE], ["bad_call"]),
  both("calls come beside markup in the text", [
    text("<minimax:tool_call>\n<invoke name='run'>\n"),
    A,
    DONE,
  ], [LS]),
  both("the call only as markup", [text('<minimax:tool_call>\n<invoke name="run">'), DONE], [
    "bad_call",
  ]),
  both("the call only as a frame", [text("call c1 run\narg command ls\nend\n"), DONE], [
    "bad_call",
  ]),
  both("the call only as fenced JSON", [
    text('```json\n{"name": "run", "arguments": {"command": "ls"}}\n```\n'),
    DONE,
  ], ["bad_call"]),
  both("prose", [text("All done."), finish("stop"), DONE], []),
  {
    title: "the first call is whole, the second is not JSON",
    deltas: [A, call({ slot: 1, id: "b", name: "run", arguments: "{" }), finish("tool_calls")],
    eos: ["bad_json"],
    inc: [LS, "bad_json"],
  },
  {
    title: "the first call is not JSON",
    deltas: [call({ slot: 0, id: "a", name: "run", arguments: "{" }), B, finish("tool_calls")],
    eos: ["bad_json"],
    inc: ["bad_json"],
  },
  {
    title: "length after two whole calls",
    deltas: [A, B, finish("length"), DONE],
    eos: ["bad_json"],
    inc: [LS, "bad_json"],
  },
  {
    title: "length in the second call",
    deltas: [A, call({ slot: 1, id: "b", name: "run", arguments: '{"comm' }), finish("length")],
    how: "cut",
    eos: ["bad_json"],
    inc: [LS, "bad_json"],
  },
  {
    title: "content_filter after one whole call",
    deltas: [A, finish("content_filter"), DONE],
    eos: ["bad_json"],
    inc: ["bad_json"],
  },
  {
    title: "length with empty arguments",
    deltas: [call({ slot: 0, id: "a", name: "run", arguments: "" }), finish("length"), DONE],
    eos: ["bad_json"],
    inc: ["bad_json"],
  },
  {
    title: "the connection is lost after a whole call",
    deltas: [A],
    how: "cut",
    eos: ["bad_json"],
    inc: ["bad_json"],
  },
  {
    title: "an error in the stream after a whole call",
    deltas: [A, { kind: "error", message: "overloaded" }, DONE],
    eos: ["bad_json"],
    inc: ["bad_json"],
  },
  {
    title: "an error in the stream after the finish reason",
    deltas: [A, finish("tool_calls"), { kind: "error", message: "overloaded" }],
    how: "cut",
    eos: ["bad_json"],
    inc: [LS],
  },
  {
    title: "empty deltas for a call that is complete",
    deltas: [A, B, call({ slot: 0, arguments: "" }), call({ slot: 0 }), DONE],
    eos: [LS, PWD],
    inc: [LS, PWD],
  },
  {
    title: "the whole arguments again for a call that is complete",
    deltas: [A, B, call({ slot: 0, arguments: '{"command":"ls"}' }), DONE],
    eos: [LS, PWD],
    inc: [LS, PWD],
  },
  {
    title: "the same again in two pieces",
    deltas: [
      A,
      B,
      call({ slot: 0, arguments: '{"comm' }),
      call({ slot: 0, arguments: 'and":"ls"}' }),
      DONE,
    ],
    eos: [LS, PWD],
    inc: [LS, PWD],
  },
  {
    title: "half of the same again",
    deltas: [A, B, call({ slot: 0, arguments: '{"comm' }), DONE],
    eos: ["bad_json"],
    inc: [LS, PWD, "bad_json"],
  },
  {
    title: "something else for a call that is complete",
    deltas: [A, B, call({ slot: 0, arguments: '{"command":"rm"}' }), DONE],
    eos: ["bad_json"],
    inc: [LS, "bad_json"],
  },
  {
    title: "arguments that come after the next call's",
    deltas: [
      call({ slot: 0, id: "a", name: "run" }),
      B,
      call({ slot: 0, arguments: '{"command":"ls"}' }),
      DONE,
    ],
    eos: [LS, PWD],
    inc: [LS, PWD],
  },
  {
    title: "the arguments of two calls in turns",
    deltas: [
      call({ slot: 0, id: "a", name: "run", arguments: '{"command":' }),
      call({ slot: 1, id: "b", name: "run", arguments: '{"command":' }),
      call({ slot: 0, arguments: '"ls"}' }),
      call({ slot: 1, arguments: '"pwd"}' }),
      DONE,
    ],
    eos: [LS, PWD],
    inc: [LS, PWD],
  },
  {
    title: "a call without arguments before another",
    deltas: [call({ slot: 0, id: "a", name: "run" }), B, DONE],
    eos: ["a {}", PWD],
    inc: ["a {}", PWD],
  },
];

for (const { title, deltas, how, eos, inc } of ROWS) {
  Deno.test(`native-eos: ${title}`, () => assertEquals(gist(read(nativeEos, deltas, how)), eos));
  Deno.test(`native-inc: ${title}`, () => assertEquals(gist(read(nativeInc, deltas, how)), inc));
}

Deno.test("native-inc: what may still get arguments waits, and so does what follows it", () => {
  const transducer = nativeInc.createTransducer(DEFAULT_LIMITS);
  const kinds = (delta: Delta) => transducer.push(delta).map((event) => event.kind);
  assertEquals(kinds(call({ slot: 0, id: "a", name: "run" })), ["call"]);
  assertEquals(kinds(B), ["call"]);
  assertEquals(kinds(call({ slot: 2, id: "c", name: "run" })), ["call"]);
  assertEquals(kinds(call({ slot: 0, arguments: '{"command":"ls"}' })), []);
  const all = kinds(call({ slot: 3, id: "d", name: "run" }));
  assertEquals(all, ["arg", "ready", "arg", "ready", "call"]);
  assertEquals(transducer.pending, "runrun".length);
});

Deno.test("a whole message is confirmed with its places", () => {
  const deltas = [text("Né:"), A, B, finish("tool_calls")];
  const first: ToolCall = { id: "a", name: "run", arguments: { command: "ls" }, values: "json" };
  const second: ToolCall = { id: "b", name: "run", arguments: { command: "pwd" }, values: "json" };
  assertEquals(read(nativeInc, deltas), [
    { kind: "text", text: "Né:" },
    { kind: "call", id: "a", name: "run", at: 23 },
    { kind: "arg", id: "a", key: "command", form: "json", at: 23 },
    { kind: "ready", call: first, at: 23 },
    { kind: "call", id: "b", name: "run", at: 43 },
    { kind: "arg", id: "b", key: "command", form: "json", at: 43 },
    { kind: "ready", call: second, at: 43 },
  ]);
  assertEquals(read(nativeEos, deltas), [
    { kind: "text", text: "Né:" },
    { kind: "call", id: "a", name: "run", at: 23 },
    { kind: "call", id: "b", name: "run", at: 43 },
    { kind: "arg", id: "a", key: "command", form: "json", at: 43 },
    { kind: "ready", call: first, at: 43 },
    { kind: "arg", id: "b", key: "command", form: "json", at: 43 },
    { kind: "ready", call: second, at: 43 },
  ]);
});

Deno.test("a violation names what ran, what did not, and how much arrived", () => {
  const broken = call({ slot: 1, id: "b", name: "run", arguments: '{"command":"p' });
  const [violation] = read(nativeInc, [A, broken, finish("tool_calls")])
    .filter((event) => event.kind === "violation").map((event) => event.violation);
  assertEquals(violation, {
    kind: "bad_json",
    message: 'call "b" (run): its arguments (13 bytes arrived) are not valid JSON ' +
      "(Unterminated string in JSON at position 13 (line 1 column 14)). " +
      'Not run: call "b" (run): send each again, with arguments that are one complete JSON object',
    at: 35,
    id: "b",
  });
  const [none] = read(nativeEos, [A, broken, finish("tool_calls")])
    .filter((event) => event.kind === "violation").map((event) => event.violation);
  assertEquals(none!.id, undefined);
  assertMatch(none!.message, /Not run: call "a" \(run\), call "b" \(run\): send each again/);
  const late = call({ slot: 0, arguments: '{"command":"rm"}' });
  const [ran] = read(nativeInc, [A, B, late])
    .filter((event) => event.kind === "violation").map((event) => event.violation);
  assertEquals(ran!.id, undefined);
});

Deno.test("reasoning is told from text, in its own deltas and in tags", () => {
  for (const protocol of [nativeEos, nativeInc]) {
    const events = read(protocol, [
      { kind: "reasoning", text: "First ", field: "reasoning" },
      { kind: "reasoning", text: "that.", field: "reasoning" },
      text("<th"),
      text('ink>{"name":"run","arguments":{}}</think>Hel'),
      text("lo \ud83d"),
      text("\ude00"),
      DONE,
    ]);
    assertEquals(events, [
      { kind: "reasoning", text: 'First that.{"name":"run","arguments":{}}' },
      { kind: "text", text: "Hello 😀" },
    ]);
  }
});

Deno.test("arguments over the limit are refused at once", () => {
  const limits = { ...DEFAULT_LIMITS, argument: 20 };
  for (const protocol of [nativeEos, nativeInc]) {
    const transducer = protocol.createTransducer(limits);
    transducer.push(call({ slot: 0, id: "a", name: "run", arguments: '{"command":"' }));
    const events = transducer.push(call({ slot: 0, arguments: "0123456789" }));
    assertEquals(gist(events), ["limit"]);
    assertEquals([transducer.pending, gist(transducer.end("complete"))], [0, []]);
  }
});

Deno.test("more arguments than a call may have are refused", () => {
  const limits = { ...DEFAULT_LIMITS, argumentsPerCall: 1 };
  const two = call({ slot: 0, id: "a", name: "run", arguments: '{"a":1,"b":2}' });
  assertEquals(gist(read(nativeEos, [two, DONE], "complete", limits)), ["limit"]);
});

Deno.test("what is held is what a later delta may still change", () => {
  const transducer = nativeInc.createTransducer(DEFAULT_LIMITS);
  transducer.push(A);
  assertEquals(transducer.pending, 3 + 16);
  transducer.push(call({ slot: 1, id: "b", name: "run" }));
  assertEquals(transducer.pending, 3);
  transducer.push(DONE);
  assertEquals(transducer.pending, 0);
});

Deno.test("history pairs every call with one result and sends no malformed call", () => {
  const turns: Turn[] = [
    { kind: "user", text: "Go." },
    {
      kind: "assistant",
      text: "",
      reasoning: "Hm.",
      reasoningField: "reasoning_content",
      calls: [{
        id: "x",
        name: "run",
        arguments: { command: "ls" },
        values: "json",
        extra: { sig: 1 },
      }],
      results: [{ id: "x", name: "run", exit: 2, output: "no\n" }],
      complaint: "Bad JSON.",
    },
    { kind: "assistant", text: "", calls: [], results: [], complaint: "Again." },
    {
      kind: "assistant",
      text: "Well.",
      calls: [{ id: "x", name: "run", arguments: {}, values: "text" }],
      results: [{ id: "x", name: "run", exit: 0, output: "" }],
    },
  ];
  assertEquals(nativeEos.history(turns), [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{
        id: "x",
        type: "function",
        function: { name: "run", arguments: '{"command":"ls"}' },
        extra: { sig: 1 },
      }],
      reasoning: { text: "Hm.", field: "reasoning_content" },
    },
    { role: "tool", content: "exit=2\nno\n", tool_call_id: "x" },
    { role: "user", content: "Bad JSON.\n\nAgain." },
    {
      role: "assistant",
      content: "Well.",
      tool_calls: [{ id: "x-2", type: "function", function: { name: "run", arguments: "{}" } }],
    },
    { role: "tool", content: "exit=0\n", tool_call_id: "x-2" },
  ]);
});

Deno.test("the request carries the tools in OpenAI's form", () => {
  const parameters = { type: "object", properties: {}, required: [] } as const;
  const { tools } = nativeEos.describe([{ name: "now", description: "The time", parameters }]);
  assertEquals(tools, [
    { type: "function", function: { name: "now", description: "The time", parameters } },
  ]);
});

const anyCalls = fc.array(
  fc.record({
    name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/),
    arguments: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonObject>),
  }),
  { maxLength: 4 },
).map((calls) =>
  calls.map((call, index): ToolCall => (
    { id: `c${index}`, values: "json", ...JSON.parse(JSON.stringify(call)) as typeof call }
  ))
);

for (const protocol of [nativeEos, nativeInc]) {
  Deno.test(`${protocol.name}: what is written is what is read`, () => {
    fc.assert(fc.property(fc.string(), anyCalls, (said, calls) => {
      fc.pre(!said.includes("<"));
      const events = read(protocol, [...protocol.encode(said, calls), DONE]);
      assertEquals(events.flatMap((event) => event.kind === "ready" ? [event.call] : []), calls);
      if (calls.length > 0) {
        const texts = events.flatMap((event) => event.kind === "text" ? [event.text] : []);
        assertEquals(texts.join(""), said.toWellFormed());
      }
    }));
  });

  Deno.test(`${protocol.name}: nothing is taken back as deltas arrive, whatever they are`, () => {
    const piece = fc.record({
      slot: fc.nat(3),
      id: fc.constantFrom("", "a", "b"),
      name: fc.constantFrom("", "run", "read_file"),
      arguments: fc.constantFrom("", "{", "}", '{"a":1}', '"', "null", "1,"),
    }).map(({ id, name, ...rest }) => call({ ...rest, ...(id && { id }), ...(name && { name }) }));
    const delta = fc.oneof(
      piece,
      fc.constantFrom(DONE, finish("stop"), finish("length"), text("x")),
    );
    fc.assert(fc.property(fc.array(delta, { maxLength: 12 }), (deltas) => {
      const transducer = protocol.createTransducer(DEFAULT_LIMITS);
      const whole = read(protocol, deltas);
      const seen: Confirmed[] = [];
      deltas.forEach((delta, index) => {
        seen.push(...transducer.push(delta));
        assertEquals(
          joinEvents(seen),
          joinEvents(whole.slice(0, joinEvents(seen).length)).map(
            (event, at, all) =>
              at === all.length - 1 && event.kind === "text" ? joinEvents(seen).at(-1)! : event,
          ),
        );
        const cut = read(protocol, deltas.slice(0, index + 1), "cut");
        assertEquals(
          gist(cut).filter((word) => word.includes(" ")),
          gist(seen).filter((word) => word.includes(" ")),
        );
      });
    }));
  });
}

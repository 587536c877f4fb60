/** What each stream must give under `native-eos` and `native-inc`. */
import { assertEquals } from "@std/assert";
import type { Delta, StreamEnd } from "../../src/vocab.ts";
import { nativeEos } from "../../src/protocol/native_eos.ts";
import { nativeInc } from "../../src/protocol/native_inc.ts";
import { A, B, call, DONE, finish, gist, read, text } from "./native_reading.ts";

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

const GAP: Delta = { kind: "gap" };
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
    call({ slot: 1, id: "a", name: "walk" }),
    call({ slot: 2, id: "a-2", name: "run" }),
    DONE,
  ], ["a {}", "a-3 {}", "a-2 {}"]),
  both("a call sent once more in another slot", [
    A,
    call({ slot: 1, id: "a", name: "run" }),
    call({ slot: 1, arguments: '{"command":"ls"}' }),
    call({ slot: 2, id: "b", name: "run", arguments: '{"command":"pwd"}' }),
    DONE,
  ], [LS, PWD]),
  both("two equal calls with ids of their own, or with none", [
    A,
    call({ slot: 1, id: "c", name: "run", arguments: '{"command":"ls"}' }),
    call({ slot: 2, name: "run", arguments: '{"command":"ls"}' }),
    call({ slot: 3, name: "run", arguments: '{"command":"ls"}' }),
    DONE,
  ], [LS, 'c {"command":"ls"}', 'call_3 {"command":"ls"}', 'call_4 {"command":"ls"}']),
  both("a reason with every piece", [
    call({ slot: 0, id: "a", name: "run", arguments: '{"comm' }),
    finish("tool_calls"),
    call({ slot: 0, arguments: 'and":"ls"}' }),
    finish("tool_calls"),
    call({ slot: 1, id: "b", name: "run" }),
    finish("tool_calls"),
    call({ slot: 1, arguments: '{"command":"pwd"}' }),
    DONE,
  ], [LS, PWD]),
  both("a lost piece of the arguments, which parse all the same", [
    call({ slot: 0, id: "a", name: "run", arguments: '{"command":"rm -r ' }),
    GAP,
    call({ slot: 0, arguments: '/"}' }),
    finish("tool_calls"),
    DONE,
  ], ["bad_json"]),
  both("a lost piece of the text", [text("a"), GAP, text("b"), finish("stop"), DONE], []),
  both("a piece lost between whole calls", [A, GAP, B, DONE], [LS, PWD]),
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

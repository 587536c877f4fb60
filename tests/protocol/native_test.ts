import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import type { Confirmed, Delta, JsonObject, ToolCall, Turn } from "../../src/vocab.ts";
import { nativeEos } from "../../src/protocol/native_eos.ts";
import { nativeInc } from "../../src/protocol/native_inc.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { joinEvents } from "../split.ts";
import { A, B, call, DONE, finish, gist, read, text } from "./native_reading.ts";

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

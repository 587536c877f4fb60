import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { Json, JsonObject, Message } from "../../src/vocab.ts";
import { ConfigError } from "../../src/errors.ts";
import { findKey, findProvider, providerNames } from "../../src/provider/catalog.ts";
import { findFaults } from "../../src/provider/check_messages.ts";
import { mendMessages } from "../../src/provider/mend.ts";
import { buildRequest, mergeDetails } from "../../src/provider/request.ts";

const call = (id: string, args: string, name = "run") =>
  ({ id, type: "function", function: { name, arguments: args } }) as const;
const SOUND: readonly Message[] = [
  { role: "system", content: "You are an agent" },
  { role: "user", content: "Go" },
  {
    role: "assistant",
    content: null,
    tool_calls: [call("a", '{"command":"ls"}'), call("b", "{}")],
    reasoning: { text: "hm", field: "reasoning_content" },
  },
  { role: "tool", tool_call_id: "a", content: "x" },
  { role: "tool", tool_call_id: "b", content: "" },
  { role: "assistant", content: "Done", reasoning: { text: "so", field: "reasoning_content" } },
  { role: "user", content: "More" },
];
const sent = (name: string, messages: readonly Message[] = SOUND): JsonObject[] =>
  buildRequest(findProvider(name, { model: "m", baseUrl: "http://x/v1" }), { messages }).body
    .messages as JsonObject[];

Deno.test("A sound history is sent as it is", () => {
  assertEquals(mendMessages(SOUND), { messages: SOUND, changes: [] });
  assertEquals(sent("custom"), [
    { role: "system", content: "You are an agent" },
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [call("a", '{"command":"ls"}'), call("b", "{}")] as unknown as Json,
    },
    { role: "tool", tool_call_id: "a", content: "x" },
    { role: "tool", tool_call_id: "b", content: "" },
    { role: "assistant", content: "Done" },
    { role: "user", content: "More" },
  ]);
});

const reasoning: readonly { readonly provider: string; readonly want: readonly JsonObject[] }[] = [
  { provider: "custom", want: [{}, {}] },
  { provider: "openai", want: [{}, {}] },
  { provider: "ollama", want: [{}, {}] },
  { provider: "deepseek", want: [{ reasoning_content: "hm" }, {}] },
  { provider: "openrouter", want: [{ reasoning: "hm" }, {}] },
  { provider: "minimax", want: [{ reasoning: "hm" }, { reasoning: "so" }] },
];
for (const { provider, want } of reasoning) {
  Deno.test(`Reasoning goes back where the server wants it, and nowhere else: ${provider}`, () => {
    const fields = sent(provider).filter((it) => it.role === "assistant").map((message) =>
      Object.fromEntries(Object.entries(message).filter(([key]) => key.startsWith("reasoning")))
    );
    assertEquals(fields, [...want]);
  });
}

Deno.test("DeepSeek gets the reasoning field with calls even where there was none", () => {
  const [, turn] = sent("deepseek", [
    { role: "user", content: "Go" },
    { role: "assistant", content: "", tool_calls: [call("a", "{}")] },
    { role: "tool", tool_call_id: "a", content: "x" },
  ]);
  assertEquals([turn!.reasoning_content, turn!.content], ["", ""]);
});

Deno.test("Pieces of reasoning_details are joined before they go back", () => {
  assertEquals(
    mergeDetails([
      { type: "reasoning.text", index: 0, text: "a" },
      { type: "reasoning.text", index: 0, text: "b", signature: "s" },
      { type: "reasoning.encrypted", index: 0, data: "x" },
      { type: "reasoning.text", index: 1, text: "c" },
    ]),
    [
      { type: "reasoning.text", index: 0, text: "ab", signature: "s" },
      { type: "reasoning.encrypted", index: 0, data: "x" },
      { type: "reasoning.text", index: 1, text: "c" },
    ],
  );
});

const broken: readonly {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly want: readonly Message[];
}[] = [
  {
    name: "an orphan result becomes a user message",
    messages: [{ role: "user", content: "Go" }, { role: "assistant", content: "ok" }, {
      role: "tool",
      tool_call_id: "z",
      content: "x",
    }],
    want: [{ role: "user", content: "Go" }, { role: "assistant", content: "ok" }, {
      role: "user",
      content: "Result of an earlier call:\nx",
    }],
  },
  {
    name: "a call without result gets one",
    messages: [{ role: "assistant", content: "", tool_calls: [call("a", "{}")] }],
    want: [{ role: "assistant", content: "", tool_calls: [call("a", "{}")] }, {
      role: "tool",
      tool_call_id: "a",
      content: "No result of this call is known",
    }],
  },
  {
    name: "arguments that are no object are left out, and what came of them is kept as words",
    messages: [{ role: "assistant", content: "x", tool_calls: [call("a", '{"command": "rm')] }, {
      role: "tool",
      tool_call_id: "a",
      content: "bad",
    }],
    want: [{ role: "assistant", content: "x" }, {
      role: "user",
      content: "Result of an earlier call:\nbad",
    }],
  },
  {
    name: "empty arguments are an empty object",
    messages: [{ role: "assistant", content: "", tool_calls: [call("a", "")] }, {
      role: "tool",
      tool_call_id: "a",
      content: "",
    }],
    want: [{ role: "assistant", content: "", tool_calls: [call("a", "{}")] }, {
      role: "tool",
      tool_call_id: "a",
      content: "",
    }],
  },
  {
    name: "ids are unique over turns and within one, results keep their call",
    messages: [
      { role: "assistant", content: "", tool_calls: [call("0", "{}"), call("0", '{"n":2}')] },
      { role: "tool", tool_call_id: "0", content: "first" },
      { role: "tool", tool_call_id: "0", content: "second" },
      { role: "assistant", content: "", tool_calls: [call("0", '{"n":3}')] },
      { role: "tool", tool_call_id: "0", content: "third" },
    ],
    want: [
      { role: "assistant", content: "", tool_calls: [call("0", "{}"), call("0_2", '{"n":2}')] },
      { role: "tool", tool_call_id: "0", content: "first" },
      { role: "tool", tool_call_id: "0_2", content: "second" },
      { role: "assistant", content: "", tool_calls: [call("0_3", '{"n":3}')] },
      { role: "tool", tool_call_id: "0_3", content: "third" },
    ],
  },
  {
    name: "system messages are one, at the front",
    messages: [{ role: "user", content: "Go" }, { role: "system", content: "A" }, {
      role: "system",
      content: "B",
    }],
    want: [{ role: "system", content: "A\n\nB" }, { role: "user", content: "Go" }],
  },
  {
    name: "two of one side in a row are one",
    messages: [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c" },
      { role: "assistant", content: "d" },
    ],
    want: [{ role: "user", content: "a\n\nb" }, { role: "assistant", content: "c\n\nd" }],
  },
  {
    name: "half a surrogate pair is replaced, in arguments too",
    messages: [{ role: "user", content: "a\ud83d" }, {
      role: "assistant",
      content: "",
      tool_calls: [call("a", '{"command":"\\ud83d"}')],
    }, { role: "tool", tool_call_id: "a", content: "\ude00" }],
    want: [{ role: "user", content: "a\uFFFD" }, {
      role: "assistant",
      content: "",
      tool_calls: [call("a", '{"command":"\uFFFD"}')],
    }, { role: "tool", tool_call_id: "a", content: "\uFFFD" }],
  },
];
for (const { name, messages, want } of broken) {
  Deno.test(`A history that a server would refuse is mended: ${name}`, () => {
    assert(findFaults(messages).length > 0, "it is sound already");
    assertEquals(mendMessages(messages).messages, want);
    assertEquals(findFaults(want), []);
  });
}

Deno.test("Whatever the history, what is sent has no fault, and mending is done once", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom("", "x", "\ud800"),
  );
  const id = fc.constantFrom("", "a", "b", "a_2", "functions.run:0", "é");
  const args = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.constantFrom("", "null", "{", "[]", '"{}"', "{}", '{"a":"\\udc00"}', '{"a":1}{"b":2}'),
  );
  const message: fc.Arbitrary<Message> = fc.record({
    role: fc.constantFrom("system", "user", "assistant", "tool"),
    content: fc.option(text),
    tool_call_id: id,
    tool_calls: fc.array(fc.tuple(id, args).map(([id, args]) => call(id, args)), { maxLength: 3 }),
  }).map(({ role, content, tool_call_id, tool_calls }) => ({
    role,
    content,
    ...(role === "tool" ? { tool_call_id } : {}),
    ...(role === "assistant" && tool_calls.length > 0 ? { tool_calls } : {}),
  }));
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 12 }),
      fc.constantFrom(...providerNames()),
      (messages, name) => {
        const provider = findProvider(name, { model: "m", baseUrl: "http://x/v1" });
        const { body } = buildRequest(provider, { messages });
        assert(JSON.stringify(body).isWellFormed());
        const { messages: mended } = mendMessages(messages);
        assertEquals(findFaults(mended), []);
        assertEquals(mendMessages(mended), { messages: mended, changes: [] });
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("Ids take the form that a server wants, calls and results alike", () => {
  const id = "functions.run:0 with a very long tail that no server of this kind would take";
  const [, turn, result] = sent("openai", [
    { role: "user", content: "Go" },
    { role: "assistant", content: "", tool_calls: [call(id, "{}")] },
    { role: "tool", tool_call_id: id, content: "" },
  ]);
  const [sentCall] = turn!.tool_calls as JsonObject[];
  assert(/^[\w-]{1,40}$/.test(String(sentCall!.id)));
  assertEquals(result!.tool_call_id, sentCall!.id!);
});

Deno.test("What a server wants back with a call goes back beside it", () => {
  const extra = { extra_content: { google: { thought_signature: "c2ln" } } };
  const [, turn] = sent("custom", [
    { role: "user", content: "Go" },
    { role: "assistant", content: "", tool_calls: [{ ...call("a", "{}"), extra }] },
    { role: "tool", tool_call_id: "a", content: "" },
  ]);
  assertEquals(turn!.tool_calls, [{ ...call("a", "{}"), ...extra }] as unknown as Json);
});

Deno.test("Tools, temperature and token limit go out under the server's names", () => {
  const messages: readonly Message[] = [{ role: "user", content: "Go" }];
  const minimax = findProvider("minimax");
  const { body } = buildRequest(minimax, { messages, tools: [{}], temperature: 1, maxTokens: 9 });
  assertEquals(body, {
    model: "MiniMax-M2.7",
    messages: [{ role: "user", content: "Go" }],
    tools: [{}],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 1,
    max_completion_tokens: 9,
    reasoning_split: true,
  });
  assertThrows(
    () => buildRequest(minimax, { messages, temperature: 0 }),
    ConfigError,
    "it takes 0.01 to 1",
  );
  assertThrows(
    () => buildRequest(findProvider("openai"), { messages, temperature: 0 }),
    ConfigError,
    'Cannot use temperature 0 with "openai": it takes only its own',
  );
});

Deno.test("Providers are found by name, with overrides; what is missing is said", () => {
  assertEquals(providerNames(), [
    "deepseek",
    "minimax",
    "openai",
    "openrouter",
    "ollama",
    "custom",
  ]);
  assertThrows(
    () => findProvider("nobody"),
    ConfigError,
    'Unknown provider "nobody": known are deepseek,',
  );
  assertThrows(() => findProvider("custom", { model: "m" }), ConfigError, "needs a base URL");
  assertThrows(() => findProvider("custom", { baseUrl: "http://x" }), ConfigError, "needs a model");
  assertThrows(
    () => findProvider("openai", { baseUrl: "x.org" }),
    ConfigError,
    'Not a base URL: "x.org"',
  );
  const deepseek = findProvider("deepseek", { keyVariable: "MY_KEY" });
  assertThrows(() => findKey(deepseek, { DEEPSEEK_API_KEY: "x" }), ConfigError, "set MY_KEY");
  assertThrows(() => findKey(deepseek, { MY_KEY: "a b" }), ConfigError, "MY_KEY holds characters");
  assertEquals(findKey(deepseek, { MY_KEY: " k\n" }), "k");
  assertEquals(findKey(findProvider("ollama"), {}), undefined);
  assertEquals(findProvider("minimax", { model: "other" }).price, null);
});

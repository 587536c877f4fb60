/**
 * What a model would stream, in the words of the interfaces that agents speak: one call of a tool, or the end.
 *
 * Each answer is a list of server-sent events, so that a big argument arrives in deltas as a model's would.
 */

/** How an agent asks its model; "frames" is ctl-heredoc in the text of Chat Completions. */
export type Interface = "chat" | "frames" | "responses" | "messages" | "gemini";

/** One call: of a tool with named arguments, or of one that takes plain text. */
export interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly input?: string;
}

/** Characters of a delta, as a token has them more or less. */
const DELTA = 16;
const DONE = "Done.";
const USAGE = { input_tokens: 100, output_tokens: 10 };

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`;

function pieces(text: string): readonly string[] {
  return Array.from(
    { length: Math.ceil(text.length / DELTA) },
    (_, i) => text.slice(i * DELTA, (i + 1) * DELTA),
  );
}

/** The events of one answer: `call`, or a last word when there is none. */
export function answerIn(to: Interface, call: ScriptedCall | undefined): string[] {
  switch (to) {
    case "chat":
      return chat(call);
    case "frames":
      return chat(undefined, call ? frame(call) : DONE);
    case "responses":
      return responses(call);
    case "messages":
      return messages(call);
    case "gemini":
      return gemini(call);
  }
}

function frame({ id, tool, args = {} }: ScriptedCall): string {
  const lines = Object.entries(args).map(([key, value]) =>
    String(value).includes("\n") ? `arg ${key} <<EOF\n${value}EOF\n` : `arg ${key} ${value}\n`
  );
  return `call ${id} ${tool}\n${lines.join("")}end\n`;
}

function chat(call: ScriptedCall | undefined, text = DONE): string[] {
  const event = (delta: unknown, reason: string | null = null) =>
    data({
      id: "answer",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
  const part = (fields: unknown) => event({ tool_calls: [fields] });
  const deltas = call
    ? [
      part({
        index: 0,
        id: call.id,
        type: "function",
        function: { name: call.tool, arguments: "" },
      }),
      ...pieces(JSON.stringify(call.args)).map((it) =>
        part({ index: 0, function: { arguments: it } })
      ),
    ]
    : pieces(text).map((content) => event({ content }));
  return [
    event({ role: "assistant", content: "" }),
    ...deltas,
    event({}, call ? "tool_calls" : "stop"),
    "data: [DONE]\n\n",
  ];
}

function responses(call: ScriptedCall | undefined): string[] {
  const [item, key, delta] = responsesItem(call);
  const response = { id: "answer", object: "response", model: "m" };
  const begun = { ...item, status: "in_progress", [key]: key === "content" ? [] : "" };
  return [
    named({ type: "response.created", response: { ...response, status: "in_progress" } }),
    named({ type: "response.output_item.added", output_index: 0, item: begun }),
    ...pieces(delta.text).map((it) =>
      named(
        {
          type: delta.type,
          item_id: "item",
          output_index: 0,
          content_index: 0,
          delta: it,
        },
      )
    ),
    named({ type: "response.output_item.done", output_index: 0, item }),
    named({
      type: "response.completed",
      response: {
        ...response,
        status: "completed",
        output: [item],
        usage: { ...USAGE, total_tokens: 110 },
      },
    }),
  ];
}

/** The whole item, the name of the field that grows, and how it grows. */
function responsesItem(call: ScriptedCall | undefined) {
  const about = { id: "item", status: "completed" };
  if (!call) {
    const content = [{ type: "output_text", text: DONE, annotations: [] }];
    return [
      { ...about, type: "message", role: "assistant", content },
      "content",
      { type: "response.output_text.delta", text: DONE },
    ] as const;
  }
  const { id, tool, input } = call;
  if (input !== undefined) {
    return [
      { ...about, type: "custom_tool_call", call_id: id, name: tool, input },
      "input",
      { type: "response.custom_tool_call_input.delta", text: input },
    ] as const;
  }
  const text = JSON.stringify(call.args);
  return [
    { ...about, type: "function_call", call_id: id, name: tool, arguments: text },
    "arguments",
    { type: "response.function_call_arguments.delta", text },
  ] as const;
}

function messages(call: ScriptedCall | undefined): string[] {
  const block = call
    ? { type: "tool_use", id: call.id, name: call.tool, input: {} }
    : { type: "text", text: "" };
  const deltas = call
    ? pieces(JSON.stringify(call.args)).map((it) => ({
      type: "input_json_delta",
      partial_json: it,
    }))
    : pieces(DONE).map((text) => ({ type: "text_delta", text }));
  const message = { id: "answer", type: "message", role: "assistant", model: "m", content: [] };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, usage: USAGE } },
    { type: "content_block_start", index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
      usage: USAGE,
    },
    { type: "message_stop" },
  ].map(named);
}

const geminiAnswer = (parts: readonly unknown[]) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
});

/** Arguments come whole in this interface. */
function gemini(call: ScriptedCall | undefined): string[] {
  return [data(geminiAnswer(
    call ? [{ functionCall: { id: call.id, name: call.tool, args: call.args } }] : [{ text: DONE }],
  ))];
}

/** What this interface answers at once to a question beside the task, which asks for JSON: nothing is wrong. */
export const GEMINI_WHOLE: unknown = geminiAnswer([{
  text: '{"unproductive_state_analysis":"none","unproductive_state_confidence":0}',
}]);

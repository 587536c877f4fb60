/** What `native-eos` and `native-inc` send: the tools, the conversation, and a model's own deltas. */
import type { AssistantTurn, Delta, Message, ToolCall, ToolSpec, Turn } from "../vocab.ts";
import { writeArguments } from "./native_arguments.ts";
import { joinParagraphs } from "./frames.ts";
import { distinct } from "./native_calls.ts";

const SYSTEM = `To use a tool, call it through the tool interface; never write a call as text.
You may call several tools in one message; they run one after another in that order, after which you get one result for each.
A result starts with a line exit=CODE (0 means that it went well), then comes the output.`;

/** The `tools` array of a request, and a few words about results. */
export function describeNative(
  tools: readonly ToolSpec[],
): { readonly system: string; readonly tools: readonly unknown[] } {
  return {
    system: SYSTEM,
    tools: tools.map(({ name, description, parameters }) => (
      { type: "function", function: { name, description, parameters } }
    )),
  };
}

/** The deltas by which a model says `text` and makes `calls`, without the end of the message. */
export function encodeNative(text: string, calls: readonly ToolCall[]): readonly Delta[] {
  return [
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...calls.flatMap((call, slot): Delta[] => [
      {
        kind: "tool_call",
        slot,
        id: call.id,
        name: call.name,
        ...(call.extra && { extra: call.extra }),
      },
      { kind: "tool_call", slot, arguments: writeArguments(call) },
    ]),
  ];
}

/**
 * The conversation in OpenAI's form: each executed call in `tool_calls` with exactly one `tool` message, in order; what went
 * wrong as a user message after them. Ids are made distinct over the whole conversation, since some servers number them anew
 * in every message.
 */
export function nativeHistory(turns: readonly Turn[]): Message[] {
  const taken = new Set<string>();
  const messages: Message[] = [];
  for (const turn of turns) {
    if (turn.kind === "user") addUser(messages, turn.text);
    else addAssistant(messages, turn, taken);
  }
  return messages;
}

function addAssistant(messages: Message[], turn: AssistantTurn, taken: Set<string>): void {
  const sent = new Map(turn.calls.map((call) => [call.id, distinct(call.id, taken)]));
  // A message with neither text nor calls would be answered with a 400.
  if (turn.text !== "" || turn.calls.length > 0) messages.push(assistantMessage(turn, sent));
  for (const result of turn.results) {
    messages.push({
      role: "tool",
      content: `exit=${result.exit}\n${result.output}`,
      tool_call_id: sent.get(result.id) ?? result.id,
    });
  }
  addUser(messages, turn.complaint ?? "");
}

/** Adds a user message, or to the one before: some servers refuse two in a row. */
function addUser(messages: Message[], text: string): void {
  const last = messages.at(-1);
  if (text === "") return;
  if (last?.role !== "user") messages.push({ role: "user", content: text });
  else {messages[messages.length - 1] = {
      ...last,
      content: joinParagraphs(last.content ?? "", text),
    };}
}

function assistantMessage(turn: AssistantTurn, sent: ReadonlyMap<string, string>): Message {
  const said = turn.prose ?? turn.text;
  return {
    role: "assistant",
    content: said === "" ? null : said,
    ...(turn.calls.length > 0 && {
      tool_calls: turn.calls.map((call) => ({
        id: sent.get(call.id) ?? call.id,
        type: "function" as const,
        function: { name: call.name, arguments: writeArguments(call) },
        ...(call.extra && { extra: call.extra }),
      })),
    }),
    ...(turn.reasoning !== undefined && turn.reasoningField !== undefined && {
      reasoning: {
        text: turn.reasoning,
        field: turn.reasoningField,
        ...(turn.reasoningDetails && { details: turn.reasoningDetails }),
      },
    }),
  };
}

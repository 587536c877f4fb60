/**
 * Messages that no server refuses (SPEC 3, 4): whatever the history looks like, what goes out has one
 * system message at the front, calls that each have their result, arguments that parse, ids that are unique, no two
 * messages of one side in a row, and well-formed text.
 */
import type { Message, MessageToolCall } from "../vocab.ts";
import { asObject, parseJson } from "./json.ts";

/** Messages that can be sent, and what had to be changed, one sentence each. */
export interface Mended {
  readonly messages: readonly Message[];
  readonly changes: readonly string[];
}

/**
 * The messages as they can be sent. A sound history comes back equal, but for ids that two answers share.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const orphan = { role: "tool", tool_call_id: "a", content: "x" } as const;
 * assertEquals(mendMessages([orphan]), {
 *   messages: [{ role: "user", content: "Result of an earlier call:\nx" }],
 *   changes: ['A result had no call: "a"'],
 * });
 * ```
 */
export function mendMessages(messages: readonly Message[]): Mended {
  const changes: string[] = [];
  const formed = messages.map(toWellFormed);
  const system = formed.filter((it) => it.role === "system" && it.content).map((it) => it.content);
  const paired = pairResults(formed.filter((it) => it.role !== "system"), changes);
  const merged = mergeNeighbours(paired.filter(isSomething));
  return {
    messages: system.length === 0
      ? merged
      : [{ role: "system", content: system.join("\n\n") }, ...merged],
    changes,
  };
}

/** Puts exactly one result behind each call, in the order of the calls; what is left over becomes a user message. */
function pairResults(messages: readonly Message[], changes: string[]): readonly Message[] {
  const out: Message[] = [];
  const used = new Set<string>();
  let at = 0;
  while (at < messages.length) {
    const message = messages[at++]!;
    let end = at;
    while (messages[end]?.role === "tool") end++;
    const results = messages.slice(at, end);
    if (message.role === "tool") out.push(asUser(message, changes));
    else if (message.role === "assistant") {
      out.push(...pairTurn(message, results, { used, changes }));
    } else out.push(message, ...results.map((result) => asUser(result, changes)));
    if (message.role !== "tool") at = end;
  }
  return out;
}

function pairTurn(
  message: Message,
  results: readonly Message[],
  book: { readonly used: Set<string>; readonly changes: string[] },
): readonly Message[] {
  const left = [...results];
  const calls: MessageToolCall[] = [];
  const answers: Message[] = [];
  for (const call of message.tool_calls ?? []) {
    const args = mendArguments(call.function.arguments);
    if (args === undefined || call.function.name === "") {
      book.changes.push(`Left out a call whose arguments are no JSON object: "${call.id}"`);
      continue;
    }
    const place = left.findIndex((result) => result.tool_call_id === call.id);
    const result = place < 0 ? undefined : left.splice(place, 1)[0];
    if (!result) book.changes.push(`A call had no result: "${call.id}"`);
    const id = uniqueId(call.id, book.used);
    calls.push({ ...call, id, function: { name: call.function.name, arguments: args } });
    answers.push({
      role: "tool",
      tool_call_id: id,
      content: result?.content ?? "No result of this call is known",
    });
  }
  const { tool_calls: _, ...rest } = message;
  const spoken: Message = calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
  return [spoken, ...answers, ...left.map((result) => asUser(result, book.changes))];
}

/** A result without its call: its words are kept. */
function asUser(message: Message, changes: string[]): Message {
  changes.push(`A result had no call: "${message.tool_call_id ?? ""}"`);
  return { role: "user", content: `Result of an earlier call:\n${message.content ?? ""}` };
}

/** JSON of an object, empty for nothing, or undefined; half surrogates inside its strings are replaced. */
function mendArguments(text: string): string | undefined {
  if (text.trim() === "" || text.trim() === "null") return "{}";
  const value = parseJson(text);
  if (!asObject(value)) return undefined;
  const plain = JSON.stringify(value);
  // JSON.stringify escapes what is not well-formed, and nothing else, as \ud….
  if (!/\\ud[89a-f]/.test(plain)) return text;
  return JSON.stringify(value, (_key, inner) => {
    if (typeof inner === "string") return inner.toWellFormed();
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, it]) => [key.toWellFormed(), it]));
  });
}

/** Ids are unique only within one answer (`call_0`, `functions.run:0`); the request needs more. */
function uniqueId(id: string, used: Set<string>): string {
  const base = id === "" ? "call" : id;
  let unique = base;
  for (let n = 2; used.has(unique); n++) unique = `${base}_${n}`;
  used.add(unique);
  return unique;
}

function isSomething(message: Message): boolean {
  return message.role === "tool" || (message.tool_calls?.length ?? 0) > 0 ||
    (message.content ?? "") !== "";
}

/** Two user messages in a row become one; so do two assistant messages, as long as the first calls nothing. */
function mergeNeighbours(messages: readonly Message[]): readonly Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    const mergeable = last?.role === message.role && message.role !== "tool" && !last.tool_calls;
    if (!last || !mergeable) out.push(message);
    else out[out.length - 1] = { ...last, ...message, content: joined(last, message) };
  }
  return out;
}

function joined(first: Message, second: Message): string {
  return [first.content, second.content].filter((text) => text).join("\n\n");
}

function toWellFormed(message: Message): Message {
  return {
    ...message,
    content: message.content?.toWellFormed() ?? null,
    ...(message.tool_call_id === undefined
      ? {}
      : { tool_call_id: message.tool_call_id.toWellFormed() }),
    ...(message.tool_calls === undefined ? {} : {
      tool_calls: message.tool_calls.map((call) => ({
        ...call,
        id: call.id.toWellFormed(),
        function: { ...call.function, name: call.function.name.toWellFormed() },
      })),
    }),
    ...(message.reasoning === undefined ? {} : {
      reasoning: { ...message.reasoning, text: message.reasoning.text.toWellFormed() },
    }),
  };
}

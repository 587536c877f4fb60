/** The last look before a request goes out: what a server would answer with 400. */
import type { Message } from "../vocab.ts";
import { asObject, parseJson } from "./json.ts";

/**
 * The faults of a history, one sentence each; none where it can be sent.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(findFaults([{ role: "user", content: "Hi" }]), []);
 * assertEquals(findFaults([{ role: "user", content: "" }]), ["message 0 (user): says nothing"]);
 * ```
 */
export function findFaults(messages: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  /** Ids of the calls whose results come next, in order. */
  let due: string[] = [];
  messages.forEach((message, at) => {
    const last = messages[at - 1];
    const where = `message ${at} (${message.role})`;
    if (message.role === "system" && at > 0) faults.push(`${where}: a system message inside`);
    if (message.role === "tool") {
      if (due[0] !== message.tool_call_id) faults.push(`${where}: a result without its call`);
      due = due.slice(1);
      return;
    }
    if (due.length > 0) faults.push(`${where}: a call before it has no result`);
    due = (message.tool_calls ?? []).map((call) => call.id);
    if (last?.role === message.role) faults.push(`${where}: two of one side in a row`);
    if (due.length === 0 && !message.content) faults.push(`${where}: says nothing`);
    for (const call of message.tool_calls ?? []) {
      if (ids.has(call.id)) faults.push(`${where}: the id "${call.id}" stands twice`);
      ids.add(call.id);
      if (!asObject(parseJson(call.function.arguments))) {
        faults.push(`${where}: the arguments of "${call.id}" are no JSON object`);
      }
    }
  });
  if (due.length > 0) faults.push("the last call has no result");
  if (!messages.every(isWellFormed)) faults.push("half a surrogate pair in the text");
  return faults;
}

/** Half a surrogate pair is no Unicode text: servers refuse the body that it's in. */
function isWellFormed({ content, tool_call_id, tool_calls = [] }: Message): boolean {
  return [
    content ?? "",
    tool_call_id ?? "",
    ...tool_calls.flatMap((call) => [call.id, call.function.name, call.function.arguments]),
  ].every((text) => text.isWellFormed());
}

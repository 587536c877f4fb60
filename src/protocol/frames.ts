/**
 * Result frames of the text protocols (SPEC 2.8):
 *
 * ```text
 * result <id> exit=<code> <nbytes>\n
 * <nbytes bytes of output>\n
 * end\n
 * ```
 *
 * The `\n` after the body isn't counted. All frames of a message go into one user message, in the order of the calls;
 * a complaint stands after them.
 */
import type { AssistantTurn, Message, ToolResult, Turn } from "../vocab.ts";
import { utf8Length } from "../text/utf8.ts";

/**
 * The frame of one result, exact to the byte.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(
 *   writeResultFrame({ id: "c1", name: "run", exit: 0, output: "né\n" }),
 *   "result c1 exit=0 4\nné\n\nend\n",
 * );
 * ```
 */
export function writeResultFrame(result: ToolResult): string {
  const output = result.output.toWellFormed();
  return `result ${result.id} exit=${result.exit} ${utf8Length(output)}\n${output}\nend\n`;
}

/** The user message that answers an assistant's message: its frames, then the complaint; empty if there is neither. */
function writeAnswer(turn: AssistantTurn): string {
  const frames = turn.results.map(writeResultFrame).join("");
  return joinParagraphs(frames, turn.complaint ?? "");
}

/** Both texts with an empty line between them; one alone as it is. */
export function joinParagraphs(first: string, second: string): string {
  if (first === "" || second === "") return first + second;
  return first + (first.endsWith("\n") ? "\n" : "\n\n") + second;
}

/**
 * The conversation for a protocol whose calls stand in the text: user messages in a row are joined and an assistant
 * message that would be empty is left out, since servers refuse both. `spoken` gives an assistant's turn as its text.
 */
export function textHistory(
  turns: readonly Turn[],
  spoken: (turn: AssistantTurn) => string,
): Message[] {
  const messages: Message[] = [];
  for (const turn of turns) {
    if (turn.kind === "user") {
      addUser(messages, turn.text);
      continue;
    }
    const content = spoken(turn);
    if (content !== "") messages.push(assistantMessage(turn, content));
    addUser(messages, writeAnswer(turn));
  }
  return messages;
}

function addUser(messages: Message[], text: string): void {
  if (text === "") return;
  const last = messages.at(-1);
  if (last?.role !== "user") messages.push({ role: "user", content: text });
  else {
    messages[messages.length - 1] = {
      role: "user",
      content: joinParagraphs(last.content ?? "", text),
    };
  }
}

function assistantMessage(turn: AssistantTurn, content: string): Message {
  if (turn.reasoning === undefined || turn.reasoningField === undefined) {
    return { role: "assistant", content };
  }
  const { reasoning: text, reasoningField: field, reasoningDetails: details } = turn;
  const reasoning = details === undefined ? { text, field } : { text, field, details };
  return { role: "assistant", content, reasoning };
}

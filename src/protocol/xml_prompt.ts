/** The words that teach a model MiniMax's form of calls (SPEC 3.1). */
import type { ToolSpec } from "../vocab.ts";

const FORM = `You use tools by writing a block of calls into your reply:

<minimax:tool_call>
<invoke name="write_file">
<parameter name="path">src/a.py</parameter>
<parameter name="content">
print("hello")

</parameter>
</invoke>
</minimax:tool_call>

- Several calls stand as several <invoke> in one block; they run one after the other once your message is whole.
- Values are raw text: no quotes, no entities (write & and < as they are). A value that begins on its own line ends before the line of its closing tag: above, "content" is one line and its newline.
- No Markdown around a block. After </minimax:tool_call> stop writing: the results come in the next message as "result <id> exit=<code> <nbytes>" frames, in the order of the calls, which you never write yourself.
- When the task is done, answer in plain text without any call.

Tools (parameters with ? may be left out):`;

/** The system prompt's words, one line for each tool. */
export function describeXml(tools: readonly ToolSpec[]): string {
  return [FORM, ...tools.map(describeTool)].join("\n") + "\n";
}

function describeTool(tool: ToolSpec): string {
  const { properties, required } = tool.parameters;
  const names = Object.keys(properties).map((key) => required.includes(key) ? key : `${key}?`);
  const notes = Object.entries(properties).map(([key, { description }]) =>
    `${key}: ${description}`
  );
  return `- ${[tool.name, ...names].join(" ")}: ${tool.description} (${notes.join("; ")})`;
}

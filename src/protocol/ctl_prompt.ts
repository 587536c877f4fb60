/** The words that teach a model CTL (SPEC 3): short, since they go out with every request. */
import type { ToolSpec } from "../vocab.ts";
import type { CtlName } from "./ctl_encode.ts";

const COUNTED = `call <id> <tool>
arg <key> <nbytes>
<the value: exactly nbytes bytes>
end

Example:

call c1 write_file
arg path 8
src/a.py
arg content 15
print("hello")

end

- nbytes counts the value's bytes in UTF-8, newlines inside it included; the newline after the value isn't counted. An empty value is "arg <key> 0".
- Values are raw: no quotes, no escapes. A short value may stand on its line (arg path src/a.py), a number may not: digits alone are read as nbytes.`;

const HEREDOC = `call <id> <tool>
arg <key> <value of one line>
arg <key> <<EOF1
<value of any number of lines>
EOF1
end

Example:

call c1 write_file
arg path src/a.py
arg content <<EOF1
print("hello")
EOF1
end

- Values are raw: no quotes, no escapes. Only a line that is exactly the tag ends a heredoc, so take a new tag for each one of a message: EOF1, EOF2, … (never one that is a line of a value). A heredoc's value ends with a newline.
- A number needs a heredoc too: digits alone after the key are read as a length in bytes. An empty value is "arg <key> 0".`;

/** The system prompt's words for the protocol `name` and its `tools`, one line each. */
export function describeCtl(name: CtlName, tools: readonly ToolSpec[]): string {
  return `You use tools by writing calls into your reply. A call is a frame of whole lines that begin in the first column:

${name === "ctl" ? COUNTED : HEREDOC}
- Every call of a message has its own id: c1, c2, … Calls run one after the other, each as soon as its "end" line is there.
- No Markdown around a frame. After your last "end" stop writing: the results come in the next message as "result <id> exit=<code> <nbytes>" frames, which you never write yourself.
- When the task is done, answer in plain text without any call.

Tools (arguments with ? may be left out):
${tools.map(describeTool).join("\n")}
`;
}

/** One line: `run command timeout_s?: what it does`. */
function describeTool(tool: ToolSpec): string {
  const args = Object.keys(tool.parameters.properties).map((key) =>
    tool.parameters.required.includes(key) ? key : key + "?"
  );
  return `${[tool.name, ...args].join(" ")}: ${tool.description.replace(/\s+/g, " ").trim()}`;
}

/** The five ways of writing calls, in the fewest words. */
import type { Delta, ToolCall } from "../vocab.ts";
import type { Speaker, Speakers } from "./speak.ts";

const native: Speaker = {
  describe: () => ({ system: "", tools: [] }),
  encode: (text, calls) => [
    ...say(text),
    ...calls.map((call, slot): Delta => ({
      kind: "tool_call",
      slot,
      id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    })),
  ],
};

const ctl: Speaker = {
  describe: () => ({ system: "arg <key> <nbytes>" }),
  encode: (text, calls) => frames(text, calls, lengthArg),
};

const heredoc: Speaker = {
  describe: () => ({ system: "arg <key> <<TAG" }),
  encode: (text, calls) =>
    frames(
      text,
      calls,
      (key, value) =>
        value.endsWith("\n") ? `arg ${key} <<EOT\n${value}EOT\n` : lengthArg(key, value),
    ),
};

const xml: Speaker = {
  describe: () => ({ system: "<minimax:tool_call>" }),
  encode: (text, calls) => {
    if (calls.length === 0) return say(text);
    const invokes = calls.map((call) => {
      const parameters = Object.entries(call.arguments).map(([key, value]) =>
        `<parameter name="${key}">\n${value}\n</parameter>\n`
      );
      return `<invoke name="${call.name}">\n${parameters.join("")}</invoke>\n`;
    });
    return say(`${text}\n<minimax:tool_call>\n${invokes.join("")}</minimax:tool_call>\n`);
  },
};

function frames(
  text: string,
  calls: readonly ToolCall[],
  arg: (key: string, value: string) => string,
): readonly Delta[] {
  const written = calls.map((call) => {
    const args = Object.entries(call.arguments).map(([key, value]) => arg(key, String(value)));
    return `call ${call.id} ${call.name}\n${args.join("")}end\n`;
  });
  return say(
    calls.length > 0 && text !== "" ? `${text}\n${written.join("")}` : text + written.join(""),
  );
}

function lengthArg(key: string, value: string): string {
  return value.includes("\n") || value === "" || /^(\d+$|<<)/.test(value)
    ? `arg ${key} ${new TextEncoder().encode(value).length}\n${value}\n`
    : `arg ${key} ${value}\n`;
}

function say(text: string): readonly Delta[] {
  return text === "" ? [] : [{ kind: "text", text }];
}

/** All five. */
export const SPEAKERS: Speakers = {
  "native-eos": native,
  "native-inc": native,
  ctl,
  "ctl-heredoc": heredoc,
  xml,
};

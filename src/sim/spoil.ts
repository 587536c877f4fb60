/** Spoils the text of a message as models do: wrong lengths, broken tags, raw newlines in JSON. */
import type { Delta, ProtocolName } from "../vocab.ts";
import type { Strike, Strikes } from "./draw.ts";

/** What was done to a message. */
export interface Spoiled {
  readonly deltas: readonly Delta[];
  /** One line for each place that was spoiled. */
  readonly notes: readonly string[];
}

const LENGTH_HEADER = /^arg (\S+) (\d+)$/;
const HEREDOC_HEADER = /^arg \S+ <<["']?(\w+)["']?$/;

/** Applies the faults that change the text of a whole message; those that find no place change nothing. */
export function spoil(
  deltas: readonly Delta[],
  strikes: Strikes,
  protocol: ProtocolName,
): Spoiled {
  const notes: string[] = [];
  let spoiled = joinTexts(deltas);
  const lengths = strikes.get("miscounted_length");
  if (lengths) {
    spoiled = spoiled.map((delta) => onText(delta, (it) => miscount(it, lengths, notes)));
  }
  if (strikes.has("broken_tag")) {
    const breaker = protocol === "xml" ? breakXmlTag : breakHeredocTag;
    spoiled = spoiled.map((delta) => onText(delta, (it) => breaker(it, notes)));
  }
  if (strikes.has("unescaped_newline")) {
    spoiled = spoiled.map((delta) => unescapeNewline(delta, notes));
  }
  return { deltas: spoiled, notes };
}

/** Neighbouring texts become one, so that a fault sees whole lines. */
function joinTexts(deltas: readonly Delta[]): Delta[] {
  const joined: Delta[] = [];
  for (const delta of deltas) {
    const last = joined.at(-1);
    if (delta.kind === "text" && last?.kind === "text") {
      joined[joined.length - 1] = { kind: "text", text: last.text + delta.text };
    } else joined.push(delta);
  }
  return joined;
}

function onText(delta: Delta, change: (text: string) => string): Delta {
  return delta.kind === "text" ? { kind: "text", text: change(delta.text) } : delta;
}

/**
 * Declares wrong lengths of values that hold a newline (one line is counted rightly), off by up to a fifth. A body is
 * stepped over, so that nothing in it is taken for a header.
 */
function miscount(text: string, { rule, random }: Strike, notes: string[]): string {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  let out = "";
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(0x0a, at);
    const next = newline < 0 ? bytes.length : newline + 1;
    const line = decoder.decode(bytes.subarray(at, next));
    const [, key, digits] = LENGTH_HEADER.exec(line.trimEnd()) ?? [];
    const length = Number(digits ?? 0);
    const body = decoder.decode(bytes.subarray(next, next + length));
    if (key !== undefined && body.includes("\n") && random() < rule.rate) {
      // Off by one at a last newline would be no violation: that newline is optional (SPEC 2.3).
      const off = 2 + Math.floor(random() * length / 5);
      const small = random() < (rule.tooSmall ?? 0.5);
      const declared = small ? Math.max(0, length - off) : length + off + "\nend\n".length;
      notes.push(`argument "${key}": ${declared} bytes declared, ${length} written`);
      out += `arg ${key} ${declared}\n`;
    } else out += line;
    out += body;
    at = next + length;
  }
  return out;
}

/** Writes the opening tag as one model was seen to. */
function breakXmlTag(text: string, notes: string[]): string {
  if (!text.includes("<minimax:tool_call>")) return text;
  notes.push('opening tag written as <minimax:tool_call">');
  return text.replace("<minimax:tool_call>", '<minimax:tool_call">');
}

/** Indents the line that should close the first heredoc. */
function breakHeredocTag(text: string, notes: string[]): string {
  const lines = text.split("\n");
  const header = lines.findIndex((line) => HEREDOC_HEADER.test(line));
  const tag = HEREDOC_HEADER.exec(lines[header] ?? "")?.[1];
  const closing = tag === undefined ? -1 : lines.indexOf(tag, header + 1);
  if (closing < 0) return text;
  notes.push(`closing line "${tag}" indented`);
  return lines.with(closing, `  ${tag}`).join("\n");
}

/** Writes the first `\n` of the arguments as a newline of its own, which JSON forbids. */
function unescapeNewline(delta: Delta, notes: string[]): Delta {
  if (delta.kind !== "tool_call" || delta.arguments === undefined) return delta;
  const spoiled = delta.arguments.replace(/(?<!\\)((?:\\\\)*)\\n/, "$1\n");
  if (spoiled === delta.arguments) return delta;
  notes.push("newline in JSON left unescaped");
  return { ...delta, arguments: spoiled };
}

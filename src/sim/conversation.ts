/**
 * What a request says about the conversation so far. The server keeps no position of its own: it reads it
 * here, from the history, so that retries, resumed sessions and a restarted server all go on rightly.
 */

/** A result that the agent sent back. */
export interface SeenResult {
  readonly exit: number;
  readonly output: string;
}

/** One thing in the history, in order. */
export type Seen =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "result"; readonly result: SeenResult }
  /** What the user, or the agent about a violation, wrote besides results. */
  | { readonly kind: "asked"; readonly text: string };

/** A request, as far as the simulated model cares. */
export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly hasTools: boolean;
  readonly seen: readonly Seen[];
  /** Tokens of the prompt, taken as four bytes each. */
  readonly inputTokens: number;
}

const FRAME = /^result (\S+) exit=(-?\d+) (\d+)\n/;

/** Reads the body of a Chat Completions request. Throws `TypeError` with what is missing. */
export function readConversation(body: unknown): Conversation {
  const request = body as {
    model?: unknown;
    stream?: unknown;
    messages?: unknown;
    tools?: unknown;
  } | null;
  if (!Array.isArray(request?.messages)) throw new TypeError('The request has no "messages"');
  const messages = request.messages as readonly Record<string, unknown>[];
  const tools = Array.isArray(request.tools) ? request.tools : [];
  const size = new TextEncoder().encode(
    JSON.stringify(messages) + (tools.length > 0 ? JSON.stringify(tools) : ""),
  ).length;
  return {
    model: typeof request.model === "string" ? request.model : "sim",
    stream: request.stream === true,
    system: messages.filter((m) => m["role"] === "system").map(contentOf).join("\n"),
    hasTools: tools.length > 0,
    seen: messages.flatMap(readMessage),
    inputTokens: Math.ceil(size / 4),
  };
}

function readMessage(message: Record<string, unknown>): readonly Seen[] {
  const content = contentOf(message);
  switch (message["role"]) {
    case "assistant":
      return [{ kind: "said", text: content }];
    case "tool":
      return [{ kind: "result", result: readToolMessage(content) }];
    case "user":
      return readUserText(content);
    default:
      return [];
  }
}

/** Result frames (SPEC 2.8) anywhere in a user message; what is between them is what was asked. */
function readUserText(content: string): readonly Seen[] {
  const seen: Seen[] = [];
  const bytes = new TextEncoder().encode(content);
  const decoder = new TextDecoder();
  let asked = "";
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(0x0a, at);
    const next = newline < 0 ? bytes.length : newline + 1;
    const line = decoder.decode(bytes.subarray(at, next));
    const header = FRAME.exec(line);
    if (header) {
      const end = Math.min(bytes.length, next + Number(header[3]));
      const output = decoder.decode(bytes.subarray(next, end));
      seen.push({ kind: "result", result: { exit: Number(header[2]), output } });
      at = skipFrameEnd(bytes, end);
    } else {
      asked += line;
      at = next;
    }
  }
  return asked.trim() === "" ? seen : [...seen, { kind: "asked", text: asked.trim() }];
}

/** Past the newline after the body and the `end` line. */
function skipFrameEnd(bytes: Uint8Array, at: number): number {
  const tail = new TextDecoder().decode(bytes.subarray(at, at + 5));
  return at + (/^\n?end(\n|$)/.exec(tail)?.[0].length ?? 0);
}

/** A native result: a line `exit=N`, then the output. */
function readToolMessage(content: string): SeenResult {
  const [head, exit] = /^exit=(-?\d+)\n/.exec(content) ?? ["", "0"];
  return { exit: Number(exit), output: content.slice(head.length) };
}

/** The content of a message as text; parts of a list are joined. */
function contentOf(message: Record<string, unknown>): string {
  const content = message["content"];
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => typeof part?.text === "string" ? part.text : "")
    .join("");
}

/** A body that is JSON although a stream was asked for: a whole completion, an error, chunks a line each, or something else. */
import type { Delta, JsonObject } from "../vocab.ts";
import type { ChunkReader } from "./event_delta.ts";
import { asObject, parseJsonSequence } from "./json.ts";
import { clip } from "./server_error.ts";

/** The code of our own complaint about a body: no server reported it. */
export const NOT_A_COMPLETION = "not_a_completion";

/**
 * What a JSON body says. A completion is used as it is; chunks one a line are read like a stream; Ollama's own
 * protocol and anything else is an error that says what came.
 */
export function readJsonBody(
  text: string,
  chunks: ChunkReader,
  note: (text: string) => void,
): readonly Delta[] {
  const { values, rest } = parseJsonSequence(text.replace(/^\uFEFF/, ""));
  // Gemini puts its errors into an array.
  const bodies = values.flat().map((value) => asObject(value) ?? {});
  if (rest !== "") note(`The JSON body ends early or holds something else: "${clip(rest, 100)}"`);
  const deltas = bodies.flatMap((body) => [...chunks.read(body), ...readWhole(body)]);
  if (deltas.length > 0 || bodies.some((body) => body.choices !== undefined)) return deltas;
  return [{
    kind: "error",
    message: complain(bodies[0], text.trimStart()),
    code: NOT_A_COMPLETION,
  }];
}

/** A whole completion ends by itself. */
function readWhole(body: JsonObject): readonly Delta[] {
  return body.object === "chat.completion" ? [{ kind: "done" }] : [];
}

function complain(first: JsonObject | undefined, text: string): string {
  if (first && "done" in first && "message" in first) {
    return "The server speaks Ollama's own protocol here: use the base URL that ends in /v1";
  }
  return `The server sent JSON that is no chat completion: "${clip(text, 100)}"`;
}

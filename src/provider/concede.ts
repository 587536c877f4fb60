/** A body without what a server said that it can't take: the same request in its words, sent at once. */
import type { JsonObject } from "../vocab.ts";
import type { RequestError } from "./failure.ts";

/** A refusal that is about the form of the request, and the form without it. */
interface Concession {
  applies(body: JsonObject, error: RequestError): boolean;
  change(body: JsonObject): JsonObject;
}

const CONCESSIONS: readonly Concession[] = [
  {
    // Some servers answer 400 to a parameter that most of them want.
    applies: (body, error) =>
      body.stream_options !== undefined && isBadRequest(error) &&
      /stream_options|include_usage/.test(error.message),
    change: ({ stream_options: _, ...rest }) => rest,
  },
  {
    applies: (body, error) =>
      body.max_tokens !== undefined && isBadRequest(error) &&
      error.message.includes("max_completion_tokens"),
    change: ({ max_tokens, ...rest }) => ({ ...rest, max_completion_tokens: max_tokens! }),
  },
  {
    // Old llama-server: 500 "Cannot use tools with stream".
    applies: (body, error) =>
      body.stream === true && body.tools !== undefined && /tools with stream/i.test(error.message),
    change: ({ stream_options: _, ...rest }) => ({ ...rest, stream: false }),
  },
];

/**
 * The body to try instead, or undefined where the refusal is about something else. Each change happens once.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { RequestError } from "./failure.ts";
 *
 * const error = new RequestError("refused", 400, "Unknown parameter: stream_options");
 * assertEquals(concede({ model: "m", stream_options: {} }, error), { model: "m" });
 * assertEquals(concede({ model: "m" }, error), undefined);
 * ```
 */
export function concede(body: JsonObject, error: RequestError): JsonObject | undefined {
  return CONCESSIONS.find((it) => it.applies(body, error))?.change(body);
}

function isBadRequest(error: RequestError): boolean {
  return error.status === 400 || error.status === 422;
}

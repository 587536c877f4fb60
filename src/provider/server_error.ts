/**
 * What went wrong, out of the many shapes in which servers say it (QUIRKS 7):
 *
 * ```text
 * {"error":{"message":…,"type":…,"code":…}}   {"error":"text"}   {"type":"error","error":{…}}
 * {"object":"error","message":…,"code":…}     {"code":400,"message":…}   {"detail":…}
 * {"errors":[{"message":…}]}
 * {"base_resp":{"status_code":2013,"status_msg":…}}                (MiniMax, with HTTP 200)
 * ```
 */
import type { Json, JsonObject } from "../vocab.ts";
import { asArray, asNumber, asObject, asText, parseJson } from "./json.ts";

/** An error as the server told it. */
export interface ServerError {
  /** The server's words, with the type or code in brackets where they don't hold it. */
  readonly message: string;
  readonly code?: string;
}

/**
 * The error that `body` tells, or undefined where it tells none. A chunk with choices is an error only if it names one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const error = { message: "Overloaded", type: "overloaded_error" };
 * assertEquals(readServerError({ type: "error", error }), {
 *   message: "Overloaded (overloaded_error)",
 *   code: "overloaded_error",
 * });
 * assertEquals(readServerError({ choices: [], error: null }), undefined);
 * ```
 */
export function readServerError(body: JsonObject): ServerError | undefined {
  const inside = body.error;
  if (asText(inside)) return describe({ message: inside! });
  const error = asObject(inside) ?? asObject(asArray(body.errors)[0]) ?? choiceError(body);
  // Some gateways write an empty error beside every chunk.
  if (error && Object.values(error).some((value) => value)) return describe(error);
  const minimax = asObject(body.base_resp);
  const status = asNumber(minimax?.status_code);
  if (minimax && status !== undefined && status !== 0) {
    return describe({ message: minimax.status_msg ?? null, code: status });
  }
  if (body.type === "error" || body.object === "error") return describe(body);
  const failed = (asNumber(body.code) ?? 0) >= 400 && asText(body.message) !== undefined;
  const told = failed || asText(body.detail) !== undefined;
  if (asArray(body.choices).length === 0 && told) return describe(body);
  return undefined;
}

/**
 * The error that a text tells which stands where only an error can stand: after `event: error`, or as the body of a 4xx.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readErrorText("out of\nmemory"), { message: "out of memory" });
 * ```
 */
export function readErrorText(text: string): ServerError {
  const body = asObject(parseJson(text));
  if (!body) return { message: clip(text.trim()) || "no message" };
  return readServerError(body) ?? describe(body);
}

/** OpenRouter puts the error of a provider behind it into the choice, others into its delta. */
function choiceError(body: JsonObject): JsonObject | undefined {
  return asArray(body.choices).map((entry) => {
    const choice = asObject(entry);
    return asObject(choice?.error) ?? asObject(asObject(choice?.delta)?.error);
  }).find((it) => it);
}

function describe(error: JsonObject): ServerError {
  const message = asText(error.message) ?? asText(error.detail) ?? asText(error.msg) ??
    (error.message === undefined && Object.keys(error).length > 0
      ? clip(JSON.stringify(error))
      : "no message");
  const type = word(error.type === "error" ? undefined : error.type);
  const code = word(error.code) ?? type;
  const behind = asText(asObject(error.metadata)?.raw);
  const full = behind && !message.includes(behind) ? `${message}: ${clip(behind)}` : message;
  const labels = [type, word(error.code)].filter((it, i, all) =>
    it !== undefined && !full.includes(it) && all.indexOf(it) === i
  );
  return {
    message: labels.length > 0 ? `${full} (${labels.join(", ")})` : full,
    ...(code === undefined ? {} : { code }),
  };
}

function word(value: Json | undefined): string | undefined {
  return typeof value === "number" ? String(value) : asText(value);
}

/** Enough of a stranger's text to know it by, on one line. */
export function clip(text: string, length = 300): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > length ? `${line.slice(0, length).toWellFormed()}…` : line;
}

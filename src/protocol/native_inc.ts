/**
 * `native-inc`: calls come as `tool_calls` deltas and each runs as soon as it is complete (SPEC 3): when a later call opens, at
 * the finish reason (unless the model was cut short) or at `[DONE]`, if its arguments are one JSON object. What still arrives for
 * a confirmed call can't touch it.
 */
import type { Limits, Protocol, Transducer } from "./protocol.ts";
import { describeNative, encodeNative, nativeHistory } from "./native_messages.ts";
import { createNativeTransducer } from "./native_transducer.ts";

/** The protocol `native-inc`. */
export const nativeInc: Protocol = {
  name: "native-inc",
  eager: true,
  describe: describeNative,
  createTransducer: createNativeIncTransducer,
  encode: encodeNative,
  history: nativeHistory,
};

/**
 * Confirms text at once, a call's identity when the server has given its id and name, and each call when the next one opens.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { DEFAULT_LIMITS } from "./protocol.ts";
 * const transducer = createNativeIncTransducer(DEFAULT_LIMITS);
 * transducer.push({ kind: "tool_call", slot: 0, id: "c1", name: "run", arguments: '{"command":"ls"}' });
 * const events = transducer.push({ kind: "tool_call", slot: 1, id: "c2", name: "run" });
 * assertEquals(events.map((event) => event.kind), ["arg", "ready", "call"]);
 * ```
 */
export function createNativeIncTransducer(limits: Limits): Transducer {
  return createNativeTransducer(limits, true);
}

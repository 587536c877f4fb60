/**
 * `native-eos`: calls come as `tool_calls` deltas and run after the stream's end, all or none (SPEC 3). Nothing runs unless the
 * end is complete and every call of the message has a name and arguments that are one JSON object.
 */
import type { Limits, Protocol, Transducer } from "./protocol.ts";
import { describeNative, encodeNative, nativeHistory } from "./native_messages.ts";
import { createNativeTransducer } from "./native_transducer.ts";

/** The protocol `native-eos`. */
export const nativeEos: Protocol = {
  name: "native-eos",
  eager: false,
  describe: describeNative,
  createTransducer: createNativeEosTransducer,
  encode: encodeNative,
  history: nativeHistory,
};

/**
 * Confirms text at once, a call's identity when the server has given its id and name, and the calls at a complete end.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { DEFAULT_LIMITS } from "./protocol.ts";
 * const transducer = createNativeEosTransducer(DEFAULT_LIMITS);
 * transducer.push({ kind: "tool_call", slot: 0, id: "c1", name: "run", arguments: '{"command":' });
 * transducer.push({ kind: "tool_call", slot: 0, arguments: '"ls"}' });
 * assertEquals(transducer.end("complete").map((event) => event.kind), ["arg", "ready"]);
 * ```
 */
export function createNativeEosTransducer(limits: Limits): Transducer {
  return createNativeTransducer(limits, false);
}

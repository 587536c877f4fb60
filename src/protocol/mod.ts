/** The protocols by name: the only file that a further one touches. */
import type { ProtocolName } from "../vocab.ts";
import type { Protocol } from "./protocol.ts";
import { createCtlProtocol } from "./ctl.ts";
import { nativeEos } from "./native_eos.ts";
import { nativeInc } from "./native_inc.ts";
import { xml } from "./xml.ts";

/** Makes the protocol of each name. */
const CREATE: { readonly [name in ProtocolName]: () => Protocol } = {
  "native-eos": () => nativeEos,
  "native-inc": () => nativeInc,
  "ctl": () => createCtlProtocol("ctl"),
  "ctl-heredoc": () => createCtlProtocol("ctl-heredoc"),
  "xml": () => xml,
};

/** The names that {@linkcode createProtocol} knows. */
export const PROTOCOL_NAMES = Object.keys(CREATE) as readonly ProtocolName[];

/** The default (SPEC 3): fewest tokens and no violations in the published matrix. */
export const DEFAULT_PROTOCOL: ProtocolName = "ctl-heredoc";

/** The protocol called `name`, or undefined where there is none. */
export function createProtocol(name: string): Protocol | undefined {
  return Object.hasOwn(CREATE, name) ? CREATE[name as ProtocolName]() : undefined;
}

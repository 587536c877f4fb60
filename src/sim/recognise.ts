/** Which protocol a request was made in. */
import type { ProtocolName } from "../vocab.ts";
import type { Conversation } from "./conversation.ts";
import { PROTOCOL_NAMES } from "../protocol/mod.ts";
import { protocolNamed } from "./speak.ts";

const TEXT_PROTOCOLS = ["ctl-heredoc", "ctl", "xml"] as const;

/**
 * The protocol that a request asks for: `tools` say native, a model name such as `sim-xml` says it outright; else
 * the text protocol whose own words (what it says about no tool at all) stand most fully in the system prompt.
 */
export function recogniseProtocol(request: Conversation): ProtocolName {
  if (request.hasTools) return "native-eos";
  const named = PROTOCOL_NAMES.find((name) => request.model.endsWith(`-${name}`));
  if (named !== undefined) return named;
  const lines = new Set(request.system.split("\n").map((line) => line.trim()));
  let best: ProtocolName = "ctl-heredoc";
  let most = 0;
  for (const name of TEXT_PROTOCOLS) {
    const words = protocolNamed(name).describe([]).system.split("\n").map((line) => line.trim())
      .filter((line) => line !== "");
    const share = words.filter((line) => lines.has(line)).length / Math.max(1, words.length);
    if (share > most) [best, most] = [name, share];
  }
  return best;
}

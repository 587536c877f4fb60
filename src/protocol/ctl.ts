/** The protocols `ctl` and `ctl-heredoc` (SPEC 2, 3): one language, two ways of teaching it. */
import type { AssistantTurn } from "../vocab.ts";
import type { Protocol } from "./protocol.ts";
import { createCtlTransducer } from "./ctl_transducer.ts";
import { type CtlName, writeFrames, writeProse } from "./ctl_encode.ts";
import { describeCtl } from "./ctl_prompt.ts";
import { textHistory } from "./frames.ts";

/** The protocol of that name. */
export function createCtlProtocol(name: CtlName): Protocol {
  return {
    name,
    eager: true,
    describe: (tools) => ({ system: describeCtl(name, tools) }),
    createTransducer: createCtlTransducer,
    encode(text, calls) {
      const written = calls.length === 0 ? text : writeProse(text) + writeFrames(calls, name);
      return written === "" ? [] : [{ kind: "text", text: written }];
    },
    history: (turns) => textHistory(turns, (turn) => spokenText(name, turn)),
  };
}

/** The assistant's text with its frames: added where the turn was spoken in a protocol whose calls stand elsewhere. */
function spokenText(name: CtlName, turn: AssistantTurn): string {
  const missing = turn.calls.filter((call) => !hasHeader(turn.text, call.id));
  if (missing.length === 0) return turn.text;
  return writeProse(turn.prose ?? turn.text) + writeFrames(missing, name);
}

function hasHeader(text: string, id: string): boolean {
  return text.split("\n").some((line) => {
    const words = line.split(/[ \t]+/);
    return words[0]!.endsWith("call") && words[1] === id;
  });
}

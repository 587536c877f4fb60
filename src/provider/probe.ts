/**
 * Which protocols does an endpoint really do? A harmless tool that only repeats a word is offered in each, and the
 * reply is read as the agent would read it; nothing is ever run.
 */
import { ProviderError } from "../errors.ts";
import type { Confirmed, ProtocolName, ToolSpec } from "../vocab.ts";
import type { Clock } from "../system/system.ts";
import { DEFAULT_LIMITS, type Protocol } from "../protocol/protocol.ts";
import type { Provider } from "./catalog.ts";
import type { ModelClient } from "./model_stream.ts";
import { buildRequest } from "./request.ts";
import { clip } from "./server_error.ts";

/** What one protocol came to. */
export interface ProbeResult {
  readonly protocol: ProtocolName;
  readonly verdict: "works" | "wrong_call" | "no_call" | "violation" | "cut" | "refused";
  /** From the request to the call's confirmation; null where none came. */
  readonly firstCallMs: number | null;
  /** What else is worth knowing, on one line. */
  readonly note: string;
}

/** What a probe works with. */
export interface ProbeOptions {
  readonly provider: Provider;
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The tool that is offered. */
export const ECHO: ToolSpec = {
  name: "echo",
  description: "Repeats a word. It changes nothing.",
  parameters: {
    type: "object",
    properties: { text: { type: "string", description: "The word to repeat" } },
    required: ["text"],
  },
};

const WORD = "marmalade";

/** What `protocol` comes to at this endpoint. Never throws: a refusal is a verdict. */
export async function probeProtocol(
  protocol: Protocol,
  options: ProbeOptions,
): Promise<ProbeResult> {
  const since = options.clock.monotonic();
  const seen: Seen = { text: "", call: undefined, violation: undefined };
  const result = (verdict: ProbeResult["verdict"], note: string): ProbeResult => ({
    protocol: protocol.name,
    verdict,
    firstCallMs: seen.call?.ms ?? null,
    note,
  });
  try {
    const why = await listen(protocol, options, (event) => {
      note(seen, event, options.clock.monotonic() - since);
    });
    if (seen.call?.right) return result("works", "");
    if (seen.call) return result("wrong_call", `It called ${seen.call.shown}`);
    if (why !== undefined) return result("cut", why);
    if (seen.violation !== undefined) return result("violation", seen.violation);
    return result(
      "no_call",
      seen.text === "" ? "It said nothing" : `It said "${clip(seen.text, 60)}"`,
    );
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return result("refused", error.message);
  }
}

interface Seen {
  text: string;
  call: { readonly right: boolean; readonly ms: number; readonly shown: string } | undefined;
  violation: string | undefined;
}

function note(seen: Seen, event: Confirmed, ms: number): void {
  if (event.kind === "text") seen.text += event.text;
  if (event.kind === "violation") seen.violation ??= event.violation.message;
  if (event.kind !== "ready") return;
  const { name, arguments: args } = event.call;
  const right = name === ECHO.name && String(args.text).trim() === WORD;
  seen.call ??= { right, ms, shown: clip(`${name} ${JSON.stringify(args)}`, 80) };
}

/** Reads one reply to its end; returns why it was cut, if it was. */
async function listen(
  protocol: Protocol,
  { provider, client, signal }: ProbeOptions,
  take: (event: Confirmed) => void,
): Promise<string | undefined> {
  const { system, tools } = protocol.describe([ECHO]);
  const { body } = buildRequest(provider, {
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system } as const]),
      { role: "user", content: `Call the tool echo once, with the text ${WORD}. Do nothing else.` },
    ],
    tools,
  });
  const stream = await client.openStream(body, signal);
  const transducer = protocol.createTransducer(DEFAULT_LIMITS);
  for (;;) {
    const step = await stream.next();
    if (step.kind === "ended") {
      transducer.end(step.how).forEach(take);
      return step.why;
    }
    const events = step.deltas.flatMap((delta) => transducer.push(delta));
    events.forEach(take);
    if (events.some((event) => event.kind === "violation" || event.kind === "stop")) {
      stream.stop();
      return undefined;
    }
  }
}

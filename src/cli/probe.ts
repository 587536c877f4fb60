/** `cst-agent probe`: which of the five protocols does an endpoint really do (SPEC 10)? */
import { EXIT } from "../errors.ts";
import { PROTOCOL_NAMES } from "../protocol/mod.ts";
import { findKey, findProvider, type Provider } from "../provider/catalog.ts";
import { createModelClient } from "../provider/client.ts";
import { probeProtocol, type ProbeResult } from "../provider/probe.ts";
import { findProxyVariable } from "../provider/proxy.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import type { World } from "./command.ts";
import { readProtocol } from "./read_options.ts";

/** What the command takes. */
export const PROBE_SPEC: CommandSpec = {
  name: "probe",
  usage: "probe [--provider NAME] [--model NAME] [--base-url URL] [--protocol P]",
  summary: "Asks a model for one harmless call in each protocol and says which of them work.",
  options: [
    {
      name: "provider",
      value: "NAME",
      help: "deepseek (default), minimax, openai, openrouter, ollama or custom",
    },
    { name: "model", short: "m", value: "NAME", help: "Model name as the server knows it" },
    { name: "base-url", value: "URL", help: "Where the server is" },
    { name: "protocol", value: "P", many: true, help: "Only this protocol; may be given again" },
    { name: "json", help: "One JSON object a line" },
  ],
  example: "cst-agent probe --provider ollama --model qwen3-coder",
};

/** Probes one protocol after the other. Returns 0 when at least one works, else 4. */
export async function probe(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, PROBE_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(PROBE_SPEC));
    return EXIT.done;
  }
  const named = parsed.values("protocol");
  const protocols = (named.length > 0 ? named : PROTOCOL_NAMES).map(readProtocol);
  const provider = readProvider(parsed, world.env);
  const client = createModelClient({
    provider,
    key: findKey(provider, world.env),
    clock: world.clock,
    proxyVariable: findProxyVariable(provider.baseUrl, world.env),
    onWait: (wait) => world.stderr(`${wait.message} (waiting ${wait.seconds.toFixed(1)} s)\n`),
  });
  let working = 0;
  for (const protocol of protocols) {
    if (world.signal.aborted) return EXIT.cancelled;
    const { clock, signal } = world;
    const result = await probeProtocol(protocol, { provider, client, clock, signal });
    if (result.verdict === "works") working++;
    world.stdout(parsed.flag("json") ? JSON.stringify(result) + "\n" : row(result));
  }
  return working > 0 ? EXIT.done : EXIT.provider;
}

function readProvider(parsed: Parsed, env: World["env"]): Provider {
  const name = parsed.value("provider") ?? (env.CST_PROVIDER || "deepseek");
  const stage = name === "sim";
  return findProvider(stage ? "custom" : name, {
    baseUrl: parsed.value("base-url") ?? (env.CST_BASE_URL || undefined),
    model: parsed.value("model") ?? (env.CST_MODEL || (stage ? "sim" : undefined)),
  });
}

const WORDS: { readonly [verdict in ProbeResult["verdict"]]: string } = {
  works: "works",
  wrong_call: "another call than asked for",
  no_call: "no call",
  violation: "malformed call",
  cut: "reply cut off",
  refused: "refused",
};

/** `ctl-heredoc  works  first call after 1.24 s`. */
function row({ protocol, verdict, firstCallMs, note }: ProbeResult): string {
  const parts = [
    ...(firstCallMs === null ? [] : [`first call after ${(firstCallMs / 1000).toFixed(2)} s`]),
    ...(note === "" ? [] : [note]),
  ];
  return `${protocol.padEnd(12)} ${WORDS[verdict].padEnd(28)} ${parts.join("; ")}`.trimEnd() + "\n";
}

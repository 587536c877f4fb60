/** Asks a simulated model over HTTP and reads its answer as plain as can be. */
import type { Sim } from "../../src/sim/server.ts";
import { startSim } from "../../src/sim/server.ts";
import type { SimOptions } from "../../src/sim/options.ts";
import { STEADY } from "../../src/sim/options.ts";

/** What came of a request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Arguments of native calls, joined. */
  readonly calls: readonly { id: string; name: string; arguments: string }[];
  readonly finish: string | null;
  readonly usage: unknown;
  readonly done: boolean;
  /** The connection broke. */
  readonly broken: boolean;
}

/** A real clock for tests of the network. */
export const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
  random: () => 0.5,
};

/** Starts a model for the time of `use`. */
export async function withSim(
  options: Partial<SimOptions> & Pick<SimOptions, "plan">,
  use: (sim: Sim) => Promise<void>,
): Promise<void> {
  const sim = startSim({
    clock,
    ...STEADY,
    ...options,
  });
  try {
    await use(sim);
  } finally {
    await sim.stop();
  }
}

/** Sends `messages` and reads the whole answer. */
export async function ask(
  sim: Sim,
  messages: readonly unknown[],
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const response = await fetch(`${sim.url}/chat/completions`, {
    method: "POST",
    body: new Blob([JSON.stringify({ model: "sim", stream: true, messages, ...more })]),
  });
  const { text: raw, broken } = await readAll(response);
  const answer = { text: "", finish: null as string | null, usage: undefined as unknown };
  const calls: { id: string; name: string; arguments: string }[] = [];
  const lines = raw.split("\n\n").filter((event) => event.startsWith("data: {"));
  for (const chunk of lines.map((line) => JSON.parse(line.slice(6)))) {
    if (chunk.usage) answer.usage = chunk.usage;
    const choice = chunk.choices[0];
    if (!choice) continue;
    answer.text += choice.delta.content ?? "";
    answer.finish = choice.finish_reason ?? answer.finish;
    for (const piece of choice.delta.tool_calls ?? []) {
      const call = calls[piece.index] ??= { id: "", name: "", arguments: "" };
      call.id += piece.id ?? "";
      call.name += piece.function.name ?? "";
      call.arguments += piece.function.arguments ?? "";
    }
  }
  return {
    ...answer,
    calls,
    status: response.status,
    done: raw.includes("data: [DONE]"),
    broken,
  };
}

async function readAll(response: Response): Promise<{ text: string; broken: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
    return { text, broken: false };
  } catch {
    return { text, broken: true };
  }
}

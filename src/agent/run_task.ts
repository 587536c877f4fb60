/**
 * A task from its settings to its end: the parts are put together, then the loop runs, once a prompt. The command
 * line, the chat and the evaluation all come through here, so that what is measured is what ships.
 */
import { ConfigError, exitCodeOf } from "../errors.ts";
import type { Protocol } from "../protocol/protocol.ts";
import { createProtocol, PROTOCOL_NAMES } from "../protocol/mod.ts";
import type { LiveSession } from "../session/conversation.ts";
import { createEventMasker } from "../session/redact_values.ts";
import type { Clock, Files } from "../system/system.ts";
import { TOOL_SPECS } from "../tools/specs.ts";
import type { Gate } from "./gate.ts";
import { readInstructions } from "./instructions.ts";
import { outcomeEvent, type RunEnd, runLoop } from "./loop.ts";
import type { Calls } from "./open_calls.ts";
import { describeTask } from "./prompt.ts";
import type { TaskSettings, TaskWorld } from "./task.ts";

/**
 * How long a request is left alone on its way out, in ms: it leaves by the thread that would otherwise start a process
 * for the sandbox's trial.
 */
const HEAD_START_MS = 3;

/** What is known before the session begins: its header holds the system prompt. */
export interface PreparedTask {
  readonly settings: TaskSettings;
  readonly protocol: Protocol;
  readonly system: string;
  readonly tools?: readonly unknown[];
  readonly notices: readonly string[];
}

/** A task that takes prompts. */
export interface Task {
  /** Takes what the user says to its end; the outcome was told to the listener. Throws `SessionError` when it can't be recorded. */
  run(prompt: string, signal: AbortSignal): Promise<RunEnd>;
  /** The gate, once all that a call needs is there; `run` sees to that by itself, while the first answer is awaited. */
  ready(): Promise<Gate>;
}

/** The protocol, the prompt and the project's instructions for `settings`. */
export async function prepareTask(settings: TaskSettings, files: Files): Promise<PreparedTask> {
  const protocol = createProtocol(settings.protocol);
  if (!protocol) {
    throw new ConfigError(
      `Unknown protocol "${settings.protocol}": there are ${PROTOCOL_NAMES.join(", ")}`,
    );
  }
  const instructions = await readInstructions(files, settings.cwd);
  const described = describeTask({
    cwd: settings.cwd,
    platform: settings.platform,
    protocol,
    tools: TOOL_SPECS,
    instructions: instructions.text,
  });
  return {
    settings,
    protocol,
    ...described,
    // As the header of the session has it: what is sent can be rebuilt from the file.
    system: settings.redactor.mask(described.system),
    notices: instructions.notice === undefined ? [] : [instructions.notice],
  };
}

/** Opens the task on `session`; `dataFolder` is where whole outputs and pre-images are kept beside it. */
export function openTask(
  prepared: PreparedTask,
  session: LiveSession,
  parts: { readonly world: TaskWorld; readonly dataFolder: string },
): Task {
  const { settings } = prepared;
  const { clock } = parts.world;
  const masker = createEventMasker(settings.redactor);
  const world: TaskWorld = {
    ...parts.world,
    listen: (event) => masker.push(event).forEach(parts.world.listen),
  };
  let opening: Promise<Calls> | undefined;

  async function open(request?: Promise<unknown>): Promise<Calls> {
    if (request) await Promise.race([request.catch(() => {}), clock.sleep(HEAD_START_MS)]);
    const { openCalls } = await import("./open_calls.ts");
    return await openCalls(settings, session, { ...parts, world });
  }

  return {
    ready: async () => (await (opening ??= open())).gate,
    async run(prompt, signal) {
      const limit = createTimeLimit(settings.timeoutMs, signal, clock);
      try {
        session.append({ kind: "user", text: prompt });
        world.listen({ kind: "user", text: prompt });
        const end = await runLoop({
          protocol: prepared.protocol,
          provider: settings.provider,
          client: world.client,
          session,
          clock,
          limits: settings.limits,
          openSite: async (request) => (await (opening ??= open(request))).siteFor(limit.signal),
          listen: world.listen,
          system: prepared.system,
          ...(prepared.tools ? { tools: prepared.tools } : {}),
          signal: limit.signal,
          maxSteps: settings.maxSteps,
          ...(world.takeQueued ? { takeQueued: world.takeQueued } : {}),
        });
        await session.sync();
        world.listen(outcomeEvent(end, exitCodeOf(end.outcome)));
        return { ...end, text: settings.redactor.mask(end.text) };
      } finally {
        limit.stop();
        masker.end().forEach(parts.world.listen);
      }
    },
  };
}

/** A signal that also aborts, with the reason `timeout`, when the run has taken `ms`. */
function createTimeLimit(
  ms: number | null,
  signal: AbortSignal,
  clock: Clock,
): { readonly signal: AbortSignal; stop(): void } {
  if (ms === null) return { signal, stop: () => {} };
  const timer = new AbortController();
  const over = new AbortController();
  void clock.sleep(ms, over.signal).then(() => {
    if (!over.signal.aborted) timer.abort("timeout");
  });
  return { signal: AbortSignal.any([signal, timer.signal]), stop: () => over.abort() };
}

/**
 * A task from its settings to its end: the parts are put together, then the loop runs, once a prompt. The command
 * line, the chat and the evaluation all come through here, so that what is measured is what ships.
 */
import type { AgentEvent, ProtocolName } from "../vocab.ts";
import { ConfigError, exitCodeOf } from "../errors.ts";
import type { Limits, Protocol } from "../protocol/protocol.ts";
import { createProtocol, PROTOCOL_NAMES } from "../protocol/mod.ts";
import type { CommandLine } from "../permission/shell_syntax.ts";
import { createPolicy } from "../permission/policy.ts";
import type { Rules } from "../permission/rules.ts";
import type { Provider } from "../provider/catalog.ts";
import type { ModelClient } from "../provider/model_stream.ts";
import type { LiveSession } from "../session/conversation.ts";
import { dataNameOf } from "../session/find.ts";
import type { Redactor } from "../session/redact.ts";
import { createEventMasker } from "../session/redact_values.ts";
import type { Clock, Files, Processes } from "../system/system.ts";
import { TOOLS } from "../tools/mod.ts";
import { recoverJournal } from "../tools/transaction.ts";
import type { ToolWorld } from "../tools/tool.ts";
import { type Approval, createGate, type Gate, type Question } from "./gate.ts";
import { readInstructions } from "./instructions.ts";
import { outcomeEvent, type RunEnd, runLoop } from "./loop.ts";
import { describeTask } from "./prompt.ts";
import { gatherFacts } from "./resolve.ts";
import type { CallSite } from "./settle.ts";

/** What a task is run with; every field is settled, nothing is looked up in flags or environment any more. */
export interface TaskSettings {
  readonly protocol: ProtocolName;
  readonly provider: Provider;
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly platform: string;
  readonly rules: Rules;
  readonly limits: Limits;
  /** Bytes of a call's output that the model is shown (SPEC 2.8). */
  readonly outputCap: number;
  readonly maxSteps: number;
  readonly timeoutMs: number | null;
  readonly killBackground: boolean;
  /** Where programs are looked up and what HOME is. */
  readonly env: { readonly [name: string]: string };
  /** The environment of commands, secrets taken out. */
  readonly childEnv: { readonly [name: string]: string };
  /** Files and folders that no tool may write. */
  readonly ownPaths: readonly string[];
  readonly sandbox: Sandbox;
  /** Masks what must not be told: keys, and what `--redact` names. */
  readonly redactor: Redactor;
}

/** What is around every command. */
export interface Sandbox {
  /** What the start line says of it. */
  readonly words: string;
  wrap(argv: readonly [string, ...string[]], around: Around): readonly [string, ...string[]];
}

/** What a command may touch now. */
export interface Around {
  readonly rules: Rules;
  /** Whole outputs are in it, to be read; its `tmp` is the command's `/tmp`. Absolute, links resolved. */
  readonly dataFolder: string;
}

/** What a task works with. */
export interface TaskWorld {
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly client: ModelClient;
  /** Reads a command line; loaded only when one must be read. */
  readCommand(text: string): Promise<CommandLine>;
  listen(event: AgentEvent): void;
  /** Asks a person for a permission; absent where nobody can be asked. */
  approve?(question: Question, signal: AbortSignal): Promise<Approval>;
  /** What a person typed meanwhile; it goes out with the next request. */
  takeQueued?(): readonly string[];
}

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
  readonly gate: Gate;
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
    tools: TOOLS.map(({ spec }) => spec),
    instructions: instructions.text,
  });
  return {
    settings,
    protocol,
    ...described,
    notices: instructions.notice === undefined ? [] : [instructions.notice],
  };
}

/** Opens the task on `session`; `dataFolder` is where whole outputs and pre-images are kept beside it. */
export async function openTask(
  prepared: PreparedTask,
  session: LiveSession,
  parts: { readonly world: TaskWorld; readonly dataFolder: string },
): Promise<Task> {
  const { settings } = prepared;
  const masker = createEventMasker(settings.redactor);
  const world: TaskWorld = {
    ...parts.world,
    listen: (event) => masker.push(event).forEach(parts.world.listen),
  };
  await world.files.mkdir(`${parts.dataFolder}/tmp`, { recursive: true, mode: 0o700 });
  const dataFolder = await world.files.realPath(parts.dataFolder);
  for (const notice of await recoverJournal(world.files, dataFolder)) {
    world.listen({ kind: "notice", message: notice });
  }
  const gate = await openGate(settings, world, dataFolder);
  const seen = new Map<string, string>();

  function siteFor(signal: AbortSignal): CallSite {
    return {
      tools: TOOLS,
      gate,
      session,
      signal,
      monotonic: () => world.clock.monotonic(),
      listen: world.listen,
      redact: settings.redactor.mask,
      toolWorld: (call, n, shell): ToolWorld => ({
        cwd: settings.cwd,
        files: world.files,
        processes: world.processes,
        clock: world.clock,
        env: settings.childEnv,
        callId: dataNameOf({ n, id: call.id }),
        spillDir: dataFolder,
        outputCap: settings.outputCap,
        signal,
        shell,
        killBackground: settings.killBackground,
        mayRead: gate.mayRead,
        seen,
        createMask: settings.redactor.createStream,
        onOutput: (text) => world.listen({ kind: "tool_output", id: call.id, text }),
      }),
    };
  }

  return {
    gate,
    async run(prompt, signal) {
      const limit = createTimeLimit(settings.timeoutMs, signal, world.clock);
      try {
        session.append({ kind: "user", text: prompt });
        world.listen({ kind: "user", text: prompt });
        const end = await runLoop({
          protocol: prepared.protocol,
          provider: settings.provider,
          client: world.client,
          session,
          clock: world.clock,
          limits: settings.limits,
          site: siteFor(limit.signal),
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

async function openGate(
  settings: TaskSettings,
  world: TaskWorld,
  dataFolder: string,
): Promise<Gate> {
  const facts = await gatherFacts(world.files, settings.rules, {
    cwd: settings.cwd,
    env: settings.env,
    ownPaths: settings.ownPaths,
    foldCase: settings.platform === "darwin",
  });
  return createGate({
    files: world.files,
    cwd: settings.cwd,
    path: settings.env.PATH ?? "",
    policy: createPolicy(settings.rules, facts),
    readCommand: world.readCommand,
    ...(world.approve ? { approve: world.approve } : {}),
    sandbox: (argv, rules) => settings.sandbox.wrap(argv, { rules, dataFolder }),
  });
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

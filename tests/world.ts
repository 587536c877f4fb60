/**
 * A task in a made-up world: a model that says what a test tells it to, a clock that stands still, a temporary folder.
 * Files, the session and commands are real; the network isn't there.
 */
import type { AgentEvent, Delta, JsonObject, ProtocolName, ToolCall } from "../src/vocab.ts";
import { openTask, prepareTask, type Task } from "../src/agent/run_task.ts";
import type { TaskWorld } from "../src/agent/task.ts";
import type { RunEnd } from "../src/agent/loop.ts";
import { ProviderError } from "../src/errors.ts";
import { readPermissionFlags } from "../src/permission/flags.ts";
import { createRules } from "../src/permission/rules.ts";
import { readCommandLine } from "../src/permission/shell.ts";
import { createProtocol } from "../src/protocol/mod.ts";
import { DEFAULT_LIMITS } from "../src/protocol/protocol.ts";
import { findProvider, type Provider } from "../src/provider/catalog.ts";
import type { ModelClient, ModelStream } from "../src/provider/model_stream.ts";
import type { StreamEnded } from "../src/provider/stream_end.ts";
import { type LiveSession, liveSession } from "../src/session/conversation.ts";
import { dataFolderOf } from "../src/session/find.ts";
import { createSession, type OpenedSession, openSession } from "../src/session/log.ts";
import type { SessionRecord, StoredRecord } from "../src/session/records.ts";
import { createRedactor, type Redactor } from "../src/session/redact.ts";
import { maskRecord } from "../src/session/redact_values.ts";
import { createClock } from "../src/system/clock.ts";
import { createFiles } from "../src/system/files.ts";
import { createLogFiles } from "../src/system/log_file.ts";
import { createProcesses, findSetsid } from "../src/system/process_group.ts";
import type { Clock } from "../src/system/system.ts";

/** What the model answers to one request. */
export interface Answer {
  readonly deltas: readonly Delta[];
  /** How the stream ends; finished with `stop` unless told. */
  readonly end?: Partial<Omit<StreamEnded, "kind">>;
  /** The request comes to nothing. */
  readonly error?: ProviderError;
  /** Happens before the delta with this number, or before the end. */
  readonly before?: { readonly [at: number]: () => void };
}

/** A clock in whose world waits take no time, but for those that are longer than any retry. */
export interface StillClock extends Clock {
  /** The waits that took no time, in ms. */
  readonly slept: readonly number[];
  /** Ends the waits that are longer than {@linkcode LONG_MS}. */
  ring(): void;
}

/** A wait longer than this lasts until `ring`. */
export const LONG_MS = 100_000;

export function createStillClock(): StillClock {
  const slept: number[] = [];
  const waiting = new Set<() => void>();
  let ticks = 0;
  return {
    slept,
    now: () => Date.UTC(2026, 11, 1) + ticks++,
    monotonic: () => ticks++,
    random: () => 0,
    sleep(ms, signal) {
      if (ms <= LONG_MS) {
        slept.push(ms);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        waiting.add(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    },
    ring: () => waiting.forEach((resolve) => resolve()),
  };
}

/** The client that gives `answers` in order; `onRequest` gets each body first. */
export function createScriptedClient(
  answers: readonly Answer[],
  onRequest: (body: JsonObject) => void,
): ModelClient {
  let next = 0;
  return {
    openStream(body, signal) {
      onRequest(body);
      const answer = answers[next++];
      if (!answer) return Promise.reject(new ProviderError("The script is over"));
      if (answer.error) return Promise.reject(answer.error);
      return Promise.resolve(createScriptedStream(answer, signal));
    },
  };
}

function createScriptedStream(answer: Answer, signal: AbortSignal): ModelStream {
  let at = 0;
  let stopped = false;
  const end = (more: Partial<StreamEnded>): StreamEnded => ({
    kind: "ended",
    how: "complete",
    cause: "finished",
    retryable: false,
    tooLong: false,
    finishReason: "stop",
    usage: { inputTokens: 100, outputTokens: 10 },
    receivedBytes: 1,
    notes: [],
    ...more,
  });
  return {
    next() {
      answer.before?.[at]?.();
      const delta = answer.deltas[at++];
      if (stopped) {
        return Promise.resolve(end({ how: "cut", cause: "stopped", finishReason: null }));
      }
      if (signal.aborted) {
        const why = "Cancelled";
        return Promise.resolve(end({ how: "cut", cause: "cancelled", why, finishReason: null }));
      }
      return Promise.resolve(delta ? { kind: "deltas", deltas: [delta] } : end(answer.end ?? {}));
    },
    stop() {
      stopped = true;
    },
  };
}

/** A connection that broke. */
export const LOST = {
  how: "cut",
  cause: "lost",
  why: "The connection was lost",
  retryable: true,
  finishReason: null,
  usage: null,
} as const;

/** A call of a text protocol or of JSON, as the model would mean it. */
export function callOf(id: string, name: string, args: JsonObject): ToolCall {
  return { id, name, arguments: args, values: "json" };
}

/** The answer by which a model says `text` and makes `calls`. */
export function saying(
  protocol: ProtocolName,
  text: string,
  calls: readonly ToolCall[] = [],
  end?: Answer["end"],
): Answer {
  return { deltas: createProtocol(protocol)!.encode(text, calls), ...end ? { end } : {} };
}

/** What a rig is made of beside its answers. */
export interface RigOptions {
  readonly protocol?: ProtocolName;
  /** Permission flags; `-A` unless told. */
  readonly flags?: readonly string[];
  readonly maxSteps?: number;
  readonly timeoutMs?: number;
  readonly outputCap?: number;
  readonly provider?: Partial<Provider>;
  readonly approve?: TaskWorld["approve"];
  readonly takeQueued?: () => readonly string[];
  readonly redactor?: Redactor;
  /** Puts into the project what is there before the task. */
  readonly furnish?: (cwd: string) => void;
  /** Hears of every event as it happens. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Gets each request body and the session's file as it is then. */
  readonly onRequest?: (body: JsonObject) => void;
}

/** A task that can be run. */
export interface Rig {
  /** The project. */
  readonly cwd: string;
  readonly sessionPath: string;
  readonly session: LiveSession;
  readonly system: string;
  readonly provider: Provider;
  readonly events: readonly AgentEvent[];
  readonly bodies: readonly JsonObject[];
  readonly clock: StillClock;
  readonly task: Task;
  run(prompt?: string, signal?: AbortSignal): Promise<RunEnd>;
  /** What the session file holds, the envelope left out. */
  records(): SessionRecord[];
}

/** Runs `test` with a task whose model gives `answers`, in a temporary folder that is removed after it. */
export async function withRig(
  answers: readonly Answer[],
  options: RigOptions,
  test: (rig: Rig) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-rig-" }));
  const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
  const rig = await openRig(top, answers, { ...options, processes });
  try {
    await test(rig);
  } finally {
    rig.session.close();
    await processes.close();
    Deno.removeSync(top, { recursive: true });
  }
}

async function openRig(
  top: string,
  answers: readonly Answer[],
  options: RigOptions & { readonly processes: TaskWorld["processes"] },
): Promise<Rig> {
  const cwd = `${top}/project`;
  Deno.mkdirSync(cwd, { recursive: true });
  options.furnish?.(cwd);
  const protocol = options.protocol ?? "ctl-heredoc";
  const files = createFiles();
  const clock = createStillClock();
  const events: AgentEvent[] = [];
  const bodies: JsonObject[] = [];
  const redactor = options.redactor ?? createRedactor([]);
  const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: top };
  const provider = {
    ...findProvider("custom", { baseUrl: "http://127.0.0.1/v1", model: "m" }),
    ...options.provider,
  };
  const prepared = await prepareTask({
    protocol,
    provider,
    cwd,
    platform: "linux",
    rules: createRules(readPermissionFlags(options.flags ?? ["-A"]).flags, cwd),
    limits: DEFAULT_LIMITS,
    outputCap: options.outputCap ?? 24_000,
    maxSteps: options.maxSteps ?? 50,
    timeoutMs: options.timeoutMs ?? null,
    killBackground: false,
    env,
    childEnv: env,
    ownPaths: [`${top}/sessions`],
    redactor,
  }, files);
  const sessionPath = `${top}/sessions/s.jsonl`;
  const parts = {
    logFiles: createLogFiles(),
    clock,
    mask: (record: SessionRecord) => maskRecord(redactor, record),
  };
  const opened = createSession(sessionPath, {
    id: "s",
    cwd,
    protocol,
    provider: provider.name,
    model: provider.model,
    system: prepared.system,
  }, parts);
  const session = wake(opened, protocol);
  const { approve, takeQueued } = options;
  const task = openTask(prepared, session, {
    dataFolder: dataFolderOf(sessionPath),
    world: {
      files,
      processes: options.processes,
      clock,
      client: createScriptedClient(answers, (body) => {
        bodies.push(structuredClone(body));
        options.onRequest?.(body);
      }),
      openSandbox: () => Promise.resolve({ words: "rules only", wrap: (argv) => argv }),
      readCommand: (text) => Promise.resolve(readCommandLine(text, { home: top })),
      listen(event) {
        events.push(event);
        options.onEvent?.(event);
      },
      ...approve ? { approve } : {},
      ...takeQueued ? { takeQueued } : {},
    },
  });
  return {
    cwd,
    sessionPath,
    session,
    system: prepared.system,
    provider,
    events,
    bodies,
    clock,
    task,
    run: (prompt = "Go", signal = new AbortController().signal) => task.run(prompt, signal),
    records: () => readRecords(sessionPath),
  };
}

/** The session that `opened` holds, its open message closed in the words of `protocol`. */
function wake(opened: OpenedSession, protocol: ProtocolName): LiveSession {
  return liveSession(
    opened,
    (text, calls) =>
      createProtocol(protocol)!.encode(text, calls).map((delta) =>
        delta.kind === "text" ? delta.text : ""
      ).join(""),
  );
}

/** Goes on with the session in `path`, as `--continue` does. */
export async function resume(path: string, protocol: ProtocolName): Promise<LiveSession> {
  const parts = { logFiles: createLogFiles(), clock: createStillClock() };
  return wake(await openSession(path, parts), protocol);
}

/** The records in a session file, without number, time and checksum. */
export function readRecords(path: string): SessionRecord[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => {
    const { n: _, time: __, crc: ___, ...record } = JSON.parse(line) as StoredRecord;
    return record;
  });
}

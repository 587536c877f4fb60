/** Settings → a task that takes prompts: the client of the server, the session, and the sandbox when it's wanted. */
import { openTask, prepareTask } from "../agent/run_task.ts";
import type { Sandbox } from "../agent/task.ts";
import { ConfigError, SessionError } from "../errors.ts";
import { createModelClient } from "../provider/client.ts";
import type { ModelClient } from "../provider/model_stream.ts";
import { findProxyVariable } from "../provider/proxy.ts";
import type { Recorder } from "../provider/record.ts";
import { type LiveSession, liveSession } from "../session/conversation.ts";
import {
  dataFolderOf,
  findSession,
  listSessions,
  newestSession,
  newSessionId,
  sessionPath,
} from "../session/find.ts";
import { createSession, type OpenedSession, openSession } from "../session/log.ts";
import type { SessionRecord } from "../session/records.ts";
import { maskRecord } from "../session/redact_values.ts";
import { FileError } from "../system/system.ts";
import type { AgentEvent, ToolCall } from "../vocab.ts";
import { absolute, type World } from "./command.ts";
import type { Face, OpenedTask, SessionChoice } from "./face.ts";
import type { FaceSettings } from "./settings.ts";

/** The task that `settings` describe. The listener hears of its start when it's ready for calls, and of nothing before. */
export async function openFaceTask(
  settings: FaceSettings,
  world: World,
  face: Face,
): Promise<OpenedTask> {
  const prepared = await prepareTask(settings.task, world.files);
  const told = tellAfterStart(face.listen);
  const client = await openClient(settings, world, told.listen);
  const opened = await openLog(settings, world, {
    choice: face.choice,
    system: prepared.system,
    write: (text, calls) =>
      prepared.protocol.encode(text, calls).map((delta) => delta.kind === "text" ? delta.text : "")
        .join(""),
  });
  const { session } = opened;

  async function openAround(): Promise<Sandbox> {
    const { openSandbox } = await import("./open_sandbox.ts");
    const sandbox = await openSandbox(settings, world);
    face.listen({
      kind: "start",
      session: session.id,
      protocol: settings.task.protocol,
      provider: settings.task.provider.name,
      model: settings.task.provider.model,
      cwd: settings.task.cwd,
      sandbox: sandbox.words,
    });
    for (const message of [...prepared.notices, ...opened.notices]) {
      face.listen({ kind: "notice", message });
    }
    told.start();
    return sandbox;
  }

  const task = openTask(prepared, session, {
    dataFolder: dataFolderOf(session.path),
    world: {
      files: world.files,
      processes: world.processes,
      clock: world.clock,
      client,
      openSandbox: openAround,
      readCommand: async (text) =>
        (await import("../permission/shell.ts")).readCommandLine(text, {
          home: world.env.HOME ?? null,
        }),
      listen: told.listen,
      ...(face.approve ? { approve: face.approve } : {}),
      ...(face.takeQueued ? { takeQueued: face.takeQueued } : {}),
    },
  });
  // What was asked for in so many words must be there before anything is sent.
  if (settings.sandboxMode === "bwrap") await orClose(task.ready(), session);
  return { session, task, close: () => session.close() };
}

/** What `opening` gives; a session that comes to nothing is let go. */
export async function orClose<T>(
  opening: Promise<T>,
  session: Pick<LiveSession, "close">,
): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    session.close();
    throw error;
  }
}

/** A listener that holds its events until `start`: the first request leaves before the sandbox is known. */
function tellAfterStart(
  listen: (event: AgentEvent) => void,
): { listen(event: AgentEvent): void; start(): void } {
  let held: AgentEvent[] | undefined = [];
  return {
    listen: (event) => held ? void held.push(event) : listen(event),
    start() {
      const events = held ?? [];
      held = undefined;
      events.forEach(listen);
    },
  };
}

async function openClient(
  settings: FaceSettings,
  world: World,
  listen: (event: AgentEvent) => void,
): Promise<ModelClient> {
  const { provider, redactor } = settings.task;
  if (settings.replayDir !== undefined) {
    const { createReplayClient } = await import("../provider/replay.ts");
    return await createReplayClient(world.files, absolute(settings.replayDir, world));
  }
  const recorder = settings.recordDir === undefined
    ? undefined
    : await openRecorder(absolute(settings.recordDir, world), redactor.mask, listen);
  return createModelClient({
    provider,
    key: settings.key,
    clock: world.clock,
    retries: settings.retries,
    idleMs: settings.idleMs,
    proxyVariable: findProxyVariable(provider.baseUrl, world.env),
    recorder,
    onWait: (wait) => listen({ kind: "wait", ...wait }),
  });
}

async function openRecorder(
  folder: string,
  redact: (text: string) => string,
  listen: (event: AgentEvent) => void,
): Promise<Recorder> {
  const { createRecorder } = await import("../provider/record.ts");
  const { openRecordingFolder } = await import("../system/recording_folder.ts");
  try {
    return createRecorder(openRecordingFolder(folder), {
      redact,
      onFailure: (message) => listen({ kind: "notice", message }),
    });
  } catch (error) {
    if (error instanceof FileError) throw new ConfigError(error.message);
    throw error;
  }
}

/** The session to write to: a new one, or one that goes on. */
async function openLog(
  settings: FaceSettings,
  world: World,
  wish: {
    readonly choice: SessionChoice;
    readonly system: string;
    write(text: string, calls: readonly ToolCall[]): string;
  },
): Promise<{ readonly session: LiveSession; readonly notices: readonly string[] }> {
  const { task, sessionDir } = settings;
  const { logFiles } = world;
  const mask = (record: SessionRecord) => maskRecord(task.redactor, record);
  const parts = { logFiles, clock: world.clock, mask };
  const now = {
    protocol: task.protocol,
    provider: task.provider.name,
    model: task.provider.model,
    system: wish.system,
  };
  if (wish.choice.kind === "new") {
    const id = newSessionId(world.clock);
    const created = start(sessionPath(sessionDir, id), { id, cwd: task.cwd, ...now }, parts);
    return { session: liveSession(created, wish.write), notices: created.notices };
  }
  const path = wish.choice.kind === "named"
    ? findSession(sessionDir, wish.choice.id, logFiles)
    : newestPath(settings, world);
  const opened = await openSession(path, parts, { repair: wish.choice.repair });
  const session = liveSession(opened, wish.write);
  const before = session.settings();
  if (
    before?.protocol !== now.protocol || before.provider !== now.provider ||
    before.model !== now.model || before.system !== now.system
  ) session.append({ kind: "settings", ...now });
  return { session, notices: opened.notices };
}

/** `createSession`, whose error names the option that helps. */
function start(...args: Parameters<typeof createSession>): OpenedSession {
  try {
    return createSession(...args);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new SessionError(`${error.message} (--session-dir names another folder)`);
  }
}

/** The file of the newest session, this folder's first. A damaged one isn't passed over where there is no other. */
function newestPath({ task, sessionDir }: FaceSettings, { logFiles }: World): string {
  const list = listSessions(sessionDir, logFiles);
  const newest = newestSession(list, task.cwd);
  if (newest) return newest.path;
  const damaged = list.unreadable.at(-1);
  throw new SessionError(
    damaged === undefined
      ? list.refused.at(-1) ?? `There is no session to go on with in "${sessionDir}"`
      : `Cannot go on with "${damaged}": its first line can't be read`,
  );
}

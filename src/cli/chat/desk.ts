/** The task that the chat talks to: opened, opened anew with other settings, changed for another session. */
import { SessionError, UserError } from "../../errors.ts";
import { dataFolderOf, newSessionId, sessionPath } from "../../session/find.ts";
import { createSession } from "../../session/log.ts";
import { readSession } from "../../session/verify.ts";
import type { Parsed } from "../args.ts";
import type { World } from "../command.ts";
import type { Rules } from "../../permission/rules.ts";
import type { Face, OpenedTask, SessionChoice } from "../face.ts";
import { openFaceTask, orClose } from "../open_task.ts";
import { type FaceSettings, readSettings } from "../settings.ts";
import { undoLastEdits } from "../sessions_undo.ts";

/** What was given on the command line, and what was changed since. */
export interface Wishes {
  readonly parsed: Parsed;
  readonly permissionWords: readonly string[];
}

/** Flags as if given on the command line (`{ model: "x" }`); undefined as if not given. */
export interface FlagValues {
  readonly [flag: string]: string | undefined;
}

/** The open task. */
export interface Desk {
  readonly settings: FaceSettings;
  readonly opened: OpenedTask;
  /** What is around commands, as the start line says it. */
  readonly sandbox: string;
  /** With what was granted meanwhile. */
  readonly rules: Rules;
  /** Keeps a permission flag that a person granted, so that it still holds after a change; not in another session. */
  keep(flag: string): void;
  /** Goes on with the same session under other flags and more permissions. Throws `UserError`; then nothing has changed. */
  change(values: FlagValues, words?: readonly string[]): Promise<void>;
  switchTo(choice: SessionChoice): Promise<void>;
  /** A new session that begins with all that this one holds. */
  fork(): Promise<string>;
  /** Takes the last edits back; returns the paths. */
  undo(notice: (text: string) => void): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens the task that `wishes` describe. */
export async function openDesk(
  wishes: Wishes,
  world: World,
  given: Face,
): Promise<Desk> {
  let now = wishes;
  /** What was granted in this session. */
  let granted: readonly string[] = [];
  let sandbox = "";
  const face: Face = {
    ...given,
    listen(event) {
      if (event.kind === "start") sandbox = event.sandbox;
      given.listen(event);
    },
  };
  let settings = await readSettings(now, world);
  let { opened, gate } = await open(settings, face.choice);

  function settle({ parsed, permissionWords }: Wishes): Promise<FaceSettings> {
    return readSettings({ parsed, permissionWords: [...permissionWords, ...granted] }, world);
  }

  /** A task that is ready for calls: a person sees the sandbox and the rules before the first word. */
  async function open(wanted: FaceSettings, choice: SessionChoice) {
    const opened = await openFaceTask(wanted, world, { ...face, choice });
    return { opened, gate: await orClose(opened.task.ready(), opened.session) };
  }

  async function reopen(choice: SessionChoice, next: Wishes): Promise<void> {
    const wanted = await settle(next);
    const { session } = opened;
    const before = session.id;
    opened.close();
    try {
      ({ opened, gate } = await open(wanted, choice));
      settings = wanted;
      now = next;
      if (opened.session.id !== before) await removeUnused(session, world);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      ({ opened, gate } = await open(settings, named(before)));
      throw error;
    }
  }

  return {
    get settings() {
      return settings;
    },
    get opened() {
      return opened;
    },
    get sandbox() {
      return sandbox;
    },
    get rules() {
      return gate.rules();
    },
    keep(flag) {
      granted = [...granted, flag];
    },
    change: (values, words = []) =>
      reopen(named(opened.session.id), {
        parsed: withValues(now.parsed, values),
        permissionWords: [...now.permissionWords, ...words],
      }),
    async switchTo(choice) {
      const before = granted;
      granted = [];
      try {
        await reopen(choice, now);
      } catch (error) {
        granted = before;
        throw error;
      }
    },
    async fork() {
      const id = await copySession(opened.session.path, settings.sessionDir, world);
      await reopen(named(id), now);
      return id;
    },
    async undo(notice) {
      const { path, id } = opened.session;
      opened.close();
      try {
        return await undoLastEdits(path, { ...world, stderr: (text) => notice(text.trimEnd()) });
      } finally {
        settings = await settle(now);
        ({ opened, gate } = await open(settings, named(id)));
      }
    },
    async close() {
      opened.close();
      await removeUnused(opened.session, world);
    },
  };
}

/** Removes a session, which is closed, in which nothing was said: nobody wants to find it. */
async function removeUnused(session: OpenedTask["session"], world: World): Promise<void> {
  if (session.turns().length > 0) return;
  for (const path of [session.path, dataFolderOf(session.path)]) {
    await world.files.remove(path).catch(() => {});
  }
}

function named(id: string): SessionChoice {
  return { kind: "named", id, repair: false };
}

/** `parsed` with other values for some options. */
function withValues(parsed: Parsed, values: FlagValues): Parsed {
  const has = (name: string) => Object.hasOwn(values, name);
  return {
    ...parsed,
    value: (name) => has(name) ? values[name] : parsed.value(name),
    values: (name) =>
      has(name) ? [values[name]].filter((it) => it !== undefined) : parsed.values(name),
  };
}

/** Copies the records of the session `path` to a new one, whose header names where it comes from. */
async function copySession(path: string, folder: string, world: World): Promise<string> {
  const { records } = readSession(path, world.logFiles);
  const [header, ...rest] = records;
  if (header?.kind !== "header") throw new SessionError(`Cannot read the session "${path}"`);
  const id = newSessionId(world.clock);
  const { cwd, protocol, provider, model, system } = header;
  const { log } = createSession(sessionPath(folder, id), {
    id,
    cwd,
    protocol,
    provider,
    model,
    system,
    parent: header.id,
  }, { logFiles: world.logFiles, clock: world.clock });
  try {
    for (const { n: _n, time: _time, crc: _crc, ...record } of rest) log.append(record);
    await log.sync();
  } finally {
    log.close();
  }
  return id;
}

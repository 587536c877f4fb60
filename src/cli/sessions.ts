/** `cst-agent sessions`: looks at sessions, exports and checks them, and takes their last edits back (SPEC 10). */
import { EXIT, SessionError, UsageError } from "../errors.ts";
import { findSession, listSessions, newestSession, type SessionInfo } from "../session/find.ts";
import { foldRecords } from "../session/fold.ts";
import { readSession, verifySession } from "../session/verify.ts";
import { type CommandSpec, helpText, nearest, parseCommandLine, type Parsed } from "./args.ts";
import { absolute, type World } from "./command.ts";
import { sessionDirOf } from "./session_dir.ts";
import { undoLastEdits } from "./sessions_undo.ts";
import { transcriptOf } from "./transcript.ts";
import { htmlOf } from "./transcript_html.ts";
import { markdownOf } from "./transcript_markdown.ts";

/** What the command takes. */
export const SESSIONS_SPEC: CommandSpec = {
  name: "sessions",
  usage: "sessions list | show [ID] | export [ID] | verify [ID] | undo [ID]",
  summary:
    "Looks at sessions. Without an ID it's the newest of this folder; the start of an ID is enough.",
  options: [
    { name: "session-dir", value: "DIR", help: "Where sessions lie" },
    { name: "format", value: "md|html|json", help: "What export writes (default: md)" },
    { name: "output", short: "o", value: "FILE", help: "A new file for the export" },
    { name: "json", help: "list: one JSON object a line" },
    { name: "here", help: "list: only sessions of this folder" },
  ],
  example: "cst-agent sessions export 20261201 --format html -o session.html",
};

interface Job {
  readonly parsed: Parsed;
  readonly folder: string;
  readonly world: World;
}

const ACTIONS: { readonly [name: string]: (job: Job) => Promise<number> | number } = {
  list,
  show,
  export: exportSession,
  verify,
  undo,
};

/** Runs the action that `argv` names. Returns 0; 1 when `verify` finds damage or `undo` nothing to undo. */
export async function sessionsCommand(
  argv: readonly string[],
  world: World,
): Promise<number> {
  const parsed = parseCommandLine(argv, SESSIONS_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(SESSIONS_SPEC));
    return EXIT.done;
  }
  const [name = "list"] = parsed.positional;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) {
    const near = nearest(name, Object.keys(ACTIONS)) ?? Object.keys(ACTIONS).join(", ");
    throw new UsageError(`Unknown action "sessions ${name}": did you mean ${near}?`);
  }
  const extra = parsed.positional[name === "list" ? 1 : 2];
  if (extra !== undefined) throw new UsageError(`Cannot take "${extra}": one session at a time`);
  return await action({ parsed, folder: sessionDirOf(parsed.value("session-dir"), world), world });
}

function list({ parsed, folder, world }: Job): number {
  const { sessions, unreadable, refused } = listSessions(folder, world.logFiles);
  const shown = parsed.flag("here")
    ? sessions.filter(({ header }) => header.cwd === world.cwd)
    : sessions;
  for (const session of shown) {
    world.stdout(
      parsed.flag("json") ? `${JSON.stringify(asJson(session))}\n` : `${asLine(session)}\n`,
    );
  }
  for (const path of unreadable) world.stderr(`Cannot read "${path}": it is no session\n`);
  for (const why of refused) world.stderr(`${why}\n`);
  if (sessions.length === 0) world.stderr(`There is no session in "${folder}"\n`);
  return EXIT.done;
}

function asJson({ id, path, header, started, ended, records, title, bytes }: SessionInfo) {
  const { cwd, protocol, provider, model } = header;
  return { id, path, cwd, protocol, provider, model, started, ended, records, title, bytes };
}

/** `20261201-020000-0a1b2c  2026-12-01 02:00   16 records  calc   The tests fail: mend them` */
function asLine({ id, ended, records, header, title }: SessionInfo): string {
  const count = `${String(records).padStart(5)} records`;
  const folder = header.cwd.split("/").at(-1) || "/";
  return visible(
    `${id}  ${ended.slice(0, 16).replace("T", " ")}  ${count}  ${folder}  ${title}`,
  );
}

function show(job: Job): number {
  const view = readMeant(job);
  job.world.stdout(visible(markdownOf(transcriptOf(view.records))));
  return endOfView(view, job.world);
}

async function exportSession(job: Job): Promise<number> {
  const { parsed, world } = job;
  const format = parsed.value("format") ?? "md";
  const view = readMeant(job);
  const text = exported(format, view.records);
  const output = parsed.value("output");
  if (output === undefined) world.stdout(text);
  else {
    const path = absolute(output, world);
    await world.files.createSynced(path, new TextEncoder().encode(text), 0o600);
  }
  return endOfView(view, world);
}

type Records = ReturnType<typeof readSession>["records"];

function exported(format: string, records: Records): string {
  switch (format) {
    case "md":
      return markdownOf(transcriptOf(records));
    case "html":
      return htmlOf(transcriptOf(records));
    case "json":
      return `${JSON.stringify({ records, turns: foldRecords(records).turns() }, null, 2)}\n`;
    default:
      throw new UsageError(`Cannot export as "${format}": the formats are md, html and json`);
  }
}

function verify(job: Job): number {
  const path = meantPath(job);
  const { records, fault, openCalls } = verifySession(path, job.world.logFiles);
  if (fault !== undefined) {
    job.world.stderr(`${fault}\n`);
    return EXIT.agentError;
  }
  const open = openCalls.length === 0
    ? ""
    : `; no result yet: ${openCalls.join(", ")} (running, or interrupted)`;
  job.world.stdout(`"${path}" is whole: ${records} records${open}\n`);
  return EXIT.done;
}

async function undo(job: Job): Promise<number> {
  const paths = await undoLastEdits(meantPath(job), job.world);
  if (paths.length === 0) {
    job.world.stderr("There is no edit to undo in this session\n");
    return EXIT.agentError;
  }
  for (const path of paths) job.world.stdout(`Put back: ${visible(path)}\n`);
  return EXIT.done;
}

/** The session that is named, or the newest of this folder. */
function meantPath({ parsed, folder, world }: Job): string {
  const id = parsed.positional[1];
  if (id !== undefined) return findSession(folder, id, world.logFiles);
  const newest = newestSession(listSessions(folder, world.logFiles), world.cwd);
  if (!newest) throw new SessionError(`There is no session in "${folder}"`);
  return newest.path;
}

function readMeant(job: Job): ReturnType<typeof readSession> {
  const view = readSession(meantPath(job), job.world.logFiles);
  if (view.records.length === 0) throw new SessionError(view.fault ?? "The session is empty");
  return view;
}

/** What is shown of a damaged session is what stands before the damage, and says so. */
function endOfView({ fault }: { readonly fault?: string }, world: World): number {
  if (fault === undefined) return EXIT.done;
  world.stderr(`${fault}: shown up to there\n`);
  return EXIT.agentError;
}

/** Text for a terminal: nothing in it moves the cursor or turns the text around. */
function visible(text: string): string {
  return text.replace(
    // deno-lint-ignore no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}

/** Enter: what was written is a message, a command of the chat or a command of the person's own; one at a time. */
import { EXIT, UserError } from "../../errors.ts";
import { clipOutput } from "../../text/clip.ts";
import { childEnv } from "../../tools/child_env.ts";
import { harmless, type Row, row } from "./layout.ts";
import { expandMentions } from "./mentions.ts";
import type { Site } from "./site.ts";
import { findSlash, runSlash } from "./slash.ts";
import type { Talk } from "./talk_state.ts";

/** Bytes of the output of a command of one's own that the model is offered. */
const OFFERED_BYTES = 24_000;
/** Lines of a message that are shown when it's sent. */
const MESSAGE_ROWS = 12;

/** Sends what is written, or does what it says. */
export function submit(talk: Talk): void {
  const { prompt, view } = talk;
  if (prompt.endsWithBackslash()) return prompt.continueLine();
  const typed = prompt.draft().text;
  if (typed.trim() === "") return;
  const isCommand = typed.startsWith("/") && !/^\/\S*\//.test(typed);
  if (isCommand) {
    const called = findSlash(typed);
    if (typeof called === "string") return view.say(called, "red");
    if (talk.work && !called.command.anytime) {
      return view.say(
        `/${called.command.name} waits until the work is done (Esc stops it)`,
        "yellow",
      );
    }
    sent(talk, typed);
    view.add([userRow(typed)]);
    const slash = (signal: AbortSignal) => runSlash(called, siteOf(talk, signal));
    if (talk.work) return void slash(talk.work.controller.signal).then(() => talk.painter.draw());
    return begin(talk, slash);
  }
  if (typed.startsWith("!")) {
    if (talk.work) {
      return view.say(
        "A command of your own waits until the work is done (Esc stops it)",
        "yellow",
      );
    }
    sent(talk, typed);
    view.add([userRow(typed)]);
    return begin(talk, (signal) => runOwn(talk, typed.slice(1).trim(), signal));
  }
  sent(talk, typed);
  if (talk.work) talk.queue.push(typed);
  else begin(talk, (signal) => runTask(talk, typed, signal));
}

/** The message is on its way: Up brings it back, in this chat and in later ones. */
function sent({ prompt, history }: Talk, text: string): void {
  prompt.sent();
  history.add(text);
}

/** Starts work; when it's done, what was queued meanwhile is next, or comes back to the prompt after a cancel. */
function begin(talk: Talk, job: (signal: AbortSignal) => Promise<void>): void {
  const controller = new AbortController();
  const done = job(controller.signal).then(() => {
    talk.work = null;
    const queued = talk.queue.splice(0);
    if (queued.length > 0) {
      if (controller.signal.aborted) talk.prompt.giveBack(queued.join("\n"));
      else begin(talk, (signal) => runTask(talk, queued.join("\n"), signal));
    }
    talk.painter.draw();
  }, (error) => {
    talk.work = null;
    talk.painter.fail(error);
  });
  talk.work = { controller, done };
}

async function runTask(talk: Talk, typed: string, signal: AbortSignal): Promise<void> {
  const { desk, view } = talk;
  view.gap();
  view.add([...messageRows(typed), row("")]);
  const text = await prepare(talk, typed);
  if (signal.aborted) return talk.prompt.giveBack(typed);
  try {
    await desk.opened.task.run(text, signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    view.say(error.message, "red");
  }
}

/** The message as the model gets it: files put in, the output of own commands behind, for its beginning is the session's title. */
async function prepare(talk: Talk, typed: string): Promise<string> {
  const { desk, world, view } = talk;
  const { text, notices } = await expandMentions(typed, desk.settings.task.cwd, world.files);
  for (const notice of notices) view.say(notice, "yellow");
  return [text, ...talk.offered.splice(0)].join("\n\n");
}

/** Hands over what was typed while the model worked. */
export function takeQueued(talk: Talk): readonly string[] {
  const queued = talk.queue.splice(0);
  if (queued.length > 0) talk.view.gap();
  for (const text of queued) talk.view.add(messageRows(text));
  return queued;
}

function userRow(text: string): Row {
  return [{ text: "> ", style: "cyan" }, { text: harmless(text), style: "bold" }];
}

/** A message as it stays above; of a long paste the beginning. */
function messageRows(text: string): Row[] {
  const lines = text.split("\n");
  const shown = lines.length > MESSAGE_ROWS ? lines.slice(0, MESSAGE_ROWS) : lines;
  const hidden = lines.length - shown.length;
  return [...shown.map(userRow), ...(hidden > 0 ? [row(`  … ${hidden} more lines`, "dim")] : [])];
}

/** Runs a command of the person's own; its output goes with the next message. */
async function runOwn(talk: Talk, command: string, signal: AbortSignal): Promise<void> {
  const { exit, output } = await shell(talk, command, signal);
  if (output.trim() !== "") talk.view.say(output.trimEnd());
  talk.view.say(`exit ${exit}; the model sees it with your next message`, "dim");
  talk.offered.push(
    `I ran \`${command}\` (exit ${exit}):\n${clipOutput(output, OFFERED_BYTES)}`,
  );
}

async function shell(
  talk: Talk,
  command: string,
  signal: AbortSignal,
): Promise<{ exit: number; output: string }> {
  const { world, desk } = talk;
  const decoder = new TextDecoder();
  let output = "";
  const end = await world.processes.runGroup({
    argv: ["/bin/sh", "-c", command],
    cwd: desk.settings.task.cwd,
    env: childEnv(world.env, { keyNames: [], pass: Object.keys(world.env), scoped: false }),
    timeoutMs: 600_000,
    signal,
    killBackground: false,
    onOutput: (chunk) => output = (output + decoder.decode(chunk, { stream: true })).slice(-1e6),
  });
  return { exit: end.exit, output };
}

function siteOf(talk: Talk, signal: AbortSignal): Site {
  const { desk, world, view, terminal, painter } = talk;
  return {
    desk,
    world,
    signal,
    say: view.say,
    add: view.add,
    columns: () => terminal.size().columns,
    shell: (command) => shell(talk, command, signal),
    clear() {
      terminal.write("\x1b[H\x1b[2J");
      painter.forget();
    },
    leave: () => talk.leave(EXIT.done),
  };
}

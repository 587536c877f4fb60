/** The loop of the chat: keys and events in, one drawing out; a task after the other until the person leaves. */
import type { Approval, Question } from "../../agent/gate.ts";
import { EXIT, UserError } from "../../errors.ts";
import { childEnv } from "../../tools/child_env.ts";
import { clipOutput } from "../../text/clip.ts";
import type { Terminal } from "../../system/terminal.ts";
import type { World } from "../command.ts";
import type { SessionChoice } from "../face.ts";
import { type Asking, startAsking } from "./asking.ts";
import { type Desk, openDesk, type Wishes } from "./desk.ts";
import { createPrompt, type Prompt } from "./prompt.ts";
import { createKeyReader, type Key } from "./keys.ts";
import { type Row, row } from "./layout.ts";
import { expandMentions, mentionCandidates } from "./mentions.ts";
import { createPainter, type Painter } from "./painter.ts";
import { findSlash, runSlash, type Site, slashCandidates } from "./slash.ts";
import { createView, type View } from "./view.ts";

/** A second Ctrl-C within so many milliseconds leaves. */
const TWICE_MS = 2_000;
/** Bytes of the output of a command of one's own that the model is offered. */
const OFFERED_BYTES = 24_000;

/** What is being done for the person; nothing of it may run beside something else. */
interface Work {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Everything that a talk has. */
interface Talk {
  readonly world: World;
  readonly terminal: Terminal;
  readonly desk: Desk;
  readonly view: View;
  readonly prompt: Prompt;
  readonly painter: Painter;
  work: Work | null;
  asking: Asking | null;
  queue: string[];
  /** Commands of the person's own whose output goes with the next message. */
  offered: string[];
  lastCtrlC: number;
  leave(code: number): void;
}

/** Talks until the person leaves or a signal ends it. */
export async function holdTalk(
  start: { readonly wishes: Wishes; readonly choice: SessionChoice },
  world: World,
  open: () => Terminal,
): Promise<number> {
  /** Events come while the task opens, before there is a talk. */
  const stage: { talk?: Talk; terminal?: Terminal } = {};
  const view = createView({
    columns: () => stage.terminal?.size().columns ?? 80,
    now: () => world.clock.monotonic(),
  });
  const desk = await openDesk(start.wishes, world, {
    choice: start.choice,
    listen(event) {
      view.listen(event);
      stage.talk?.painter.touch();
    },
    approve: (question, signal) => askPerson(stage.talk!, question, signal),
    takeQueued: () => takeQueued(stage.talk!),
  });
  const terminal = stage.terminal = open();
  const end = Promise.withResolvers<number>();
  const prompt = createPrompt(
    desk.opened.session.turns().flatMap((turn) => turn.kind === "user" ? [turn.text] : []),
  );
  const painter = createPainter({
    terminal,
    clock: world.clock,
    color: !world.env.NO_COLOR,
    failed: (error) => end.reject(error),
    status: () => ({ desk, view, prompt, asking: talk.asking, queue: talk.queue }),
  });
  const talk: Talk = stage.talk = {
    world,
    terminal,
    desk,
    view,
    prompt,
    painter,
    work: null,
    asking: null,
    queue: [],
    offered: [],
    lastCtrlC: -TWICE_MS,
    leave: end.resolve,
  };
  try {
    greet(talk);
    listenForEnd(talk, end);
    painter.start();
    readKeys(talk).then(() => end.resolve(EXIT.done), end.reject);
    const code = await end.promise;
    await stopWork(talk, code);
    return code;
  } finally {
    painter.stop();
    terminal.restore();
    await desk.close();
  }
}

function greet({ desk, view }: Talk): void {
  const { session } = desk.opened;
  const goesOn = session.turns().length > 0
    ? `, goes on after ${session.turns().length} turns`
    : "";
  view.add([
    [{ text: "cst-agent", style: "bold" }, {
      text: ` in ${desk.settings.task.cwd}`,
      style: "plain",
    }],
    row(`session ${session.id}${goesOn} · ${desk.sandbox}`, "dim"),
    row("Say what to do. /help lists commands, Esc stops, Ctrl-D leaves.", "dim"),
    row(""),
  ]);
}

/** SIGTERM, SIGHUP or a terminal that is gone end the talk. */
function listenForEnd(talk: Talk, end: PromiseWithResolvers<number>): void {
  const { world, terminal } = talk;
  const bySignal = () => end.resolve(SIGNAL_EXIT[String(world.signal.reason)] ?? EXIT.cancelled);
  world.signal.addEventListener("abort", bySignal);
  if (world.signal.aborted) bySignal();
  terminal.gone.addEventListener("abort", () => end.resolve(SIGNAL_EXIT.SIGHUP!));
}

const SIGNAL_EXIT: { readonly [signal: string]: number } = {
  SIGINT: EXIT.cancelled,
  SIGTERM: EXIT.terminated,
  SIGHUP: 129,
};

/** Ends what still runs, with the reason that the session then tells. */
async function stopWork(talk: Talk, code: number): Promise<void> {
  if (!talk.work) return;
  talk.work.controller.abort(code === EXIT.done ? "esc" : String(talk.world.signal.reason));
  await talk.work.done;
}

async function readKeys(talk: Talk): Promise<void> {
  const { terminal, world } = talk;
  const reader = createKeyReader();
  let last = -Infinity;
  let timer = new AbortController();
  function take(keys: readonly Key[]): void {
    for (const key of keys) handleKey(talk, key);
    if (keys.length > 0) talk.painter.draw();
  }
  for await (const bytes of terminal.keys()) {
    timer.abort();
    const now = world.clock.monotonic();
    take(reader.push(bytes, now - last));
    last = now;
    const wait = reader.waitMs();
    if (wait === null) continue;
    timer = new AbortController();
    const { signal } = timer;
    void world.clock.sleep(wait, signal).then(() => {
      if (!signal.aborted) take(reader.flush());
    });
  }
}

function handleKey(talk: Talk, key: Key): void {
  const { prompt, terminal, asking } = talk;
  if (key.kind === "key") {
    switch (key.name) {
      case "escape":
        return void (cancel(talk) || prompt.dismiss());
      case "ctrl-c":
        return ctrlC(talk);
      case "ctrl-d":
        if (prompt.draft().text === "" && !asking) return talk.leave(EXIT.done);
        return prompt.take({ kind: "key", name: "delete" });
      case "ctrl-z":
        return suspend(talk);
      case "ctrl-l":
        terminal.write("\x1b[H\x1b[2J");
        return talk.painter.forget();
    }
  }
  if (asking) return asking.take(key);
  if (key.kind === "key" && key.name === "tab") return void complete(talk);
  if (key.kind === "key" && key.name === "enter") return submit(talk);
  prompt.take(key);
}

function suspend(talk: Talk): void {
  talk.painter.clear();
  talk.terminal.suspend();
}

/** Stops what is being done; false when nothing is. */
function cancel(talk: Talk): boolean {
  if (!talk.work) return false;
  talk.work.controller.abort("esc");
  return true;
}

/** The first stops, or takes back what is written; the second leaves. */
function ctrlC(talk: Talk): void {
  const now = talk.world.clock.monotonic();
  const twice = now - talk.lastCtrlC < TWICE_MS;
  talk.lastCtrlC = now;
  if (twice) return talk.leave(EXIT.cancelled);
  if (cancel(talk)) return;
  if (talk.prompt.draft().text !== "") return talk.prompt.putAside();
  talk.view.say("Ctrl-C again leaves", "dim");
}

async function complete(talk: Talk): Promise<void> {
  const { prompt, desk, world } = talk;
  const { text, cursor } = prompt.draft();
  const word = /\S*$/.exec(text.slice(0, cursor))![0];
  const before = prompt.draft();
  const candidates = word.startsWith("@")
    ? await mentionCandidates(word, desk.settings.task.cwd, world.files)
    : word.startsWith("/") && word.length === cursor
    ? slashCandidates(word)
    : [];
  // What was typed while the folder was read counts more.
  if (prompt.draft() === before) prompt.complete(word, candidates);
  talk.painter.draw();
}

function submit(talk: Talk): void {
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
    prompt.sent();
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
    prompt.sent();
    view.add([userRow(typed)]);
    return begin(talk, (signal) => runOwn(talk, typed.slice(1).trim(), signal));
  }
  prompt.sent();
  if (talk.work) talk.queue.push(typed);
  else begin(talk, (signal) => runTask(talk, typed, signal));
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
  view.add([row(""), ...typed.split("\n").map(userRow), row("")]);
  const text = await prepare(talk, typed);
  if (signal.aborted) return talk.prompt.giveBack(typed);
  try {
    await desk.opened.task.run(text, signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    view.say(error.message, "red");
  }
}

/** The message as the model gets it: files put in, the output of own commands in front. */
async function prepare(talk: Talk, typed: string): Promise<string> {
  const { desk, world, view } = talk;
  const { text, notices } = await expandMentions(typed, desk.settings.task.cwd, world.files);
  for (const notice of notices) view.say(notice, "yellow");
  return [...talk.offered.splice(0), text].join("\n\n");
}

function takeQueued(talk: Talk): readonly string[] {
  const queued = talk.queue.splice(0);
  for (const text of queued) talk.view.add(text.split("\n").map(userRow));
  return queued;
}

function userRow(text: string): Row {
  return [{ text: "> ", style: "cyan" }, { text, style: "bold" }];
}

function askPerson(talk: Talk, question: Question, signal: AbortSignal): Promise<Approval> {
  const { view, painter, prompt, world } = talk;
  return startAsking({
    question,
    signal,
    prompt,
    view,
    clock: world.clock,
    columns: () => talk.terminal.size().columns,
    changed: () => painter.draw(),
    granted: (flag) => talk.desk.keep(flag),
    show: (asking) => {
      talk.asking = asking;
      painter.draw();
    },
  });
}

/** Runs a command of the person's own; its output goes with the next message. */
async function runOwn(talk: Talk, command: string, signal: AbortSignal): Promise<void> {
  const { exit, output } = await shell(talk, command, signal);
  talk.view.say(output.trimEnd());
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
    shell: (command) => shell(talk, command, signal),
    clear() {
      terminal.write("\x1b[H\x1b[2J");
      painter.forget();
    },
    leave: () => talk.leave(EXIT.done),
  };
}

/** The loop of the chat: keys and events in, one drawing out; a task after the other until the person leaves. */
import type { Approval, Question } from "../../agent/gate.ts";
import { EXIT } from "../../errors.ts";
import type { Terminal } from "../../system/terminal.ts";
import type { AgentEvent } from "../../vocab.ts";
import type { World } from "../command.ts";
import type { SessionChoice } from "../face.ts";
import { startAsking } from "./asking.ts";
import { type Desk, openDesk, type Wishes } from "./desk.ts";
import { openHistory } from "./history.ts";
import { createPrompt } from "./prompt.ts";
import { createKeyReader, type Key } from "./keys.ts";
import { row } from "./layout.ts";
import { mentionCandidates } from "./mentions.ts";
import { createPainter } from "./painter.ts";
import { withContext } from "./question_diff.ts";
import { slashCandidates } from "./slash.ts";
import { submit, takeQueued } from "./submit.ts";
import type { Talk } from "./talk_state.ts";
import { createView } from "./view.ts";

/** A second Ctrl-C within so many milliseconds leaves. */
const TWICE_MS = 2_000;

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
      // To record a call and start its process takes the event loop milliseconds: what was said is drawn before.
      if (event.kind === "ready") stage.talk?.painter.draw();
      else stage.talk?.painter.touch(isReply(event) ? "reply" : "run");
    },
    approve: (question, signal) => askPerson(stage.talk!, question, signal),
    takeQueued: () => takeQueued(stage.talk!),
  });
  const terminal = stage.terminal = open();
  const end = Promise.withResolvers<number>();
  const history = openHistory({
    path: `${desk.settings.sessionDir}/prompts.ndjson`,
    cwd: desk.settings.task.cwd,
    logFiles: world.logFiles,
    mask: desk.settings.task.redactor.mask,
    failed: (why) => view.say(why, "yellow"),
  });
  const prompt = createPrompt(history.before.length > 0 ? history.before : saidIn(desk));
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
    history,
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
    await stopWork(talk);
    const { session } = desk.opened;
    if (session.turns().length > 0) {
      view.say(`cst-agent chat --session ${session.id} goes on from here`, "dim");
    }
    return code;
  } finally {
    painter.stop();
    terminal.restore();
    await desk.close();
  }
}

/** What the person said in the session that goes on. */
function saidIn({ opened }: Desk): string[] {
  return opened.session.turns().flatMap((turn) => turn.kind === "user" ? [turn.text] : []);
}

/** A piece of what the model says. */
function isReply({ kind }: AgentEvent): boolean {
  return kind === "text" || kind === "reasoning" || kind === "piece";
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
async function stopWork(talk: Talk): Promise<void> {
  if (!talk.work) return;
  const { signal } = talk.world;
  talk.work.controller.abort(signal.aborted ? String(signal.reason) : "esc");
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

async function askPerson(
  talk: Talk,
  asked: Question,
  signal: AbortSignal,
): Promise<Approval> {
  const { view, painter, prompt, world } = talk;
  const { cwd } = talk.desk.settings.task;
  const call = asked.access.kind === "write"
    ? await withContext(asked.call, cwd, world.files)
    : asked.call;
  return await startAsking({
    question: { ...asked, call },
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

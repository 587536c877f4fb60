/**
 * How long a key takes to its echo, and a token from its arrival to the screen, in ms: while nothing happens, and
 * while a command floods the program with output.
 *
 * Usage: deno run -A scripts/bench/terminal.ts
 *
 * The chat is the real one with the real processes; the terminal is a made-up one that notes when what was written. A
 * token has arrived when the read of the response's body resolves. The stream isn't read while a command runs, so the
 * tokens that meet a flood are those right in front of a call that floods (its output streams before they could be
 * drawn), and those behind it (its 10 MB have just been read, masked and kept).
 */
import { CHAT_SPEC } from "../../src/cli/chat/chat.ts";
import { holdTalk } from "../../src/cli/chat/talk.ts";
import { parseCommandLine } from "../../src/cli/args.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFiles } from "../../src/system/files.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import type { Terminal } from "../../src/system/terminal.ts";
import { runs, streamOf } from "../../tests/cli/chat/answers.ts";

const KEYS = 60;
const TOKENS = 40;
const FLOODS = 20;
const LINE = "a line of output like many others";
/** Ends with Esc: 10 MB alone are over before the third key. */
const ENDLESS_FLOOD = `yes '${LINE}'`;
const FLOOD = `yes '${LINE}' | head -c 10000000`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const keys = new TransformStream<Uint8Array, Uint8Array>();
const typist = keys.writable.getWriter();
const waiting = new Map<string, (ms: number) => void>();
const terminal: Terminal = {
  size: () => ({ columns: 100, rows: 30 }),
  keys: () => keys.readable,
  write(text) {
    const now = performance.now();
    for (const [sought, found] of waiting) {
      if (!text.includes(sought)) continue;
      waiting.delete(sought);
      found(now);
    }
  },
  gone: new AbortController().signal,
  suspend() {},
  onResize() {},
  onResume() {},
  restore() {},
};

/** When `text` is written. */
function seen(text: string): Promise<number> {
  return new Promise((resolve) => waiting.set(text, resolve));
}

/** When each token was read from the response. */
const arrived = new Map<string, number>();
const read = ReadableStreamDefaultReader.prototype.read;
ReadableStreamDefaultReader.prototype.read = async function () {
  const step = await read.call(this);
  const now = performance.now();
  if (step.value instanceof Uint8Array) {
    const text = new TextDecoder().decode(step.value);
    for (const [token] of text.matchAll(/(?:token|front|behind)\d+\./g)) arrived.set(token, now);
  }
  return step;
};

let requests = 0;
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
  const step = requests++;
  const body = step === 0 ? streamOf([runs(ENDLESS_FLOOD)]) : step === 1 ? slowTokens() : streamOf([
    `behind${step - 2}.\n\nfront${step - 2}.\n`,
    ...(step - 2 < FLOODS ? [runs(FLOOD)] : []),
  ]);
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
});

function slowTokens(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
      for (let i = 0; i < TOKENS; i++) {
        await pause(25);
        send(streamOf([`token${i}.\n`], true));
      }
      send("data: [DONE]\n\n");
      controller.close();
    },
  });
}

function report(name: string, took: number[]): void {
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor((took.length - 1) * share)]!.toFixed(1);
  console.log(
    `${name.padEnd(46)} median ${at(0.5)}  p95 ${at(0.95)}  most ${at(1)} ms (n ${took.length})`,
  );
}

/** Types characters from `from` on, one at a time. */
async function typeKeys(name: string, from: number): Promise<void> {
  const took: number[] = [];
  for (let i = from; i < from + KEYS; i++) {
    const character = String.fromCodePoint(0x4e00 + i);
    const echo = seen(character);
    const pressed = performance.now();
    await typist.write(new TextEncoder().encode(character));
    took.push(await echo - pressed);
    await pause(15);
  }
  report(name, took);
}

async function press(text: string): Promise<void> {
  await typist.write(new TextEncoder().encode(text));
  await pause(50);
}

/** When each of the tokens is on the screen; looked for from now on. */
function watch(word: string, count: number): (first: number) => Promise<number[]> {
  const names = Array.from({ length: count }, (_, i) => `${word}${i}.`);
  const shown = names.map(seen);
  return async (first) => {
    const times = await Promise.all(shown);
    return times.map((time, i) => time - arrived.get(names[i]!)!).slice(first);
  };
}

const top = Deno.makeTempDirSync();
const clock = createClock();
const processes = createProcesses({ clock, setsid: findSetsid() });
const talk = holdTalk(
  {
    wishes: {
      parsed: parseCommandLine([
        "--provider=custom",
        "--model=m",
        `--base-url=http://127.0.0.1:${server.addr.port}/v1`,
        `--session-dir=${top}/sessions`,
        "--sandbox=off",
      ], CHAT_SPEC),
      permissionWords: ["--allow-run"],
    },
    choice: { kind: "new" },
  },
  {
    files: createFiles(),
    logFiles: createLogFiles(),
    processes,
    clock,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: top,
      NO_COLOR: "1",
      CST_API_KEY: "key-of-the-bench-1234",
    },
    cwd: Deno.realPathSync(top),
    readStdin: () => keys.readable,
    stdout() {},
    stderr() {},
    terminal: { stdin: true, stdout: true, stderr: true },
    signal: new AbortController().signal,
  },
  () => terminal,
);
await seen("custom/m");
await typeKeys("key to echo, nothing else", 0);
const flooding = seen(LINE);
await press("\r");
await flooding;
await typeKeys("key to echo, a command floods", 100);
await press("\x15");
const cancelled = seen("exit 130");
await press("\x1b");
await cancelled;
await pause(300);

const tokens = watch("token", TOKENS);
await press("go");
await press("\r");
report("token arrived to screen, nothing else", await tokens(0));
await pause(300);

const [front, behind] = [watch("front", FLOODS), watch("behind", FLOODS + 1)];
await press("go");
await press("\r");
report("token arrived to screen, 10 MB flood behind it", await front(0));
report("token arrived to screen, behind a 10 MB flood", await behind(1));
await pause(300);
await press("\x04");
await talk;
await processes.close();
await server.shutdown();
Deno.removeSync(top, { recursive: true });
Deno.exit(0);

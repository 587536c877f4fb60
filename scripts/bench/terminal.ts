/**
 * How long a key takes to its echo, and a token to the screen, in ms: while nothing happens, and while a command
 * floods the program with output.
 *
 * Usage: deno run -A scripts/bench/terminal.ts
 *
 * The chat is the real one with the real processes; the terminal is a made-up one that notes when what was written.
 */
import { CHAT_SPEC } from "../../src/cli/chat/chat.ts";
import { holdTalk } from "../../src/cli/chat/talk.ts";
import { parseCommandLine } from "../../src/cli/args.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFiles } from "../../src/system/files.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import type { Terminal } from "../../src/system/terminal.ts";
import { runs } from "../../tests/cli/chat/answers.ts";

const KEYS = 60;
const TOKENS = 40;
/** The flood: many times the 10 MB of the requirement, so that it lasts as long as the measurement. */
const FLOOD = "yes 'a line of output like many others' | head -c 400000000; sleep 0.2";
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const keys = new TransformStream<Uint8Array, Uint8Array>();
const typist = keys.writable.getWriter();
const waiting = new Map<string, (ms: number) => void>();
let written = "";
const terminal: Terminal = {
  size: () => ({ columns: 100, rows: 30 }),
  keys: () => keys.readable,
  write(text) {
    const now = performance.now();
    written = (written + text).slice(-20_000);
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

const sent = new Map<number, number>();
let requests = 0;
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
  const step = requests++;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const say = (content: string) =>
        controller.enqueue(
          new TextEncoder().encode(
            `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
          ),
        );
      if (step === 0) say(runs(FLOOD));
      for (let i = 0; i < (step === 0 ? 0 : TOKENS); i++) {
        await pause(25);
        sent.set(i, performance.now());
        say(`token${i}.\n`);
      }
      controller.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
});

function report(name: string, took: number[]): void {
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor((took.length - 1) * share)]!.toFixed(1);
  console.log(
    `${name.padEnd(34)} median ${at(0.5)}  p95 ${at(0.95)}  most ${at(1)} ms (n ${took.length})`,
  );
}

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

const top = Deno.makeTempDirSync();
const clock = createClock();
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
    processes: createProcesses({ clock, setsid: findSetsid() }),
    clock,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: top, NO_COLOR: "1" },
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
// Looked for from the start: on a quick machine the flood is over before the last key is typed.
const shown = Array.from({ length: TOKENS }, (_, i) => seen(`token${i}.`));
await typist.write(new TextEncoder().encode("\r"));
await seen("like many others");
await typeKeys("key to echo, a command floods", 100);
await typist.write(new TextEncoder().encode("\x15"));
const tokens: number[] = [];
for (let i = 0; i < TOKENS; i++) {
  tokens.push(await shown[i]! - sent.get(i)!);
}
report("token sent to token on the screen", tokens);
await pause(300);
await typist.write(new TextEncoder().encode("\x04"));
await talk;
await server.shutdown();
Deno.removeSync(top, { recursive: true });
Deno.exit(0);

/** The tool `run`: a shell command in its own process group (SPEC 5). */
import type { JsonObject } from "../vocab.ts";
import { FileError, type GroupEnd } from "../system/system.ts";
import { createPlainText, plainLines } from "../text/ansi.ts";
import { utf8Length } from "../text/utf8.ts";
import { createOutputRing } from "./output_ring.ts";
import { createSpill, type SpillEnd } from "./spill.ts";
import { DEFAULT_TIMEOUT_S, RUN_SPEC } from "./specs.ts";
import type { Access, Tool, ToolAnswer, ToolWorld } from "./tool.ts";

/** A command that could not be started at all. */
const EXIT_NOT_STARTED = 126;
/** People are shown at most so much of one command live, in UTF-16 units. */
const LIVE_LIMIT = 256 * 1024;

/** The tool. */
export const runTool: Tool = { spec: RUN_SPEC, needs, run };

function needs(args: JsonObject): readonly Access[] {
  return typeof args.command === "string" ? [{ kind: "run", command: args.command }] : [];
}

async function run(args: JsonObject, world: ToolWorld): Promise<ToolAnswer> {
  const timeoutS = typeof args.timeout_s === "number" ? args.timeout_s : DEFAULT_TIMEOUT_S;
  const output = createOutput(world);
  try {
    const end = await world.processes.runGroup({
      argv: world.shell(String(args.command)),
      cwd: world.cwd,
      env: world.env,
      timeoutMs: timeoutS * 1000,
      signal: world.signal,
      killBackground: world.killBackground,
      onOutput: (chunk) => output.push(chunk),
    });
    const { text, spill } = await output.finish();
    const notices = noticesOf(end, { timeoutS, killBackground: world.killBackground, spill });
    return { exit: end.exit, output: withNotices(text, notices), capped: true };
  } catch (error) {
    await output.finish();
    if (!(error instanceof FileError)) throw error;
    return { exit: EXIT_NOT_STARTED, output: `${whyNotStarted(error, String(args.command))}\n` };
  }
}

function whyNotStarted(error: FileError, command: string): string {
  if (command.includes("\0")) return "A command can't hold a NUL character: write it as an escape";
  if (error.code !== "E2BIG") return error.message;
  return `The command is too long for the system (${utf8Length(command)} bytes): ` +
    "write its text to a file with write_file and use that";
}

/** The output on its three ways: live to people, bounded to the model, whole to the spill file. */
function createOutput(world: ToolWorld) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const plain = createPlainText();
  const ring = createOutputRing(world.outputCap);
  const spill = createSpill(world.files, {
    folder: world.spillDir,
    callId: world.callId,
    ...(world.createMask ? { mask: world.createMask() } : {}),
  });
  let live = 0;

  function show(text: string): void {
    if (text === "" || live >= LIVE_LIMIT) return;
    const shown = text.slice(0, LIVE_LIMIT - live).toWellFormed();
    live += shown.length;
    world.onOutput(live < LIVE_LIMIT ? shown : `${shown}\n[more output is not shown here]\n`);
  }

  function take(text: string): void {
    show(text);
    ring.push(plain.push(text));
  }

  return {
    push(chunk: Uint8Array): void {
      spill.push(chunk);
      // A flood that nobody is shown any more needs no decoding.
      const lines = live < LIVE_LIMIT ? undefined : plainLines(chunk);
      if (lines === undefined) return take(decoder.decode(chunk, { stream: true }));
      take(decoder.decode(chunk.subarray(0, lines.from), { stream: true }));
      ring.pushBytes(chunk.subarray(lines.from, lines.to));
      take(decoder.decode(chunk.subarray(lines.to), { stream: true }));
    },
    async finish(): Promise<{ readonly text: string; readonly spill: SpillEnd }> {
      take(decoder.decode());
      ring.push(plain.end());
      const end = await spill.finish({ keep: ring.isCut });
      return { text: ring.text(end.path), spill: end };
    },
  };
}

/** What the model must know besides the exit code, a sentence each. */
function noticesOf(
  end: GroupEnd,
  context: {
    readonly timeoutS: number;
    readonly killBackground: boolean;
    readonly spill: SpillEnd;
  },
): readonly string[] {
  const notices: string[] = [];
  if (context.spill.fault !== undefined) {
    notices.push(`the whole output was not kept: ${context.spill.fault}`);
  }
  switch (end.reason) {
    case "timeout":
      notices.push(
        `time limit of ${context.timeoutS} s reached: the command and its children were stopped; a longer limit can be asked for with timeout_s`,
      );
      break;
    case "cancelled":
      notices.push("cancelled: the command and its children were stopped");
      break;
    case "exited":
      if (end.signal !== null) notices.push(`the command was killed by ${end.signal}`);
      if (end.backgroundLeft) notices.push(backgroundNotice(context.killBackground));
  }
  return notices;
}

function backgroundNotice(killed: boolean): string {
  return killed
    ? "background processes of the command were stopped"
    : "background processes of the command are still running; what they print from now on is not captured";
}

function withNotices(text: string, notices: readonly string[]): string {
  if (notices.length === 0) return text;
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return body + notices.map((notice) => `[${notice}]\n`).join("");
}

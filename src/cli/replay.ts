/** `cst-agent replay`: recorded streams → confirmed events as NDJSON, or where their calls become executable (SPEC 10). */
import { createStreamReading } from "../agent/reading.ts";
import { EXIT, ProviderError, UsageError } from "../errors.ts";
import { type Measured, measureRecording } from "../eval/truncation.ts";
import { truncationTable } from "../eval/truncation_table.ts";
import { createDecoder } from "../provider/chat_completions.ts";
import { DEFAULT_PROTOCOL } from "../protocol/mod.ts";
import { type CommandSpec, helpText, parseCommandLine, type Parsed } from "./args.ts";
import type { World } from "./command.ts";
import { createReadWriter } from "./events.ts";
import { readInputFile } from "./input_files.ts";
import { LIMIT_OPTIONS, readCount, readLimits, readProtocol } from "./read_options.ts";

/** What the command takes. */
export const REPLAY_SPEC: CommandSpec = {
  name: "replay",
  usage: "replay FILE.sse… [--protocol P] [--chunk N] [--cuts]",
  summary: "Decodes recorded streams and prints what they confirm, one JSON object a line.",
  options: [
    {
      name: "protocol",
      value: "P",
      help: "native-eos, native-inc, ctl, ctl-heredoc or xml " +
        "(default: native-eos if the stream has tool calls, else ctl-heredoc)",
    },
    { name: "chunk", value: "N", help: "Bytes that are decoded at once (default: 16384)" },
    { name: "cuts", help: "Print where calls become executable instead" },
    ...LIMIT_OPTIONS,
  ],
  example: "cst-agent replay 0001.sse --protocol native-inc --chunk 1",
};

/** Replays each file. Returns 0, with violations too. Throws `ProviderError` for a file that is no stream at all. */
export async function replayCommand(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, REPLAY_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(REPLAY_SPEC));
    return EXIT.done;
  }
  if (parsed.positional.length === 0) {
    throw new UsageError("No file to replay: cst-agent replay FILE.sse");
  }
  const cuts = parsed.flag("cuts");
  const measured: Measured[] = [];
  for (const path of parsed.positional) {
    const bytes = await readInputFile(path, world);
    if (parsed.positional.length > 1 && !cuts) world.stderr(`${path}\n`);
    replay(path, bytes, { parsed, out: cuts ? () => {} : (line) => world.stdout(line) });
    if (cuts) measured.push(...measureRecording(path, bytes));
  }
  if (cuts) world.stdout(truncationTable(measured));
  return EXIT.done;
}

interface Job {
  readonly parsed: Parsed;
  out(line: string): void;
}

function replay(path: string, bytes: Uint8Array, { parsed, out }: Job): void {
  const protocol = readProtocol(parsed.value("protocol") ?? guessProtocol(bytes));
  const reading = createStreamReading(protocol, readLimits(parsed));
  const writer = createReadWriter(out);
  const size = readCount(parsed, "chunk") ?? 16_384;
  for (let at = 0; at < bytes.length; at += size) {
    reading.push(bytes.subarray(at, at + size)).forEach(writer.write);
  }
  const last = reading.end();
  if (reading.alien !== undefined) {
    throw new ProviderError(`Cannot replay "${path}": ${reading.alien}`);
  }
  last.forEach(writer.write);
}

/** The protocol that a stream was plainly spoken in. */
function guessProtocol(bytes: Uint8Array): string {
  const decoder = createDecoder();
  const deltas = [...decoder.push(bytes), ...decoder.end()];
  return deltas.some((delta) => delta.kind === "tool_call") ? "native-eos" : DEFAULT_PROTOCOL;
}

/** `cst-agent parse`: what a model wrote, on standard input → confirmed events as NDJSON (SPEC 10). */
import { createStreamReading, createTextReading } from "../agent/reading.ts";
import { EXIT, ProviderError, UsageError } from "../errors.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import { readInput, type World } from "./command.ts";
import { createReadWriter } from "./events.ts";
import { LIMIT_OPTIONS, readLimits, readProtocol } from "./read_options.ts";

/** What the command takes. */
export const PARSE_SPEC: CommandSpec = {
  name: "parse",
  usage: "parse --protocol P [--cut]",
  summary: "Reads a model's text (for native protocols: an event stream) from standard input and " +
    "prints what it confirms, one JSON object a line.",
  options: [
    { name: "protocol", value: "P", help: "native-eos, native-inc, ctl, ctl-heredoc or xml" },
    { name: "cut", help: "The input was cut off: more could have followed" },
    ...LIMIT_OPTIONS,
  ],
  example: "printf 'call c1 run\\narg command ls\\nend\\n' | cst-agent parse --protocol ctl",
};

/** Parses standard input. Returns 0, with violations too: they are data. Throws `ProviderError` if it's no stream at all. */
export async function parseCommand(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, PARSE_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(PARSE_SPEC));
    return EXIT.done;
  }
  const name = parsed.value("protocol");
  if (name === undefined) throw new UsageError('Option "--protocol" is missing: --protocol ctl');
  const [extra] = parsed.positional;
  if (extra !== undefined) {
    throw new UsageError(`Cannot read "${extra}": parse reads standard input (replay reads files)`);
  }
  const protocol = readProtocol(name);
  const create = name.startsWith("native-") ? createStreamReading : createTextReading;
  const reading = create(protocol, readLimits(parsed));
  const writer = createReadWriter((line) => world.stdout(line));
  for await (const chunk of readInput(world)) reading.push(chunk).forEach(writer.write);
  const last = reading.end({ cut: parsed.flag("cut") });
  if (reading.alien !== undefined) {
    throw new ProviderError(`Cannot parse standard input: ${reading.alien}`);
  }
  last.forEach(writer.write);
  return EXIT.done;
}

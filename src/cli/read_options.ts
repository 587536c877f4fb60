/** What the options of several commands stand for. */
import { UsageError } from "../errors.ts";
import { createProtocol, PROTOCOL_NAMES } from "../protocol/mod.ts";
import { DEFAULT_LIMITS, type Limits, type Protocol } from "../protocol/protocol.ts";
import type { ProtocolName } from "../vocab.ts";
import { nearest, type OptionSpec, type Parsed } from "./args.ts";

/** The limits of SPEC 2 as options. */
export const LIMIT_OPTIONS: readonly OptionSpec[] = [
  { name: "line-limit", value: "BYTES", help: "Longest line (default: 65536)" },
  {
    name: "max-arg",
    value: "BYTES",
    help: "Longest argument (default: 16777216, at most 134217728)",
  },
];

/** A call's line holds its arguments whole, so that they must fit into memory several times over. */
const MOST_ARGUMENT = 128 * 1024 * 1024;

/** The limits as given. Throws `UsageError` for what is no positive whole number or more than memory can hold. */
export function readLimits(parsed: Parsed): Limits {
  const argument = readCount(parsed, "max-arg") ?? DEFAULT_LIMITS.argument;
  if (argument > MOST_ARGUMENT) {
    throw new UsageError(`Option "--max-arg" may be ${MOST_ARGUMENT} at most: "${argument}"`);
  }
  return {
    ...DEFAULT_LIMITS,
    line: readCount(parsed, "line-limit") ?? DEFAULT_LIMITS.line,
    argument,
  };
}

/** The positive whole number of an option, if it's given. Throws `UsageError` for anything else. */
export function readCount(parsed: Parsed, name: string): number | undefined {
  const value = parsed.value(name);
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new UsageError(`Option "--${name}" needs a positive whole number: "${value}"`);
}

/** The whole number of an option, 0 too, if it's given. Throws `UsageError` for anything else. */
export function readWhole(parsed: Parsed, name: string): number | undefined {
  const value = parsed.value(name);
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  throw new UsageError(`Option "--${name}" needs a number: "${value}"`);
}

/** The name of a protocol that there is. Throws `UsageError` that names the nearest, or all. */
export function readProtocolName(name: string): ProtocolName {
  const known = PROTOCOL_NAMES.find((it) => it === name);
  if (known) return known;
  const near = nearest(name, PROTOCOL_NAMES);
  const hint = near ? `did you mean "${near}"?` : `there are ${PROTOCOL_NAMES.join(", ")}`;
  throw new UsageError(`Unknown protocol "${name}": ${hint}`);
}

/** The protocol of that name. Throws `UsageError` as {@linkcode readProtocolName} does. */
export function readProtocol(name: string): Protocol {
  return createProtocol(readProtocolName(name))!;
}

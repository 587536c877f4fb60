/** argv → options, or a usage error that names the nearest option. */
import { parseArgs } from "@std/cli/parse-args";
import { UsageError } from "../errors.ts";

/** One option of a command, as `--help` shows it. */
export interface OptionSpec {
  readonly name: string;
  /** One letter, used as `-p`. */
  readonly short?: string;
  /** What stands for the value in help (`FILE`); a flag without value has none. */
  readonly value?: string;
  /** The value may be left out (`--allow-run` or `--allow-run=make`). */
  readonly optionalValue?: boolean;
  /** May be given more than once. */
  readonly many?: boolean;
  readonly help: string;
}

/** What a command takes. */
export interface CommandSpec {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly example: string;
}

/** The options as given; absent ones are absent. */
export interface Parsed {
  readonly positional: readonly string[];
  /** The value of an option, `""` for one whose value was left out. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  flag(name: string): boolean;
}

/** Every command takes this. */
const HELP: OptionSpec = { name: "help", short: "h", help: "Show this help" };

/**
 * Returns the options and positional arguments of `argv`. Throws `UsageError` for an unknown option (naming the
 * nearest), a missing value or one that is given twice. Everything after `--` is positional.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const parsed = parseCommandLine(["-p", "- first item", "--json"], {
 *   name: "run",
 *   usage: "run",
 *   summary: "",
 *   example: "",
 *   options: [
 *     { name: "prompt", short: "p", value: "TEXT", help: "" },
 *     { name: "json", help: "" },
 *   ],
 * });
 * assertEquals([parsed.value("prompt"), parsed.flag("json")], ["- first item", true]);
 * ```
 */
export function parseCommandLine(argv: readonly string[], spec: CommandSpec): Parsed {
  const options = [...spec.options, HELP];
  const valued = options.filter((option) => option.value);
  const parsed = parseArgs(joinValues(argv, options), {
    string: ["_", ...valued.map((option) => option.name)],
    boolean: options.filter((option) => !option.value).map((option) => option.name),
    collect: valued.map((option) => option.name),
    unknown: (word, key) => {
      if (key === undefined) return true;
      throw unknownOption(word.split("=")[0]!, spec, options);
    },
  });
  const values = (name: string) => (parsed[name] ?? []) as readonly string[];
  for (const { name, many } of valued) {
    if (!many && values(name).length > 1) throw new UsageError(`Option "--${name}" is given twice`);
  }
  return {
    positional: parsed._.map(String),
    value: (name) => values(name)[0],
    values,
    flag: (name) =>
      parsed[name] === true || (Array.isArray(parsed[name]) && values(name).length > 0),
  };
}

/**
 * Writes every option as `--name=value`, so that a value may begin with a dash (`-p "- first item"`); the
 * library would take such a word for an option.
 */
function joinValues(argv: readonly string[], options: readonly OptionSpec[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--") return [...joined, ...argv.slice(i)];
    const [spelled, inline] = splitAtEquals(word);
    const option = options.find(({ name, short }) =>
      spelled === `--${name}` || (short && spelled === `-${short}`)
    );
    if (!option) {
      joined.push(word);
    } else if (!option.value) {
      if (inline !== undefined) throw new UsageError(`Option "${spelled}" takes no value`);
      // Without its own value it would take a word "true" or "false" after it.
      joined.push(`--${option.name}=true`);
    } else if (inline !== undefined || option.optionalValue) {
      joined.push(`--${option.name}=${inline ?? ""}`);
    } else {
      const next = argv[++i];
      if (next === undefined) {
        throw new UsageError(`Option "${spelled}" needs a value: ${spelled} ${option.value}`);
      }
      joined.push(`--${option.name}=${next}`);
    }
  }
  return joined;
}

function splitAtEquals(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function unknownOption(
  spelled: string,
  spec: CommandSpec,
  options: readonly OptionSpec[],
): UsageError {
  const near = nearest(spelled, options.map((option) => `--${option.name}`));
  const hint = near ? `: did you mean "${near}"?` : "";
  return new UsageError(
    `Unknown option "${spelled}"${hint} (see "cst-agent ${spec.name} --help")`,
  );
}

/**
 * The candidate with the fewest edits from `word`, if they're few enough to be meant.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(nearest("--protocl", ["--protocol", "--json"]), "--protocol");
 * assertEquals(nearest("zzz", ["run"]), undefined);
 * ```
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const scored = candidates.map((name) => ({ name, edits: editDistance(word, name) }));
  scored.sort((a, b) => a.edits - b.edits);
  const best = scored[0];
  return best && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.name : undefined;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The help text of a command. */
export function helpText(spec: CommandSpec): string {
  const rows = [...spec.options, HELP].map((option): [string, string] => {
    const short = option.short ? `-${option.short}, ` : "    ";
    const value = !option.value
      ? ""
      : option.optionalValue
      ? `[=${option.value}]`
      : ` ${option.value}`;
    return [`  ${short}--${option.name}${value}`, option.help];
  });
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  const lines = rows.map(([left, help]) =>
    left.length > width
      ? `${left}\n${" ".repeat(width + 2)}${help}`
      : `${left.padEnd(width + 2)}${help}`
  );
  return `${spec.summary}\n\nUsage: cst-agent ${spec.usage}\n\nOptions:\n${
    lines.join("\n")
  }\n\nExample:\n  ${spec.example}\n`;
}

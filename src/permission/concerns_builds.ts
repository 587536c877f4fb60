/** What compilers, build tools and the runners of virtual environments would start beyond their own work. */
import type { Concern } from "./shell_syntax.ts";

type Texts = readonly (string | null)[];

/** Words with which a program starts another one, or code that it is given. */
const STARTING: readonly (readonly [names: readonly string[], words: RegExp])[] = [
  [
    ["cc", "c++", "gcc", "g++", "clang", "clang++"],
    /^(@|-wrapper|-fplugin|-B|--?specs|-fuse-ld|-ld-path|--ld-path|-Xlinker|-Xclang|-load|-Wl,.*plugin)/,
  ],
  [["rustc"], /^(@|-C|--codegen|-Z)/],
  [
    ["cmake"],
    /^-[PEC]|^-D.*(COMPILER|LAUNCHER|PROGRAM|COMMAND|TOOLCHAIN|LINKER|INCLUDE)|^--(toolchain|preset|workflow|debugger)/i,
  ],
  [["ctest"], /^-S|^--(script|build-|test-command)/],
  [["meson"], /^(--native-file|--cross-file|devenv|exec)/],
  [["ninja"], /^-[fCt]/],
];

/** Why a word of the compiler or build tool `name` makes the call doubtful, or null. */
export function compilerConcern(
  name: string,
  texts: Texts,
  mayBeOption: (index: number) => boolean,
): Concern | null {
  const words = STARTING.find(([names]) => names.includes(name))?.[1];
  if (!words) return null;
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === null && mayBeOption(index)) {
      return opaque(`a word of "${name}" may be an option: write "./" before a file`);
    }
    if (text !== null && words.test(text)) {
      return opaque(`"${text}" of "${name}" may run a program`);
    }
  }
  return null;
}

/** Programs that start another one in an environment of their own, by one of their subcommands. */
export const RUNNERS: readonly string[] =
  "uv poetry pipenv hatch pdm rye conda mamba micromamba bundle rustup mise asdf direnv".split(" ");

/** `run` and its like. */
const STARTS = /^(run|exec|x|shell|tool|which-exec)$/;

/** Why the call of a runner makes the call doubtful, or null: `uv sync` starts nothing of its own, `uv run` does. */
export function runnerConcern(name: string, texts: Texts): Concern | null {
  const found = texts.slice(1).find((text) => text === null || STARTS.test(text));
  if (found === undefined) return null;
  return opaque(
    found === null
      ? `a word of "${name}" is not literal`
      : `"${name} ${found}" starts other programs`,
  );
}

/** Programs whose first word is what they start. */
const STARTERS: readonly string[] = ["npx", "bunx", "pnpx", "uvx"];

/** True when the words of a rule say what such a program starts: `npx tsc`, `uv run pytest`. */
export function namesStarted(name: string, subcommand: readonly string[]): boolean {
  const place = STARTERS.includes(name)
    ? 0
    : RUNNERS.includes(name) && STARTS.test(subcommand[0] ?? "")
    ? 1
    : subcommand.length;
  const started = subcommand[place];
  return started !== undefined && !started.startsWith("-") && !STARTS.test(started);
}

function opaque(why: string): Concern {
  return { kind: "opaque", why };
}

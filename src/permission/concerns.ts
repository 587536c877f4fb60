/**
 * Known programs whose own options start other programs or write files (issue of the allow list: a listed name is not
 * yet a harmless call).
 *
 * A program that isn't named here may do whatever it does: to list it is to trust it.
 */
import { compilerConcern, runnerConcern, RUNNERS } from "./concerns_builds.ts";
import { awkConcern, sedConcern } from "./concerns_scripts.ts";
import { gitConcern } from "./concerns_git.ts";
import { mayBeOption, optionConcern } from "./concerns_options.ts";
import { baseName } from "./match.ts";
import type { Concern, Word } from "./shell_syntax.ts";

type Texts = readonly (string | null)[];

/** Builtins that run text, or change what later words mean. */
const OPAQUE_BUILTINS: readonly string[] =
  (". alias bind builtin caller compgen complete compopt coproc declare enable eval exec export fc getopts hash history " +
    "let local mapfile readarray readonly shopt source suspend trap typeset unalias unset")
    .split(" ");

const SHELLS: readonly string[] = "bash sh dash zsh ksh mksh fish csh tcsh rbash ash pwsh".split(
  " ",
);

/** Why a call with these words can't be allowed by its name alone, or null. */
export function concernOf(texts: Texts, words: readonly Word[]): Concern | null {
  const name = baseName(texts[0] ?? "");
  if (OPAQUE_BUILTINS.includes(name)) return opaque(`"${name}" runs or changes what can't be read`);
  if (SHELLS.includes(name)) return opaque(`what "${name}" would run can't be read for certain`);
  if (RUNNERS.includes(name)) return runnerConcern(name, texts);
  switch (name) {
    case "test":
    case "[":
      return testConcern(texts, words);
    case "printf":
      return printfConcern(texts);
    case "read":
      if (!texts.slice(1).every((text) => /^(-r|[a-z][a-z0-9]*)$/.test(text ?? ""))) {
        return opaque('an option or a name of "read" may evaluate its word');
      }
      break;
    case "set":
      return setConcern(texts);
    case "find":
      return findConcern(texts);
    case "uniq":
      return uniqConcern(texts);
    case "make":
    case "gmake":
      return makeConcern(texts);
    case "sed":
    case "gsed":
      return sedConcern(texts);
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return awkConcern(texts);
    case "git":
      return gitConcern(texts, (index) => mayBeOption(texts, words, index));
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
      return packageConcern(texts);
    case "go":
      return goConcern(texts);
    case "help":
    case "man":
      if (texts.some((text) => text?.includes("\\"))) return effect(`"${name}" takes a path here`);
      break;
    case "less":
    case "more":
      if (texts.some((text) => text === null || text.startsWith("+"))) {
        return opaque(`a word of "${name}" may be a command`);
      }
      break;
    case "tar":
      if (/^[a-zA-Z]*[IFT]/.test(texts[1] ?? "") || texts.some((text) => text?.includes(":"))) {
        return opaque('a word of "tar" may run a program');
      }
      break;
    case "jobs":
    case "wait":
      if (texts.some((text) => text === null || text.startsWith("-"))) {
        return opaque(`an option of "${name}" may run or evaluate its word`);
      }
  }
  return optionConcern(name, texts, words) ??
    compilerConcern(name, texts, (index) => mayBeOption(texts, words, index));
}

function opaque(why: string): Concern {
  return { kind: "opaque", why };
}

function effect(why: string): Concern {
  return { kind: "effect", why };
}

/** `test -v a[$(x)]` evaluates its word, so operators must be literal and among those that don't. */
function testConcern(texts: Texts, words: readonly Word[]): Concern | null {
  const operands = texts[0] === "[" ? texts.slice(1, -1) : texts.slice(1);
  const why = 'a word of "test" may be an operator that evaluates the next';
  if (texts.some((text) => text === "-v" || text === "-R")) return opaque(why);
  const split = words.slice(1).some((word) =>
    word.parts.some((part) => part.kind === "glob" || "quoted" in part && !part.quoted)
  );
  if (split || texts.length > words.length) return opaque(why);
  const certain = operands.length <= 1 ||
    (operands.length === 2 && operands[0] !== null) ||
    (operands.length === 3 && BINARY_TESTS.includes(operands[1] ?? "")) ||
    !operands.includes(null);
  return certain ? null : opaque(why);
}

const BINARY_TESTS: readonly string[] = "= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split(
  " ",
);

/** `printf -v a[$(x)]` evaluates its word. */
function printfConcern(texts: Texts): Concern | null {
  const format = texts[1];
  if (format === undefined || (format !== null && (format === "--" || !format.startsWith("-")))) {
    return null;
  }
  return opaque('the format of "printf" may be an option');
}

function setConcern(texts: Texts): Concern | null {
  const plain = texts.slice(1).every((text) =>
    text !== null && /^([-+][eu]+o?|[-+]o|pipefail|errexit|nounset)$/.test(text)
  );
  return plain ? null : opaque('"set" changes how the line is read');
}

function findConcern(texts: Texts): Concern | null {
  const writes = texts.find((text) => /^-(delete|fprint|fprint0|fprintf|fls)$/.test(text ?? ""));
  return writes ? effect(`"${writes}" of "find" writes or deletes files`) : null;
}

/** `uniq INPUT OUTPUT` writes its second operand. */
function uniqConcern(texts: Texts): Concern | null {
  const operands = texts.slice(1).filter((text) => text === null || !/^[-+]./.test(text));
  const sure = operands.length < 2 && !texts.includes(null);
  return sure ? null : effect('"uniq" may write its second operand');
}

/** A Makefile of the working directory is trusted with "make"; another one, another shell and other values aren't. */
function makeConcern(texts: Texts): Concern | null {
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === null) return opaque('a word of "make" may be an option or a variable');
    const [, letter, joined] = /^-([fCIo])(.*)$/s.exec(text) ?? [];
    const [, long, value] = /^--(file|makefile|directory)=(.*)$/s.exec(text) ?? [];
    if (letter !== undefined || long !== undefined) {
      const path = value ?? (joined === "" ? texts[++index] : joined);
      if (!isInside(path ?? null)) return opaque(`"${text}" of "make" leads elsewhere`);
    } else if (
      text.includes("=") &&
      !/^[A-Za-z_]\w*=(\d*|[yn]|true|false|yes|no|on|off|debug|release)$/i.test(text)
    ) {
      return opaque(`"${text}" may change what "make" runs`);
    } else if (/^(SHELL|\.SHELLFLAGS|MAKE\w*|PATH|LD_\w+)=/.test(text) || !isPlainMakeWord(text)) {
      return opaque(`"${text}" of "make" may run a program`);
    }
  }
  return null;
}

function isPlainMakeWord(text: string): boolean {
  if (!text.startsWith("-")) return !text.includes("$");
  return /^(-[BikLnqrRsStvwdp]*(j\d*|l[\d.]*)?|--(jobs|silent|quiet|keep-going|dry-run|just-print|always-make|print-directory|no-print-directory|question|touch|version|help|warn-undefined-variables|output-sync|trace|debug)(=[\w.]*)?)$/
    .test(text);
}

/** A relative path that stays below the working directory. */
function isInside(path: string | null): boolean {
  return path !== null && path !== "" && !path.startsWith("/") && !path.startsWith("~") &&
    !path.startsWith("-") && !path.split("/").includes("..") && !path.includes("$");
}

/** Package managers run the project's own scripts; what runs anything else, or with another shell, is doubtful. */
function packageConcern(texts: Texts): Concern | null {
  const runs = texts.slice(1).find((text) =>
    text === null ||
    /^(exec|x|dlx|explore|create|init|config|c|set|node|env|edit|view-source|-c|--call.*|--script-shell.*|--shell.*|--node-options.*|--git.*|--editor.*|--viewer.*|-C.*|--dir.*|--prefix.*|--userconfig.*|--globalconfig.*|--cwd.*|--use-yarnrc.*)$/
      .test(text)
  );
  return runs === undefined
    ? null
    : opaque(`"${runs ?? "a word"}" of "${texts[0]}" may run any program`);
}

/** go's options have one dash or two, and aren't abbreviated. */
function goConcern(texts: Texts): Concern | null {
  const option = texts.slice(1).find((text) =>
    text === null || /^--?(exec|toolexec|vettool|overlay|modfile)(=|$)/.test(text)
  );
  if (option !== undefined) return opaque(`"${option ?? "a word"}" of "go" may run a program`);
  return /^(env|tool|generate)$/.test(texts[1] ?? "")
    ? opaque(`"go ${texts[1]}" may run other programs`)
    : null;
}

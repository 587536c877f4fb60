/**
 * Known programs whose own options start other programs or write files (issue of the allow list: a listed name is not
 * yet a harmless call).
 *
 * A program that isn't named here may do whatever it does: to list it is to trust it.
 */
import { awkConcern, sedConcern } from "./concerns_scripts.ts";
import { gitConcern } from "./concerns_git.ts";
import { baseName } from "./match.ts";
import type { Concern, Word } from "./shell_syntax.ts";

type Texts = readonly (string | null)[];

/** Options that make a call doubtful: `long` without dashes, also when abbreviated; `short` letters; `takes` those that swallow the rest of a cluster. */
interface Dangerous {
  readonly long: readonly string[];
  readonly short: string;
  readonly takes: string;
}

const OPTIONS: Readonly<Record<string, Dangerous>> = {
  sort: {
    long: ["output", "compress-program", "temporary-directory"],
    short: "oT",
    takes: "kStoT",
  },
  rg: { long: ["pre", "hostname-bin", "search-zip"], short: "z", takes: "ABCEefgjmrtTM" },
  less: {
    long: ["lesskey-file", "lesskey-src", "log-file", "LOG-FILE"],
    short: "kOo",
    takes: "bhjkoOpPtTxyz",
  },
  file: { long: ["magic-file", "compile", "uncompress"], short: "mCzZ", takes: "efFmP" },
  man: {
    long: ["pager", "html", "config-file", "preprocessor", "gxditview", "ditroff", "troff-device"],
    short: "PHCpXTZ",
    takes: "CePHLMmpRrSsEXT",
  },
  tar: {
    long: [
      "checkpoint-action",
      "to-command",
      "use-compress-program",
      "rsh-command",
      "rmt-command",
      "info-script",
      "new-volume-script",
    ],
    short: "IF",
    takes: "bCfgHIKLNTVXF",
  },
  docker: { long: ["host", "context", "config"], short: "Hc", takes: "Hcl" },
  podman: { long: ["url", "connection", "remote"], short: "cr", takes: "c" },
  curl: {
    long: [
      "config",
      "output",
      "output-dir",
      "remote-name",
      "remote-name-all",
      "dump-header",
      "cookie-jar",
      "trace",
      "trace-ascii",
      "stderr",
      "libcurl",
      "etag-save",
      "hsts",
      "alt-svc",
    ],
    short: "KoODc",
    takes: "AbCcdDeEFHhKmoPQrtTuUwxXyYz",
  },
  wget: {
    long: [
      "use-askpass",
      "execute",
      "config",
      "output-document",
      "output-file",
      "directory-prefix",
    ],
    short: "eOoP",
    takes: "aABDeGIiloOPQRtTUwX",
  },
  go: { long: ["exec", "toolexec", "vettool", "overlay", "modfile"], short: "", takes: "" },
  cargo: { long: ["config"], short: "Z", takes: "CFjp" },
  zip: { long: ["unzip-command"], short: "T", takes: "bntT" },
  tree: { long: [], short: "oR", takes: "LPIoHT" },
};

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
      // Its long options may have one dash.
      return optionConcern(
        texts.map((text) => text?.replace(/^-(?=\w)/, "--") ?? null),
        words,
        OPTIONS.go!,
      ) ??
        (/^(env|tool|generate)$/.test(texts[1] ?? "")
          ? opaque('"go" runs other programs here')
          : null);
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
      if (/^[a-zA-Z]*[IF]/.test(texts[1] ?? "") || texts.some((text) => text?.includes(":"))) {
        return opaque('a word of "tar" may run a program');
      }
      break;
    case "jobs":
    case "wait":
      if (texts.some((text) => text === null || text.startsWith("-"))) {
        return opaque(`an option of "${name}" may run or evaluate its word`);
      }
  }
  const dangerous = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  return dangerous ? optionConcern(texts, words, dangerous) : null;
}

function opaque(why: string): Concern {
  return { kind: "opaque", why };
}

function effect(why: string): Concern {
  return { kind: "effect", why };
}

/** Could the word at `index` begin with a dash, or fall apart into words of which one does? */
function mayBeOption(texts: Texts, words: readonly Word[], index: number): boolean {
  const text = texts[index];
  if (typeof text === "string") return text.startsWith("-");
  const parts = words[index]?.parts ?? [];
  const [first] = parts;
  return first?.kind !== "text" || first.text === "" || first.text.startsWith("-") ||
    parts.some((part) => "quoted" in part && !part.quoted);
}

function optionConcern(texts: Texts, words: readonly Word[], bad: Dangerous): Concern | null {
  const name = texts[0];
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === "--") return null;
    if (!mayBeOption(texts, words, index)) continue;
    if (text === null) return effect(`a word of "${name}" may be an option`);
    if (text.startsWith("--") ? hasLong(text, bad) : hasShort(text, bad)) {
      return effect(`"${text}" of "${name}" may run a program or write a file`);
    }
  }
  return null;
}

/** Abbreviated long options count: `--out` is `--output`. */
function hasLong(text: string, bad: Dangerous): boolean {
  const given = text.slice(2).split("=")[0]!;
  return bad.long.some((option) => option.startsWith(given));
}

function hasShort(text: string, bad: Dangerous): boolean {
  for (const letter of text.slice(1)) {
    if (bad.short.includes(letter)) return true;
    if (bad.takes.includes(letter)) return false;
  }
  return false;
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
    /^(exec|x|dlx|explore|create|init|config|c|set|node|env|edit|view-source|-c|--call.*|--script-shell.*|--shell.*|--node-options.*|--git.*|--editor.*|--viewer.*|--prefix.*|--userconfig.*|--globalconfig.*|--cwd.*|--use-yarnrc.*)$/
      .test(text)
  );
  return runs === undefined
    ? null
    : opaque(`"${runs ?? "a word"}" of "${texts[0]}" may run any program`);
}

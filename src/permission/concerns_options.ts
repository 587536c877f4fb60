/** Programs that are harmless but for some options: those that start another program, or write a file. */
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
      // A line of the list that begins with a dash is an option.
      "files-from",
    ],
    short: "IFT",
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
  cargo: { long: ["config"], short: "Z", takes: "CFjp" },
  zip: { long: ["unzip-command"], short: "T", takes: "bntT" },
  tree: { long: [], short: "oR", takes: "LPIoHT" },
  split: { long: ["filter"], short: "", takes: "abClnt" },
  fd: { long: ["exec", "exec-batch"], short: "xX", takes: "dEegtSjcC" },
  fdfind: { long: ["exec", "exec-batch"], short: "xX", takes: "dEegtSjcC" },
  bat: { long: ["pager"], short: "", takes: "lHmr" },
  install: { long: ["strip-program"], short: "", takes: "gmotS" },
};

/** Those whose options start programs: what they start may be denied, so that it must be known. */
const STARTERS: readonly string[] = "tar zip man less rg split fd fdfind bat install".split(" ");

/** Could the word at `index` begin with a dash, or fall apart into words of which one does? */
export function mayBeOption(texts: Texts, words: readonly Word[], index: number): boolean {
  const text = texts[index];
  if (typeof text === "string") return text.startsWith("-");
  const parts = words[index]?.parts ?? [];
  const [first] = parts;
  return first?.kind !== "text" || first.text === "" || first.text.startsWith("-") ||
    parts.some((part) => "quoted" in part && !part.quoted);
}

/** Why an option among the words of the program `name` makes the call doubtful, or null. */
export function optionConcern(
  name: string,
  texts: Texts,
  words: readonly Word[],
): Concern | null {
  const bad = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (!bad) return null;
  for (let index = 1; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === "--") return null;
    if (!mayBeOption(texts, words, index)) continue;
    const kind = STARTERS.includes(name) ? "opaque" : "effect";
    if (text === null) return { kind, why: `a word of "${name}" may be an option` };
    if (text.startsWith("--") ? hasLong(text, bad) : hasShort(text, bad)) {
      return { kind, why: `"${text}" of "${name}" may run a program or write a file` };
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

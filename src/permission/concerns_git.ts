/** What git would run or write beyond its own work: by its global options, its subcommand and that one's options. */
import type { Concern } from "./shell_syntax.ts";

type Texts = readonly (string | null)[];

/** Subcommands that no alias can replace; one that isn't here may be an alias, which may run anything. */
const SUBCOMMANDS: ReadonlySet<string> = new Set(
  ("add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap " +
    "check-ref-format checkout cherry cherry-pick clean clone column commit commit-tree count-objects describe diff " +
    "diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object help init log ls-files " +
    "ls-remote ls-tree merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pull push range-diff " +
    "read-tree rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref " +
    "sparse-checkout stash status stripspace submodule switch symbolic-ref tag update-index update-ref var " +
    "verify-commit verify-tag version whatchanged worktree write-tree").split(" "),
);

/** Global options that change neither the repository nor the configuration nor the pager. */
const GLOBAL: readonly string[] = [
  "--no-pager",
  "-P",
  "--no-replace-objects",
  "--literal-pathspecs",
  "--no-optional-locks",
  "--version",
  "--help",
  "-v",
  "-h",
];

/** Long options of subcommands that run a program or write a file; abbreviations count. */
const LONG: readonly string[] = [
  "output",
  "output-directory",
  "ext-diff",
  "textconv",
  "open-files-in-pager",
  "upload-pack",
  "receive-pack",
  "exec",
  "template",
  "config",
  "separate-git-dir",
  "paginate",
  "to-command",
  "gpg-sign",
  "web",
  "strategy",
  "unsafe-paths",
];

/** Short options that do so, by subcommand. */
const SHORT: Readonly<Record<string, string>> = {
  archive: "o",
  "format-patch": "o",
  grep: "O",
  rebase: "xs",
  clone: "uc",
  "ls-remote": "u",
  help: "w",
  merge: "s",
  pull: "s",
};

/** Why this git call can't be allowed by git's name alone, or null. */
export function gitConcern(
  texts: Texts,
  mayBeOption: (index: number) => boolean,
): Concern | null {
  let at = 1;
  for (; texts[at]?.startsWith("-"); at++) {
    if (!GLOBAL.includes(texts[at]!)) {
      return opaque(`"${texts[at]}" changes where git works or what it runs`);
    }
  }
  const subcommand = texts[at];
  if (subcommand === undefined) return null;
  if (subcommand === null) return opaque("the subcommand of git is not literal");
  if (!SUBCOMMANDS.has(subcommand)) return opaque(`"git ${subcommand}" may run any program`);
  return subcommandConcern(texts, at, mayBeOption);
}

function opaque(why: string): Concern {
  return { kind: "opaque", why };
}

function subcommandConcern(
  texts: Texts,
  at: number,
  mayBeOption: (index: number) => boolean,
): Concern | null {
  const subcommand = texts[at]!;
  const short = Object.hasOwn(SHORT, subcommand) ? SHORT[subcommand]! : "";
  if (subcommand === "submodule" && texts.includes("foreach", at)) {
    return opaque('"git submodule foreach" runs a command');
  }
  for (let index = at + 1; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === "--") return null;
    if (text !== null && /(^|=)[\w+.-]+::/.test(text)) {
      return opaque(`"${text}" names a transport program`);
    }
    if (!mayBeOption(index)) continue;
    if (text === null) return opaque(`a word of "git ${subcommand}" may be an option`);
    const long = text.startsWith("--") && isDangerousLong(text);
    if (
      long ||
      new RegExp(`^-[a-zA-Z]*[${short}-]`).test(text) && short !== "" && !text.startsWith("--")
    ) {
      return opaque(`"${text}" of "git ${subcommand}" may run a program or write a file`);
    }
  }
  return null;
}

function isDangerousLong(text: string): boolean {
  const given = text.slice(2).split("=")[0]!;
  return LONG.some((option) => option.startsWith(given));
}

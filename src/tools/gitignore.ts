/**
 * What git would ignore.
 *
 * ```text
 * line = "#" comment | [ "!" ] pattern [ "/" ]     trailing blanks don't count unless escaped
 * ```
 * A pattern with a `/` that isn't its last character is anchored to its file's folder; a last `/` matches folders
 * only; of all lines that match, the last one of the deepest file decides.
 */
import { globSource } from "./glob.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
}

/** The rules of one `.gitignore`, for paths relative to its folder. */
export interface IgnoreFile {
  /** The folder, relative to the walk's root: `""` or `"a/b/"`. */
  readonly base: string;
  readonly rules: readonly Rule[];
}

/** Reads a `.gitignore` of the folder `base` (`""`, or with a slash at its end). */
export function parseIgnore(text: string, base: string): IgnoreFile {
  const rules: Rule[] = [];
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/((?:^|[^\\])(?:\\\\)*) +$/, "$1").trimStart();
    if (line === "" || line.startsWith("#")) continue;
    const keeps = line.startsWith("!");
    const foldersOnly = line.endsWith("/");
    const body = line.slice(keeps ? 1 : 0, foldersOnly ? -1 : undefined);
    const anchored = body.includes("/");
    const source = globSource(body.replace(/^\//, ""), false);
    rules.push({
      pattern: new RegExp(`^${anchored ? "" : "(?:.*/)?"}${source}$`, "s"),
      keeps,
      foldersOnly,
    });
  }
  return { base, rules };
}

/**
 * Is the path (relative to the walk's root) ignored? `ignores` are the files that speak for it, outermost first.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const rules = [parseIgnore("*.log\n!keep.log\n/build/\n", "")];
 * assertEquals(isIgnored(rules, "a/x.log", false), true);
 * assertEquals(isIgnored(rules, "a/keep.log", false), false);
 * assertEquals([isIgnored(rules, "build", true), isIgnored(rules, "build", false)], [true, false]);
 * ```
 */
export function isIgnored(
  ignores: readonly IgnoreFile[],
  path: string,
  isFolder: boolean,
): boolean {
  for (const { base, rules } of ignores.toReversed()) {
    const inside = path.slice(base.length);
    const rule = rules.findLast((each) =>
      (isFolder || !each.foldersOnly) && each.pattern.test(inside)
    );
    if (rule) return !rule.keeps;
  }
  return false;
}

/**
 * Path patterns, as gitignore and shells write them.
 *
 * ```text
 * "*" any but "/"   "?" one but "/"   "[a-z]" "[!a-z]" one of   "**" any number of folders   "\x" x itself
 * "{a,b}" either (not in gitignore)
 * ```
 */

/** The pattern as the source of a regular expression, without anchors. */
export function globSource(glob: string, braces: boolean): string {
  let source = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at);
    const folders = /^\*\*\//.exec(rest);
    const bracket = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
    const char = glob[at]!;
    if (folders && (at === 0 || glob[at - 1] === "/")) {
      source += "(?:[^/]+/)*";
      at += 2;
    } else if (rest.startsWith("**")) {
      source += ".*";
      at++;
    } else if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (bracket) {
      const set = bracket[2]!.replace(/[\\[\]^&]/g, "\\$&");
      source += `(?!/)[${bracket[1] ? "^" : ""}${set}]`;
      at += bracket[0].length - 1;
    } else if (char === "\\" && at + 1 < glob.length) source += escape(glob[++at]!);
    else if (braces && char === "{" && rest.includes("}")) {
      depth++;
      source += "(?:";
    } else if (depth > 0 && char === ",") source += "|";
    else if (depth > 0 && char === "}") {
      depth--;
      source += ")";
    } else source += escape(char);
  }
  return source + ")".repeat(depth);
}

function escape(char: string): string {
  return char.replace(/[.*+?^${}()|[\]\\/]/, "\\$&");
}

/**
 * A test for paths relative to some folder: a pattern without `/` matches the last name alone, at any depth.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["a.ts", "x/b.ts", "c.js"].filter(createGlob("*.ts")), ["a.ts", "x/b.ts"]);
 * assertEquals(["src/a.ts", "src/x/b.ts"].filter(createGlob("src/*.ts")), ["src/a.ts"]);
 * ```
 */
export function createGlob(glob: string): (path: string) => boolean {
  const clean = glob.replace(/^\.?\//, "");
  const pattern = new RegExp(`^${globSource(clean, true)}$`, "s");
  return clean.includes("/")
    ? (path) => pattern.test(path)
    : (path) => pattern.test(path.slice(path.lastIndexOf("/") + 1));
}

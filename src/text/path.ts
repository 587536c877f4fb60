/** Paths as text. */

/**
 * `path` made absolute against `cwd`, with `.`, `..`, doubled and trailing slashes taken out by name: the form in which
 * paths are compared (SPEC 8), and in which tools open them, so that what was judged is what is opened.
 *
 * A link is not looked at: `link/..` is the folder that the link lies in, where the system would go on from the link's target.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(normalPath("../b//c/", "/w/a"), "/w/b/c");
 * assertEquals(normalPath("/../x", "/w"), "/x");
 * assertEquals(normalPath("link/../x", "/w"), "/w/x");
 * ```
 */
export function normalPath(path: string, cwd: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return "/" + parts.join("/");
}

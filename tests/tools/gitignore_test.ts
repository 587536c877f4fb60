import { assertEquals } from "@std/assert";
import { isIgnored, parseIgnore } from "../../src/tools/gitignore.ts";

/** Every name below, as git itself judges it in a real repository. */
function askGit(rules: string, names: readonly string[]): string[] {
  const folder = Deno.makeTempDirSync();
  for (const name of names) {
    const path = `${folder}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, "");
  }
  Deno.writeTextFileSync(`${folder}/.gitignore`, rules);
  new Deno.Command("git", { args: ["init", "-q"], cwd: folder }).outputSync();
  const { stdout } = new Deno.Command("git", {
    args: ["ls-files", "--others", "--exclude-standard", "-z"],
    cwd: folder,
  }).outputSync();
  const kept = new TextDecoder().decode(stdout).split("\0");
  return names.filter((name) => !kept.includes(name));
}

/** Is the file ignored, itself or with a folder above it? */
function ignored(rules: string, name: string): boolean {
  const ignores = [parseIgnore(rules, "")];
  const parts = name.split("/");
  return parts.some((_, at) =>
    isIgnored(ignores, parts.slice(0, at + 1).join("/"), at < parts.length - 1)
  );
}

const NAMES = [
  "a.log",
  "b/a.log",
  "b/c/a.log",
  "build/x",
  "b/build/x",
  "foo/bar/x",
  "x/foo/bar/y",
  "abc",
  "a1c",
  "axc",
  "#hash",
  "!bang",
  "space ",
  "doc/a.txt",
  "doc/deep/a.txt",
  "z/y/x/w.js",
];

Deno.test("Rules mean what they mean to git", () => {
  const rows = [
    "*.log",
    "*.log\n!a.log\nb/a.log",
    "/build/",
    "build/",
    "build",
    "foo/bar",
    "**/foo/bar",
    "foo/**",
    "a[0-9]c",
    "a[!0-9]c",
    "a?c",
    "\\#hash\n\\!bang",
    "# comment\n\nspace\\ ",
    "doc/*.txt",
    "doc/**/a.txt",
    "z/**/w.js",
    "*\n!*/\n!*.txt",
    "/*\n!/doc",
  ];
  for (const rules of rows) {
    assertEquals(NAMES.filter((name) => ignored(rules, name)), askGit(rules, NAMES), rules);
  }
});

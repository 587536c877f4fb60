import { assertEquals } from "@std/assert";
import { splitFile } from "../../src/patch/lines.ts";
import { locateHunk } from "../../src/patch/locate.ts";
import { parsePatch } from "../../src/patch/parse.ts";

/** Where the hunk goes (from 1), or why nowhere. */
function place(file: string, hunk: string, drift = 0): number | string {
  const parsed = parsePatch(`--- a/f\n+++ b/f\n${hunk}`);
  if (parsed.kind === "misfits") return parsed.misfits[0]!.kind;
  const found = locateHunk(parsed.sections[0]!.hunks[0]!, splitFile(file), drift);
  return found.kind === "place" ? found.line + 1 : found.kind;
}

/** A hundred numbered lines, with `x` at the given ones. */
function withX(...at: number[]): string {
  return Array.from({ length: 200 }, (_, index) => at.includes(index + 1) ? "x" : `${index + 1}`)
    .join("\n") + "\n";
}

Deno.test("One place is taken, of several the stated one, else a near one that is far from all others", () => {
  const rows: [string, string, string, number | string][] = [
    ["unique, wrong number", withX(50), "@@ -7 +7 @@\n-x\n+y\n", 50],
    ["unique, no number", withX(50), "@@\n-x\n+y\n", 50],
    ["stated", withX(50, 52), "@@ -52 +52 @@\n-x\n+y\n", 52],
    ["none stated", withX(50, 52), "@@\n-x\n+y\n", "ambiguous"],
    ["within 10, the other over 60 away", withX(50, 130), "@@ -60 +60 @@\n-x\n+y\n", 50],
    ["11 away", withX(50, 130), "@@ -61 +61 @@\n-x\n+y\n", "ambiguous"],
    ["the other 60 away", withX(50, 120), "@@ -60 +60 @@\n-x\n+y\n", "ambiguous"],
    ["nowhere", withX(), "@@ -60 +60 @@\n-x\n+y\n", "not_found"],
    ["exact beats trailing space", "x \nx\n", "@@\n-x\n+y\n", 2],
    ["trailing space, twice", "x \nx\t\n", "@@\n-x\n+y\n", "ambiguous"],
    ["indentation never", " x\n", "@@\n-x\n+y\n", "not_found"],
    ["form feed inside stays", "a\fb\n", "@@\n-a\fb\n+y\n", 1],
  ];
  for (const [name, file, hunk, expected] of rows) {
    assertEquals(place(file, hunk), expected, name);
  }
});

Deno.test("The drift of the hunk before counts as a statement; two statements that differ are none", () => {
  assertEquals(place(withX(50, 52), "@@ -40 +40 @@\n-x\n+y\n", 10), 50);
  assertEquals(place(withX(40, 50), "@@ -40 +40 @@\n-x\n+y\n", 10), "ambiguous");
  assertEquals(place(withX(40, 50), "@@ -40 +40 @@\n-x\n+y\n", 0), 40);
});

Deno.test("Added lines alone need a line number that can be trusted", () => {
  const rows: [string, string, number, number | string][] = [
    ["a\nb\n", "@@ -1,0 +2 @@\n+n\n", 0, 2],
    ["a\nb\n", "@@ -0,0 +1 @@\n+n\n", 0, 1],
    ["a\nb\n", "@@ -2,0 +3 @@\n+n\n", 0, 3],
    ["a\nb\n", "@@ -3,0 +4 @@\n+n\n", 0, "not_found"],
    ["a\nb\n", "@@ -1,0 +2 @@\n+n\n", 1, "no_anchor"],
    ["a\nb\n", "@@ -1,2 +1,3 @@\n+n\n", 0, "no_anchor"],
    ["a\nb\n", "@@\n+n\n", 0, "no_anchor"],
    ["a\nb\n", "@@ a\n+n\n", 0, "no_anchor"],
    ["", "@@\n+n\n", 0, 1],
  ];
  for (const [file, hunk, drift, expected] of rows) {
    assertEquals(place(file, hunk, drift), expected, hunk);
  }
});

Deno.test("Text after a bare @@ points into its block, or to what is the only one below", () => {
  const file = "def f():\n    return 0\n\ndef g():\n    return 0\n\ndef h():\n    return 0\n";
  const rows: [string, number | string][] = [
    ["@@ def f():", 2],
    ["@@ def g():", 5],
    ["@@ def h():", 8],
    ["@@ return 0", "ambiguous"],
    ["@@ def i():", "ambiguous"],
  ];
  for (const [header, expected] of rows) {
    assertEquals(place(file, `${header}\n-    return 0\n+    return 1\n`), expected, header);
  }
});

Deno.test("A last hunk shorter than its counts is cut off, unless the file ends there or only blanks are missing", () => {
  const rows: [string, string, number | string][] = [
    ["a\nb\nc\nd\n", "@@ -1,4 +1,4 @@\n a\n-b\n+B\n", "truncated"],
    ["a\nb\n", "@@ -1,4 +1,4 @@\n a\n-b\n+B\n", 1],
    ["a\nb\n\n\nc\n", "@@ -1,4 +1,4 @@\n a\n-b\n+B\n", 1],
    ["a\nb\nc\nd\n", "@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n", 1],
    ["a\nb\nc\nd\n", "@@ -1 +1 @@\n a\n-b\n+B\n", 1],
  ];
  for (const [file, hunk, expected] of rows) assertEquals(place(file, hunk), expected, hunk);
});

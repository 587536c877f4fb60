/** Laws: what a diff tool says of two texts, applied to the first, gives the second, with its numbers and without. */
import { assert, assertEquals } from "@std/assert";
import * as jsdiff from "diff";
import fc from "fast-check";
import { applySections } from "../../src/patch/apply.ts";
import { bytesOf, byteTextOf, encodeText } from "../../src/patch/byte_text.ts";
import { parsePatch } from "../../src/patch/parse.ts";
import type { Applied } from "../../src/patch/patch.ts";

function apply(before: string, patch: string): Applied {
  const parsed = parsePatch(patch);
  if (parsed.kind === "misfits") return parsed;
  return applySections(parsed.sections, () => ({ kind: "file", text: before, mode: 0o644 }));
}

function after(applied: Applied): string | undefined {
  return applied.kind === "applied" ? applied.changes[0]?.after?.text : undefined;
}

/** Lines of which many are equal, some blank, some like the marks of a patch. */
const line = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "}",
    "\t}",
    "- x",
    "-- x",
    "+ x",
    "++ y",
    "@@ -1 +1 @@",
    "--- a/f",
    "\\ x",
  ),
  fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, "")),
);
const end = fc.constantFrom("\n", "\n", "\n", "\r\n");
const file = fc.tuple(fc.array(fc.tuple(line, end), { maxLength: 30 }), fc.boolean()).map(
  ([lines, closed]) => {
    const text = lines.map(([text, newline]) => text + newline).join("");
    return closed ? text : text.replace(/\r?\n$/, "");
  },
);

/** A file and a few edits of it. */
const pair = fc.tuple(
  fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 40 }),
  fc.array(fc.tuple(fc.nat(40), fc.constantFrom("drop", "add", "change"), line), {
    minLength: 1,
    maxLength: 4,
  }),
).map(([lines, edits]) => {
  const copy = lines.map(([text, newline]) => text + newline);
  for (const [at, kind, text] of edits) {
    copy.splice(
      at % (copy.length + 1),
      kind === "add" ? 0 : 1,
      ...kind === "drop" ? [] : [`${text}\n`],
    );
  }
  return [lines.map(([text, newline]) => text + newline).join(""), copy.join("")] as const;
});

function diffOf(a: string, b: string, context: number): string {
  return jsdiff.createTwoFilesPatch("a/f", "b/f", a, b, undefined, undefined, { context });
}

Deno.test("What jsdiff says of two texts, applied to the first, gives the second", () => {
  fc.assert(
    fc.property(fc.oneof(pair, fc.tuple(file, file)), fc.nat(4), (files, context) => {
      // Without context nothing in the patch says how the file's lines end.
      const [a, b] = files.map((text) => context > 0 ? text : text.replaceAll("\r\n", "\n"));
      if (a === undefined || b === undefined || a === b) return;
      const applied = apply(encodeText(a), encodeText(diffOf(a, b, context)));
      assertEquals(after(applied), encodeText(b), JSON.stringify(applied));
    }),
    { numRuns: 1500 },
  );
});

Deno.test("Without its line numbers it gives the second text too, or is refused", () => {
  let applied = 0;
  fc.assert(
    fc.property(pair, ([a, b]) => {
      if (a === b) return;
      const patch = diffOf(a, b, 3).replace(/^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/gm, "@@");
      const result = apply(encodeText(a), encodeText(patch));
      if (result.kind === "misfits") return;
      applied++;
      assertEquals(after(result), encodeText(b));
    }),
    { numRuns: 1500 },
  );
  assert(applied > 300, `only ${applied} were applied`);
});

Deno.test("What git says of two texts, bytes and all, gives the second", () => {
  const folder = Deno.makeTempDirSync();
  const bytes = fc.array(fc.constantFrom(0x61, 0x62, 0x20, 0x09, 0x0D, 0xE9, 0xFF, 0x0A, 0x0A), {
    maxLength: 120,
  }).map((codes) => byteTextOf(new Uint8Array(codes)));
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      if (a === b) return;
      Deno.writeFileSync(`${folder}/a`, bytesOf(a));
      Deno.writeFileSync(`${folder}/b`, bytesOf(b));
      const { stdout } = new Deno.Command("git", {
        args: ["diff", "--no-index", "--no-color", "--text", "a", "b"],
        cwd: folder,
      }).outputSync();
      // git names the two files; the patch is meant for the first.
      const patch = byteTextOf(stdout).replace(/^(diff --git a\/a b\/)b$/m, "$1a")
        .replace(/^\+\+\+ b\/b$/m, "+++ b/a");
      assertEquals(after(apply(a, patch)), b, JSON.stringify([a, b, patch]));
    }),
    { numRuns: 120 },
  );
});

Deno.test("Any text is read as a patch without a throw, and quickly", () => {
  const piece = fc.constantFrom(
    "--- a/f\n",
    "+++ b/f\n",
    "@@ -1,2 +1,2 @@\n",
    "@@\n",
    " a\n",
    "-a\n",
    "+b\n",
    "\n",
    "```\n",
    "diff --git a/f b/f\n",
    "*** Begin Patch\n",
    "*** Update File: f\n",
    "*** End Patch\n",
    "rename from f\n",
    "\\ No\n",
    "x\n",
    "-- \n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      apply("a\nb\na\n", pieces.join(""));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("A line number beyond all bounds, equal lines by the thousand and blanks by the megabyte cost little", () => {
  const equal = "x\n".repeat(20_000);
  const block = " x\n".repeat(5000);
  const rows = [
    [equal, `--- a/f\n+++ b/f\n@@ -99999999999,2 +1,2 @@\n${block}-y\n+z\n`],
    [equal, `--- a/f\n+++ b/f\n@@\n${block}+z\n`],
    [`${" ".repeat(1_000_000)}a\n`, `--- a/f\n+++ b/f\n@@\n-${" ".repeat(900_000)}b\n+c\n`],
  ] as const;
  for (const [before, patch] of rows) assertEquals(apply(before, patch).kind, "misfits");
});

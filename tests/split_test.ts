import { assertEquals, assertThrows } from "@std/assert";
import { assertSplitInvariant, chunksOf, cutAt, joinEvents } from "./split.ts";

/** Whole lines only: what a good reader of slices does. */
function lines(slices: readonly string[]): { kind: "text"; text: string }[] {
  let held = "";
  return slices.flatMap((slice) => {
    const parts = (held + slice).split("\n");
    held = parts.pop()!;
    return parts.map((text) => ({ kind: "text" as const, text }));
  });
}

/** Forgets what it held: the fault that this helper is for. */
function forgetful(slices: readonly string[]): { kind: "text"; text: string }[] {
  return slices.flatMap((slice) =>
    slice.split("\n").slice(0, -1).map((text) => ({ kind: "text" as const, text }))
  );
}

Deno.test("assertSplitInvariant() passes a reader that holds and catches one that forgets", () => {
  assertSplitInvariant("one\ntwo\n", lines);
  assertThrows(() => assertSplitInvariant("one\ntwo\n", forgetful), Error, "Cut at 1 of 8");
});

Deno.test("assertSplitInvariant() cuts surrogate pairs and the bytes of a character", () => {
  const encode = (
    slices: readonly string[],
  ) => [slices.map((s) => encodeURIComponent(s.toWellFormed())).join("")];
  assertThrows(() => assertSplitInvariant("a😀", encode), Error, "Cut at 2 of 3");
  const decode = (
    slices: readonly Uint8Array[],
  ) => [slices.map((s) => new TextDecoder().decode(s)).join("")];
  assertThrows(
    () => assertSplitInvariant(new TextEncoder().encode("é"), decode),
    Error,
    "Cut at 1 of 2",
  );
});

Deno.test("joinEvents() joins parts of one thing only", () => {
  const piece = (id: string, key: string, text: string) => ({ kind: "piece", id, key, text });
  assertEquals(
    joinEvents([
      piece("1", "a", "x"),
      piece("1", "a", "y"),
      piece("1", "b", "z"),
      piece("1", "b", ""),
    ]),
    [piece("1", "a", "xy"), piece("1", "b", "z")],
  );
});

Deno.test("cutAt() and chunksOf() lose nothing", () => {
  assertEquals(cutAt("abcdef", [0, 2, 2, 6]), ["", "ab", "", "cdef", ""]);
  assertEquals(chunksOf("abcde", 2), ["ab", "cd", "e"]);
  assertEquals(chunksOf("", 2), [""]);
});

import { assertEquals } from "@std/assert";
import { writeWhole } from "../../src/system/world.ts";

/** A stream whose writes take so many bytes or fail so, in order; afterwards it takes everything. */
function createStream(steps: readonly (number | Error)[]) {
  const left = [...steps];
  const decoder = new TextDecoder();
  let taken = "";
  return {
    taken: () => taken,
    writeSync(bytes: Uint8Array): number {
      const step = left.shift() ?? bytes.length;
      if (typeof step !== "number") throw step;
      taken += decoder.decode(bytes.subarray(0, step), { stream: true });
      return step;
    },
  };
}

/** What a stream took, and the error that was told. */
function write(steps: readonly (number | Error)[]): readonly [string, unknown] {
  const stream = createStream(steps);
  let lost: unknown;
  writeWhole(stream, "abc é fin", (error) => lost = error);
  return [stream.taken(), lost];
}

Deno.test("all of a text is written, in as many pieces as the system takes", () => {
  assertEquals(write([]), ["abc é fin", undefined]);
  assertEquals(write([1, 4, 0, 1]), ["abc é fin", undefined]);
});

Deno.test("a full pipe that doesn't block is waited for, nothing is lost", () => {
  const full = () => new Deno.errors.WouldBlock("Resource temporarily unavailable");
  assertEquals(write([full(), 3, full(), full()]), ["abc é fin", undefined]);
});

Deno.test("a closed pipe or a full disk swallows the rest and is told once", () => {
  for (const error of [new Deno.errors.BrokenPipe("gone"), new Error("No space left")]) {
    assertEquals(write([3, error]), ["abc", error]);
  }
});

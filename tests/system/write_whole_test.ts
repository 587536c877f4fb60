import { assertEquals, assertThrows } from "@std/assert";
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

/** What a stream took, and whether it was told to be closed. */
function write(steps: readonly (number | Error)[]): readonly [string, boolean] {
  const stream = createStream(steps);
  let closed = false;
  writeWhole(stream, "abc é fin", () => closed = true);
  return [stream.taken(), closed];
}

Deno.test("all of a text is written, in as many pieces as the system takes", () => {
  assertEquals(write([]), ["abc é fin", false]);
  assertEquals(write([1, 4, 0, 1]), ["abc é fin", false]);
});

Deno.test("a full pipe that doesn't block is waited for, nothing is lost", () => {
  const full = () => new Deno.errors.WouldBlock("Resource temporarily unavailable");
  assertEquals(write([full(), 3, full(), full()]), ["abc é fin", false]);
});

Deno.test("a closed pipe swallows the rest and is told, anything else is an error", () => {
  assertEquals(write([3, new Deno.errors.BrokenPipe()]), ["abc", true]);
  assertThrows(() => write([new Deno.errors.BadResource("x")]), Deno.errors.BadResource);
});

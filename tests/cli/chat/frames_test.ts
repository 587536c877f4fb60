import { assertEquals } from "@std/assert";
import { createFrames } from "../../../src/cli/chat/frames.ts";

/** A clock whose waits end by hand. */
function handClock() {
  const waits: { readonly ms: number; readonly end: () => void }[] = [];
  const time = { ms: 1_000 };
  const clock = {
    now: () => time.ms,
    monotonic: () => time.ms,
    random: () => 0,
    sleep: (ms: number) => new Promise<void>((end) => void waits.push({ ms, end })),
  };
  return {
    clock,
    waits: () => waits.map(({ ms }) => ms),
    async pass(ms: number) {
      time.ms += ms;
      waits.shift()!.end();
      await Promise.resolve();
    },
  };
}

Deno.test("The first piece is drawn with the next turn, all of one read together, the next after a frame", async () => {
  const { clock, waits, pass } = handClock();
  let drawings = 0;
  const touch = createFrames(clock, () => drawings++, new AbortController().signal);
  touch();
  touch();
  assertEquals([waits().map((ms) => Math.max(0, ms)), drawings], [[0], 0]);
  await pass(0);
  assertEquals(drawings, 1);
  touch();
  touch();
  assertEquals([waits(), drawings], [[8], 1]);
  await pass(8);
  assertEquals(drawings, 2);
  touch();
  assertEquals(waits(), [8]);
  await pass(30);
  touch();
  assertEquals([waits(), drawings], [[8], 3]);
});

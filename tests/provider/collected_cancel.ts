/**
 * Cancels a stream after memory was collected and prints how it ended; a program of its own, since only
 * `--v8-flags=--expose-gc` can say when.
 */
import { createModelClient } from "../../src/provider/client.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { createClock } from "../../src/system/clock.ts";
import { BODY, drain } from "./client_world.ts";

/** A test that hangs says so. */
const LIMIT_MS = 5_000;

const { gc } = globalThis as unknown as { gc(): void };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const client = createModelClient({
  provider: findProvider("custom", { baseUrl: Deno.args[0], model: "m" }),
  clock: createClock(),
  onWait: () => {},
});
const aborter = new AbortController();
const stream = await client.openStream(BODY, aborter.signal);
await stream.next();
for (let i = 0; i < 2; i++) {
  gc();
  await pause(30);
}
setTimeout(() => aborter.abort("esc"), 30);
const cause = drain(stream).then(({ end }) => end.how === "cut" ? end.cause : end.how);
console.log(await Promise.race([cause, pause(LIMIT_MS).then(() => "nothing ended it")]));
Deno.exit(0);

import { assertEquals } from "@std/assert";
import { soakKills } from "../../scripts/soak_kill.ts";

const PROGRAM = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-check",
  new URL("../../main.ts", import.meta.url).pathname,
];

Deno.test("a task that is killed at random moments does each call once, or says that it doesn't know", async () => {
  const reports = await soakKills(12, { program: PROGRAM, seed: "kill_test", within: 1200 });
  assertEquals(reports.flatMap(({ faults }) => faults), []);
});

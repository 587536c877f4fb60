import { assertEquals } from "@std/assert";
import { soakCancels } from "../../scripts/soak_cancel.ts";
import { trySandbox } from "../../src/agent/sandbox.ts";
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";

const PROGRAM = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-check",
  new URL("../../main.ts", import.meta.url).pathname,
];
/** How often each phase is cancelled; the soak does it 200 times. */
const TIMES = 2;

Deno.test("a task that is cancelled in any phase ends with 130, leaves no process and a whole session", async () => {
  const phases = ["connecting", "headers", "stream", "tool", "patch", ...await sandboxPhase()];
  const reports = await soakCancels(TIMES, { program: PROGRAM, seed: "cancel_test", phases });
  assertEquals(reports.map(({ times }) => times.length), phases.map(() => TIMES));
  assertEquals(reports.flatMap(({ faults }) => faults), []);
});

async function sandboxPhase(): Promise<string[]> {
  const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
  const found = await trySandbox({ bwrap: "/usr/bin/bwrap", seatbelt: false }, processes);
  await processes.close();
  if (found.kind !== "none") return ["sandbox"];
  console.log(`CANCEL IN THE SANDBOX NOT TESTED: ${found.why}`);
  return [];
}

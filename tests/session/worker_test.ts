/** The promise of SPEC 7, end to end: whatever is killed when, no effect happens twice and none is lost from the record. */
import { assert, assertEquals } from "@std/assert";
import { foldRecords } from "../../src/session/fold.ts";
import { readSession } from "../../src/session/verify.ts";
import { logFiles, tempFolder } from "./samples.ts";

const WORKER = new URL("./worker.ts", import.meta.url).pathname;
const ROOT = new URL("../../", import.meta.url).pathname;

/** When to kill: so long after the worker began its `calls`-th call. */
interface Moment {
  readonly calls: number;
  readonly ms: number;
}

/** Starts the worker and kills it; returns whether it came to its end before. */
async function runAndKill(args: readonly string[], moment: Moment): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", WORKER, ...args],
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said = new Response(child.stderr).text();
  let begun = 0;
  for await (const { length } of child.stdout) {
    const before = begun;
    begun += length;
    if (before >= moment.calls || begun < moment.calls) continue;
    await new Promise((resolve) => setTimeout(resolve, moment.ms));
    kill(child);
  }
  const { code, signal } = await child.status;
  assert(signal === "SIGKILL" || code === 0, await said);
  await said;
  return signal === null;
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It has come to its end.
    if (!(error instanceof TypeError)) throw error;
  }
}

Deno.test("a task that is killed again and again does each call once, or says that it doesn't know", async () => {
  const folder = tempFolder();
  const [path, effects] = [`${folder}/s.jsonl`, `${folder}/effects`];
  let kills = 0;
  // Moments that drift over the steps of a call.
  const moment = () => ({ calls: 1 + kills % 3, ms: (kills * 1.3) % 7 });
  while (!await runAndKill([path, effects], moment())) assert(++kills < 60, "it never ended");
  assert(kills >= 4, `only ${kills} kills`);
  const { records, fault } = readSession(path, logFiles);
  assertEquals(fault, undefined);
  const happened = Deno.readTextFileSync(effects).trim().split("\n").map(Number);
  assertEquals(new Set(happened).size, happened.length, `an effect happened twice: ${happened}`);
  const turns = foldRecords(records).turns().filter((turn) => turn.kind === "assistant");
  const results = turns.flatMap((turn) => turn.results);
  assertEquals(results.map(({ id }) => id), Array.from({ length: 20 }, (_, k) => `c${k}`));
  for (const [k, { exit, output }] of results.entries()) {
    if (exit === 0) assert(happened.includes(k), `call ${k} is said to have run and didn't`);
    else assertEquals(output.split("\n")[0], "interrupted: outcome unknown");
  }
});

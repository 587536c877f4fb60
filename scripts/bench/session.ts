/**
 * Sessions at size: opening and folding one of 10,000 records, listing 1,000, and listing 50 of 20 MB.
 *
 * Usage: deno run -A scripts/bench/session.ts        (exit 1 when a limit is not kept)
 */
import { createLogFiles } from "../../src/system/log_file.ts";
import { listSessions, sessionPath } from "../../src/session/find.ts";
import { createSession, openSession } from "../../src/session/log.ts";
import { liveSession } from "../../src/session/conversation.ts";
import { verifySession } from "../../src/session/verify.ts";
import type { SessionRecord } from "../../src/session/records.ts";

const logFiles = createLogFiles();
const clock = { now: () => Date.now() };
const parts = { logFiles, clock };
const RUNS = 5;
let late = false;

/** What a message with one call leaves: 4 records, with output of a usual size. */
function messageRecords(k: number): readonly SessionRecord[] {
  const call = {
    id: `c${k}`,
    name: "run",
    arguments: { command: `make ${k}` },
    values: "text",
  } as const;
  const output = `line ${k} of the output of a command é\n`.repeat(k % 40);
  const usage = { inputTokens: 1000 + k, outputTokens: 50 };
  const kept = `I look.\ncall c${k} run\narg command <<END\nmake ${k}\nEND\nend\n`;
  return [
    { kind: "call", call },
    { kind: "result", result: { id: call.id, name: "run", exit: 0, output }, ms: 3 },
    { kind: "text", text: "I look.\n" },
    { kind: "message", kept, how: "complete", finishReason: "stop", usage },
  ];
}

function make(folder: string, id: string, messages: number): string {
  const path = sessionPath(folder, id);
  const model = { protocol: "ctl-heredoc", provider: "sim", model: "m" } as const;
  const { log } = createSession(
    path,
    { id, cwd: "/p", system: "S".repeat(3000), ...model },
    parts,
  );
  log.append({ kind: "user", text: "Mend the tests" });
  for (let k = 0; k < messages; k++) {
    for (const record of messageRecords(k)) log.append(record);
  }
  log.close();
  return path;
}

async function measure(name: string, limitMs: number, step: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await step();
    times.push(performance.now() - start);
  }
  const best = Math.min(...times);
  if (best > limitMs) late = true;
  const all = times.map((ms) => ms.toFixed(0)).join(" ");
  console.log(`${name}: ${best.toFixed(0)} ms (limit ${limitMs} ms; runs ${all})`);
}

const folder = Deno.makeTempDirSync({ prefix: "cst-bench-" });
try {
  const long = make(`${folder}/long`, "long", 2500);
  const size = (Deno.statSync(long).size / 1e6).toFixed(1);
  await measure(`open and fold 10,002 records (${size} MB)`, 300, async () => {
    const session = liveSession(await openSession(long, parts), () => "");
    session.close();
    if (session.turns().length !== 2501) throw new Error("not all turns were folded");
  });
  await measure("verify it", 300, () => {
    const { fault } = verifySession(long, logFiles);
    return fault === undefined ? Promise.resolve() : Promise.reject(new Error(fault));
  });
  for (let k = 0; k < 1000; k++) make(`${folder}/many`, `s${k}`, 5);
  await measure("list 1,000 sessions", 1000, () => {
    const { length } = listSessions(`${folder}/many`, logFiles).sessions;
    return length === 1000 ? Promise.resolve() : Promise.reject(new Error(`listed ${length}`));
  });
  for (let k = 0; k < 50; k++) {
    const path = make(`${folder}/large`, `l${k}`, 1);
    const file = Deno.openSync(path, { append: true });
    file.truncateSync(20_000_000);
    file.close();
  }
  await measure("list 50 sessions of 20 MB (sparse)", 1000, () => {
    const { length } = listSessions(`${folder}/large`, logFiles).sessions;
    return length === 50 ? Promise.resolve() : Promise.reject(new Error(`listed ${length}`));
  });
} finally {
  Deno.removeSync(folder, { recursive: true });
}
if (late) Deno.exit(1);

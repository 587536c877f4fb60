import { assertEquals, assertMatch } from "@std/assert";
import { readSession } from "../../src/session/verify.ts";
import { STEADY } from "../../src/sim/options.ts";
import { startSim } from "../../src/sim/server.ts";
import { createClock } from "../../src/system/clock.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { type Home, withHome } from "./program.ts";

const CALLS = 12;
const PAGE = 4096;
/** The prompt and the calls' records fill about that many pages of a tmpfs. */
const PAGES = 9;

function mounted(...argv: readonly [string, ...string[]]): boolean {
  return new Deno.Command(argv[0], { args: argv.slice(1), stderr: "null" }).outputSync().success;
}

const steps = Array.from({ length: CALLS }, (_, i) => ({
  text: `Number ${i + 1}, and why: ${"because ".repeat(150)}`,
  calls: [{ name: "run", arguments: { command: `echo ${i + 1} >> numbers` } }],
}));

/** The numbers of the calls that the session holds an intent of. */
function intended(folder: string): number[] {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  const name = names.find((each) => each.endsWith(".jsonl"));
  if (name === undefined || Deno.statSync(`${folder}/${name}`).size === 0) return [];
  const { records, fault } = readSession(`${folder}/${name}`, createLogFiles());
  assertEquals(fault, undefined);
  return records.flatMap((record) =>
    record.kind === "call"
      ? [Number(/echo (\d+)/.exec(String(record.call.arguments.command))?.[1])]
      : []
  );
}

/** Runs the task with the session on a disk of which `pages` are free. */
async function runWith(home: Home, disk: string, pages: number): Promise<number> {
  Deno.writeFileSync(`${disk}/filling`, new Uint8Array((2 + PAGES - pages) * PAGE));
  const { exit, stderr } = await home.run(
    ["run", "-A", "-p", "Write the numbers", "--protocol=ctl-heredoc", `--session-dir=${disk}/s`],
    { env: { CST_PROVIDER: "sim" } },
  );
  const done = Deno.readTextFileSync(`${home.cwd}/numbers`).trim().split("\n").filter(Boolean)
    .map(Number);
  const made = [...Deno.readDirSync(disk)].some(({ name }) => name === "s");
  const recorded = made ? intended(`${disk}/s`) : [];
  // What ran was recorded before; what was recorded last may not have run.
  assertEquals(done, recorded.slice(0, done.length), `${pages} pages free`);
  assertEquals(recorded.length - done.length <= 1, true, `${pages} pages free`);
  if (exit !== 0) {
    assertMatch(stderr, /no space left on the disk|the disk took \d+ of \d+ bytes/);
    assertEquals(exit, 3, stderr);
  }
  return done.length;
}

Deno.test("a disk that fills at any moment of a run stops it before what could not be recorded", async () => {
  const sim = startSim({
    plan: { steps: [...steps, { text: "Done.", calls: [] }] },
    clock: createClock(),
    ...STEADY,
    seed: "disk",
  });
  try {
    await withHome(sim.url, async (home) => {
      const disk = `${home.top}/disk`;
      Deno.mkdirSync(disk);
      const counts: number[] = [];
      for (let pages = 0; pages <= PAGES + 1; pages++) {
        Deno.writeTextFileSync(`${home.cwd}/numbers`, "");
        const size = `size=${(2 + PAGES) * PAGE}`;
        if (!mounted("mount", "-t", "tmpfs", "-o", size, "tmpfs", disk)) {
          console.log("left out: this user may not mount a tmpfs");
          assertEquals(Deno.env.has("CI") && Deno.uid() === 0, false);
          return;
        }
        try {
          counts.push(await runWith(home, disk, pages));
        } finally {
          mounted("umount", disk);
        }
      }
      // Nothing where there's no room, more where there's more.
      assertEquals(counts[0], 0);
      assertEquals(counts.toSorted((a, b) => a - b), counts);
      assertEquals(counts.at(-1)! > 4, true, counts.join());
    });
  } finally {
    await sim.stop();
  }
});

Deno.test("a session folder that can't be written is told before anything is asked or done", async () => {
  await withHome("http://127.0.0.1:9/v1", async (home) => {
    const disk = `${home.top}/disk`;
    Deno.mkdirSync(disk);
    if (!mounted("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", disk)) {
      console.log("left out: this user may not mount a tmpfs");
      assertEquals(Deno.env.has("CI") && Deno.uid() === 0, false);
      return;
    }
    try {
      const ended = await home.run(["run", "-A", "-p", "hi", `--session-dir=${disk}/s`]);
      assertEquals([ended.exit, ended.stdout], [3, ""]);
      assertMatch(
        ended.stderr,
        /^cst-agent: Cannot start a session ".*": the disk is read-only \(--session-dir names another folder\)\n$/,
      );
    } finally {
      mounted("umount", disk);
    }
  });
});

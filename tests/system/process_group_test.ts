import { assert, assertEquals, assertRejects } from "@std/assert";
import { FileError } from "../../src/system/system.ts";
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import { alive, kill, leftAfter, runScript, uniqueSeconds } from "./processes.ts";

/** Both ways of making a session, wherever they are. */
const WAYS: readonly (string | undefined)[] = [findSetsid(), undefined];

for (const setsid of new Set(WAYS)) {
  const way = setsid ?? "detached";

  Deno.test(`runGroup() by ${way} keeps the order of both outputs in one pipe`, async () => {
    const script = "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done";
    const { output } = await runScript(script, { setsid });
    assertEquals(output, "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n");
  });

  Deno.test(`runGroup() by ${way} gives the leader its own session and an empty input`, async () => {
    const { output } = await runScript(
      'set -- $(cat /proc/self/stat); cat; echo "$(ps -o pgid=,sid= -p $$ | tr -s " ") $$"',
      { setsid },
    );
    const [group, session, leader] = output.trim().split(/\s+/);
    assertEquals([group, session], [leader, leader]);
  });

  Deno.test(`runGroup() by ${way} kills the whole group at the time limit`, async () => {
    const seconds = uniqueSeconds();
    const ran = await runScript(`echo before; sh -c 'sleep ${seconds} | cat'`, {
      setsid,
      timeoutMs: 300,
    });
    assertEquals([ran.exit, ran.reason, ran.output], [124, "timeout", "before\n"]);
    assertEquals(alive(seconds), []);
  });

  Deno.test(`runGroup() by ${way} stops a command that was cancelled before it started`, async () => {
    const seconds = uniqueSeconds();
    const ran = await runScript(`sleep ${seconds}`, { setsid, signal: AbortSignal.abort() });
    assertEquals([ran.exit, ran.reason], [130, "cancelled"]);
    assertEquals(alive(seconds), []);
  });
}

const EXITS: readonly {
  readonly script: string;
  readonly exit: number;
  readonly signal: string | null;
}[] = [
  { script: "exit 0", exit: 0, signal: null },
  { script: "exit 7", exit: 7, signal: null },
  { script: "exit 143", exit: 143, signal: null },
  { script: "kill -9 $$", exit: 137, signal: "SIGKILL" },
  { script: "kill -SEGV $$", exit: 139, signal: "SIGSEGV" },
  { script: "kill -TERM $$", exit: 143, signal: "SIGTERM" },
];

Deno.test("runGroup() tells the leader's exit code or signal", async () => {
  for (const { script, exit, signal } of EXITS) {
    const ran = await runScript(script);
    assertEquals({ script, exit: ran.exit, signal: ran.signal }, { script, exit, signal });
    assertEquals(ran.reason, "exited");
  }
});

Deno.test("runGroup() returns when the leader ends though a background child holds the pipe", async () => {
  const seconds = uniqueSeconds();
  const ran = await runScript(`sleep ${seconds} & echo started`);
  const left = alive(seconds);
  kill(left);
  assertEquals([ran.exit, ran.output, ran.backgroundLeft, left.length], [0, "started\n", true, 1]);
});

Deno.test("runGroup() sees a background child that has let go of the pipe", async () => {
  const seconds = uniqueSeconds();
  const ran = await runScript(`sleep ${seconds} >/dev/null 2>&1 & echo started`);
  kill(alive(seconds));
  assertEquals(ran.backgroundLeft, true);
});

Deno.test("runGroup() kills background children where that is asked for", async () => {
  const seconds = uniqueSeconds();
  const ran = await runScript(`sleep ${seconds} & echo started`, { killBackground: true });
  assertEquals([ran.exit, ran.backgroundLeft], [0, true]);
  assertEquals(await leftAfter(seconds, 1000), []);
});

Deno.test("runGroup() says nothing of background children where there are none", async () => {
  const ran = await runScript("echo a | cat; (echo b &) ; wait");
  assertEquals(ran.backgroundLeft, false);
});

Deno.test("runGroup() kills what ignores SIGTERM, after the grace", async () => {
  const seconds = uniqueSeconds();
  const ran = await runScript(
    `trap '' TERM; (trap '' TERM; sleep ${seconds}) & while :; do sleep ${seconds}; done`,
    { timeoutMs: 200 },
  );
  assertEquals([ran.exit, ran.signal], [124, "SIGKILL"]);
  assertEquals(alive(seconds), []);
});

Deno.test("runGroup() lets a command clean up at SIGTERM", async () => {
  const ran = await runScript("trap 'echo cleaned; exit 1' TERM; sleep 300 & wait", {
    timeoutMs: 200,
  });
  assertEquals([ran.exit, ran.output], [124, "cleaned\n"]);
});

Deno.test("runGroup() stops children that a shell with job control put into groups of their own", async () => {
  const seconds = uniqueSeconds();
  await runScript(`set -m; sleep ${seconds} & sleep ${seconds}`, { timeoutMs: 300 });
  assertEquals(alive(seconds), []);
});

Deno.test("runGroup() stops a child that fled by setsid and a double fork", async () => {
  const seconds = uniqueSeconds();
  const ran = await runScript(
    `setsid sh -c '(sleep ${seconds} &)'; setsid sleep ${seconds} & sleep ${seconds}`,
    { timeoutMs: 300 },
  );
  assertEquals(ran.exit, 124);
  assertEquals(alive(seconds), []);
});

Deno.test("killAll() leaves neither running commands nor left background children", async () => {
  const seconds = uniqueSeconds();
  const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
  const request = {
    cwd: "/tmp",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    killBackground: false,
    onOutput: () => {},
  };
  await processes.runGroup({ ...request, argv: ["/bin/sh", "-c", `setsid sleep ${seconds} &`] });
  let running: Promise<unknown> | undefined;
  await new Promise<void>((started) => {
    running = processes.runGroup({
      ...request,
      argv: ["/bin/sh", "-c", `echo up; setsid sleep ${seconds} & sleep ${seconds}`],
      onOutput: () => started(),
    });
  });
  processes.killAll();
  await running;
  const left = await leftAfter(seconds, 1000);
  await processes.close();
  assertEquals(left, []);
});

Deno.test("runGroup() names a folder that doesn't exist", async () => {
  const error = await assertRejects(() => runScript("true", { cwd: "/no/such/folder" }), FileError);
  assertEquals((error as FileError).code, "ENOENT");
});

Deno.test("runGroup() answers 127 for a program that doesn't exist", async () => {
  const ran = await runScript("", { argv: ["/no/such/program"] });
  assertEquals(ran.exit, 127);
  assert(ran.output.includes("/no/such/program"));
});

Deno.test("runGroup() kills the command and throws when the reader of its output fails", async () => {
  const seconds = uniqueSeconds();
  await assertRejects(() =>
    runScript(`echo a; sleep ${seconds}`, {
      onOutput: () => {
        throw new Error("disk full");
      },
    }), Error);
  assertEquals(await leftAfter(seconds, 1000), []);
});

Deno.test("runGroup() leaves nothing of a command that is cancelled while it starts", async () => {
  for (let run = 0; run < 20; run++) {
    const seconds = uniqueSeconds();
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), run / 2);
    const script =
      `sleep ${seconds} & setsid sleep ${seconds} & (sleep ${seconds} &); sleep ${seconds}`;
    const ran = await runScript(script, { signal: cancel.signal });
    assertEquals([ran.exit, await leftAfter(seconds, 500)], [130, []]);
  }
});

Deno.test("a command that is stopped takes none with it that another keeper started in the same millisecond", async () => {
  const clock = { ...createClock(), now: () => 1e12 };
  const request = {
    cwd: "/tmp",
    env: { PATH: "/usr/bin:/bin" },
    signal: new AbortController().signal,
    killBackground: false,
    onOutput: () => {},
  };
  const keepers = [1, 2].map(() => createProcesses({ clock, setsid: findSetsid() }));
  const ends = await Promise.all(keepers.map((keeper, at) => {
    const [script, timeoutMs] = at === 0 ? ["sleep 30", 100] : ["sleep 0.5", 10_000];
    return keeper.runGroup({ ...request, argv: ["/bin/sh", "-c", script], timeoutMs });
  }));
  for (const keeper of keepers) await keeper.close();
  assertEquals(ends.map(({ exit }) => exit), [124, 0]);
});

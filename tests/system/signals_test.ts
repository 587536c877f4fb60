import { assertEquals } from "@std/assert";
import { alive, kill, leftAfter, uniqueSeconds } from "./processes.ts";

/** The agent's stub with a running command that has printed its first line. */
async function startStub(script: string): Promise<Deno.ChildProcess> {
  const stub = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("agent_stub.ts", import.meta.url).pathname, script],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    // In a group of its own, as under a shell with job control.
    detached: true,
  }).spawn();
  const reader = stub.stdout.getReader();
  await reader.read();
  await reader.cancel();
  return stub;
}

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

for (const signal of SIGNALS) {
  Deno.test(`nothing outlives the program at ${signal}, which ends in order`, async () => {
    const seconds = uniqueSeconds();
    const stub = await startStub(
      `echo up; trap '' TERM INT HUP; sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}`,
    );
    stub.kill(signal);
    assertEquals((await stub.status).code, 77);
    assertEquals(await leftAfter(seconds, 1000), []);
  });
}

Deno.test("nothing outlives the program at a second signal, which it obeys at once", async () => {
  const seconds = uniqueSeconds();
  const stub = await startStub(
    `echo up; trap '' TERM; setsid sleep ${seconds} & while :; do sleep ${seconds}; done`,
  );
  stub.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 200));
  stub.kill("SIGINT");
  assertEquals((await stub.status).code, 130);
  assertEquals(await leftAfter(seconds, 1000), []);
});

Deno.test("what a command left in the background outlives an orderly end of the program", async () => {
  const seconds = uniqueSeconds();
  const stub = await startStub(`echo up; sleep ${seconds} >/dev/null 2>&1 &`);
  assertEquals((await stub.status).code, 0);
  const left = alive(seconds);
  kill(left);
  assertEquals(left.length, 1);
});

Deno.test("what a command left in the background is ended with the program by a signal", async () => {
  const seconds = uniqueSeconds();
  const stub = await startStub(`sleep ${seconds} >/dev/null 2>&1 & echo up; sleep ${seconds}`);
  stub.kill("SIGTERM");
  await stub.status;
  assertEquals(await leftAfter(seconds, 1000), []);
});

Deno.test("nothing in the session of a command outlives the program at SIGKILL", async () => {
  const seconds = uniqueSeconds();
  const stub = await startStub(`echo up; trap '' TERM; sleep ${seconds} & sleep ${seconds}`);
  Deno.kill(-stub.pid, "SIGKILL");
  await stub.status;
  assertEquals(await leftAfter(seconds, 2000), []);
});

Deno.test("nothing outlives the program when its terminal closes", async () => {
  const seconds = uniqueSeconds();
  const stub = new URL("agent_stub.ts", import.meta.url).pathname;
  // `script` gives the stub a terminal, and takes it away when it is killed itself.
  const terminal = new Deno.Command("script", {
    args: [
      "-qec",
      `${Deno.execPath()} run -A --no-check ${stub} 'echo up; trap "" HUP; sleep ${seconds}'`,
      "/dev/null",
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  const reader = terminal.stdout.getReader();
  await reader.read();
  terminal.kill("SIGKILL");
  await terminal.status;
  await reader.cancel();
  assertEquals(await leftAfter(seconds, 3000), []);
});

/** Real programs that write sessions and are killed, run out of room or meet each other. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SessionError } from "../../src/errors.ts";
import { openSession } from "../../src/session/log.ts";
import { readLines } from "../../src/session/lines.ts";
import { partsWith, tempFolder } from "./samples.ts";

const WRITER = new URL("./writer.ts", import.meta.url).pathname;
const ROOT = new URL("../../", import.meta.url).pathname;
const DENO = ["run", "-A", "--no-check", WRITER];

function writer(path: string, ...more: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [...DENO, path, ...more],
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Reads numbers from a writer until `until` is acknowledged; then kills it and returns the last number. */
async function killAfter(child: Deno.ChildProcess, until: number): Promise<number> {
  const decoder = new TextDecoder();
  let text = "";
  let killed = false;
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    const seen = Number(text.split("\n").at(-2) ?? 0);
    if (!killed && seen >= until) {
      child.kill("SIGKILL");
      killed = true;
    }
  }
  await Promise.all([child.status, child.stderr.cancel()]);
  return Number(text.split("\n").at(-2) ?? 0);
}

Deno.test("a writer that is killed at any moment leaves a file with everything it acknowledged", async () => {
  for (const until of [1, 3, 11, 47, 150, 301]) {
    const path = `${tempFolder()}/s.jsonl`;
    const last = await killAfter(writer(path), until);
    assert(last >= until);
    const opened = await openSession(path, partsWith());
    assert(opened.records.length >= last, `${opened.records.length} of ${last} records`);
    opened.log.append({ kind: "user", text: "on" });
    opened.log.close();
    assertEquals(readLines(Deno.readFileSync(path)).fault, undefined);
  }
});

Deno.test("a session that another process writes is refused, and free again when it's killed", async () => {
  const path = `${tempFolder()}/s.jsonl`;
  const child = writer(path);
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  await assertRejects(
    () => openSession(path, partsWith()),
    SessionError,
    "another process is writing to it",
  );
  await killAfter(child, 0);
  (await openSession(path, partsWith())).log.close();
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

interface Ended {
  readonly code: number;
  readonly acknowledged: number;
  readonly said: string;
}

async function endOf(command: string, args: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: ROOT,
    stdin: "null",
  }).output();
  const numbers = new TextDecoder().decode(stdout).trim().split("\n");
  return { code, acknowledged: Number(numbers.at(-1)), said: new TextDecoder().decode(stderr) };
}

async function assertWholeAfter(ended: Ended, path: string): Promise<void> {
  assertEquals(ended.code, 3);
  assertStringIncludes(ended.said, `Cannot write the session "${path}": `);
  assertEquals(ended.said.trim().split("\n").length, 1);
  const read = readLines(Deno.readFileSync(path));
  assertEquals(read.fault, undefined);
  assert(read.records.length >= ended.acknowledged && ended.acknowledged > 1);
  const opened = await openSession(path, partsWith());
  opened.log.close();
  assertEquals(opened.notices, []);
}

const linux = Deno.build.os === "linux";

Deno.test({
  name:
    "a write over the file-size limit is cut back, told, and the session goes on when it's lifted",
  ignore: !linux,
  async fn() {
    const path = `${tempFolder()}/s.jsonl`;
    const child = writer(path);
    const output = new Response(child.stdout).text();
    const errors = new Response(child.stderr).text();
    for (let tries = 0; tries < 2000 && !await exists(path); tries++) await pause(5);
    // From outside and after the start, since the limit holds for the runtime's own caches too.
    const limit = ["--fsize=300000:300000", "--pid", String(child.pid)];
    assert((await new Deno.Command("prlimit", { args: limit }).output()).success);
    const { code } = await child.status;
    const acknowledged = Number((await output).trim().split("\n").at(-1));
    await assertWholeAfter({ code, acknowledged, said: await errors }, path);
    assert(Deno.statSync(path).size <= 300_000);
  },
});

Deno.test({
  name: "a full disk is told and leaves whole records, wherever it fills up",
  ignore: !linux,
  async fn() {
    const folder = tempFolder();
    const mount = new Deno.Command("mount", {
      args: ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder],
      stderr: "null",
    });
    if (!(await mount.output()).success) {
      console.log("left out: no right to mount a small tmpfs here");
      assert(Deno.env.get("CI") === undefined, "a full disk must be tested in CI");
      return;
    }
    try {
      for (const filled of [0, 20_000, 50_000]) {
        Deno.writeFileSync(`${folder}/filler`, new Uint8Array(filled));
        const path = `${folder}/s${filled}.jsonl`;
        await assertWholeAfter(await endOf(Deno.execPath(), [...DENO, path]), path);
        Deno.removeSync(path);
      }
    } finally {
      await new Deno.Command("umount", { args: [folder] }).output();
    }
  },
});

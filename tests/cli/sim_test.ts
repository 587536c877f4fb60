import { assertEquals, assertRejects } from "@std/assert";
import { sim } from "../../src/cli/sim.ts";
import { ConfigError, UsageError, type UserError } from "../../src/errors.ts";
import { writeText } from "../../src/system/folders.ts";
import { type TestWorld, withWorld } from "../eval/bench.ts";

/** The base URL that the command prints, within a second. */
async function readUrl(test: TestWorld): Promise<string> {
  for (let i = 0; i < 200 && test.stdout() === ""; i++) await test.world.clock.sleep(5);
  return test.stdout().trim();
}

/** Asks the server at `url`, which may not listen yet. */
async function ask(url: string): Promise<string> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "sim", stream: true, messages: [] }),
  });
  return await response.text();
}

Deno.test("sim prints its base URL, plays the plan of a folder and stops at a signal", async () => {
  await withWorld(async (test) => {
    const stop = new AbortController();
    const world = { ...test.world, signal: stop.signal };
    const serving = sim(["--plan", `${test.folder}/yes`], world);
    const text = await ask(await readUrl(test));
    assertEquals(text.includes('"content":"Done"'), true);
    stop.abort("SIGINT");
    assertEquals(await serving, 0);
    assertEquals(test.stderr().split("\n")[0]!.includes('"kind":"request"'), true);
  });
});

Deno.test("sim tells a person at a terminal what to do with its address, and a pipe the address alone", async () => {
  for (const terminal of [true, false]) {
    await withWorld(async (test) => {
      const stop = new AbortController();
      const serving = sim([], {
        ...test.world,
        signal: stop.signal,
        terminal: { stdin: terminal, stdout: terminal, stderr: terminal },
      });
      const url = await readUrl(test);
      const told = test.stderr();
      assertEquals(
        told.includes(`cst-agent --provider sim --base-url ${url} --allow-run=wc "`),
        terminal,
      );
      assertEquals(told === "", !terminal);
      stop.abort("SIGINT");
      await serving;
    });
  }
});

Deno.test("sim --hold-until keeps the end of the stream until the file is there", async () => {
  await withWorld(async (test) => {
    const stop = new AbortController();
    const world = { ...test.world, signal: stop.signal };
    const file = `${test.folder}/go`;
    const serving = sim(["--plan", `${test.folder}/yes`, "--hold-until", "go"], world);
    const url = await readUrl(test);
    let over = false;
    const asking = ask(url).finally(() => over = true);
    await world.clock.sleep(60);
    assertEquals(over, false);
    await writeText(file, "");
    assertEquals((await asking).includes("[DONE]"), true);
    stop.abort("SIGINT");
    await serving;
  });
});

Deno.test("sim says what is wrong with its arguments", async () => {
  await withWorld(async (test) => {
    await writeText(`${test.folder}/bad.json`, "{}");
    const rows: [string[], new () => UserError, string][] = [
      [["--port", "x"], UsageError as never, 'Option "--port" needs a number: "x"'],
      [["--protocol", "clt"], UsageError as never, 'Unknown protocol "clt"'],
      [["--plan", "none"], ConfigError as never, 'Cannot read "none/plan.json"'],
      [["--plan", "bad.json"], ConfigError as never, 'it has no "steps"'],
      [["--faults", "bad2.json"], ConfigError as never, 'Cannot read "bad2.json"'],
    ];
    for (const [argv, kind, message] of rows) {
      await assertRejects(() => sim(argv, test.world), kind, message);
    }
  });
});

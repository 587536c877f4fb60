/** `cst-agent run`, its options and what it prints where. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calls, says, withStage } from "./agent_world.ts";

const touch = calls(["run", { command: "echo made > made.txt" }]);

Deno.test("the final answer goes to standard output, everything else to standard error", async () => {
  await withStage([touch, says("All is made.\n")], async (stage) => {
    const ran = await stage.run(["--protocol=native-eos", "-A", "Make it"]);
    assertEquals([ran.exit, ran.stdout], [0, "All is made.\n"]);
    const lines = ran.stderr.split("\n");
    assertStringIncludes(lines[0]!, "custom/m · native-eos · ");
    assertEquals(lines[1], "● run echo made > made.txt");
    assertStringIncludes(lines[2]!, "  ✓ exit 0 · ");
    assertStringIncludes(lines[2]!, " · 0 lines");
    assert(!ran.stderr.includes("\u001b"));
    assertEquals(Deno.readTextFileSync(`${stage.cwd}/made.txt`), "made\n");
  });
});

Deno.test("--quiet leaves the answer and the warnings", async () => {
  await withStage([touch, says("Made.")], async (stage) => {
    const ran = await stage.run(["--protocol=native-eos", "-A", "-q", "Make it"]);
    assertEquals([ran.exit, ran.stdout, ran.stderr], [0, "Made.\n", ""]);
  });
  await withStage([touch, says("I may not.")], async (stage) => {
    const ran = await stage.run(["--protocol=native-eos", "-q", "Make it"]);
    assertEquals([ran.exit, ran.stdout], [6, "I may not.\n"]);
    const [refused, ...rest] = ran.stderr.split("\n");
    assertStringIncludes(refused!, "! Refused: ");
    assertStringIncludes(refused!, "(allowed by --allow-run");
    assertEquals(rest, [
      "cst-agent: A permission was refused and the task ended there",
      'To go on: cst-agent --continue "go on", with the flag named above',
      "",
    ]);
  });
});

Deno.test("--output-last writes the answer to a file, new or there already, also through a link", async () => {
  await withStage([{ ...says("Ans é\n"), repeat: true }], async (stage) => {
    const { cwd } = stage;
    Deno.writeTextFileSync(`${cwd}/old.txt`, "old");
    Deno.symlinkSync("old.txt", `${cwd}/link.txt`);
    for (const name of ["new.txt", "old.txt", "link.txt"]) {
      const ran = await stage.run(["-A", `--output-last=${name}`, "Say"]);
      assertEquals(ran.exit, 0, ran.stderr);
      assertEquals(Deno.readTextFileSync(`${cwd}/${name}`), "Ans é\n");
    }
    assert(Deno.lstatSync(`${cwd}/link.txt`).isSymlink);
    assertEquals([...Deno.readDirSync(cwd)].length, 3, "no temporary file is left");
  });
});

Deno.test("what a flag names beside a link's target is written there", async () => {
  await withStage([{ ...says("Answer\n"), repeat: true }], async (stage) => {
    const { cwd } = stage;
    Deno.mkdirSync(`${cwd}/deep/inner`, { recursive: true });
    Deno.symlinkSync("deep/inner", `${cwd}/link`);
    const ran = await stage.run(["-A", "--output-last=link/../a", "--record=link/../rec", "Say"]);
    assertEquals(ran.exit, 0, ran.stderr);
    assertEquals([...Deno.readDirSync(`${cwd}/deep`)].map(({ name }) => name).sort(), [
      "a",
      "inner",
      "rec",
    ]);
    assertEquals([...Deno.readDirSync(cwd)].map(({ name }) => name).sort(), ["deep", "link"]);
  });
});

Deno.test("--max-steps ends the run with exit 5, --timeout with exit 124, and the JSON says so", async () => {
  await withStage([{ ...touch, repeat: true }], async (stage) => {
    const argv = ["--protocol=native-eos", "-A", "--json", "Go"];
    const steps = await stage.run(["--max-steps=2", ...argv]);
    const last = steps.events.at(-1)!;
    assertEquals([steps.exit, last.outcome, last.exit, last.steps], [5, "step_limit", 5, 2]);
    assertEquals(steps.stderr, "cst-agent: Stopped after 2 steps (--max-steps)\n");
  });
  const sleep = calls(["run", { command: "echo started; sleep 30" }]);
  await withStage([{ ...sleep, repeat: true }], async (stage) => {
    const ran = await stage.run(["--protocol=native-eos", "-A", "--json", "--timeout=5", "Go"]);
    const last = ran.events.at(-1)!;
    assertEquals([ran.exit, last.outcome, last.exit], [124, "timeout", 124]);
    const [result] = ran.events.filter(({ type }) => type === "tool_result");
    assertEquals(result!.exit, 130);
    assertStringIncludes(String(result!.output), "started\n");
  });
});

Deno.test("--json: a call that runs long is told every second", async () => {
  const nap = calls(["run", { command: "sleep 0.5" }]);
  await withStage([nap, says("ok")], async (stage) => {
    const ran = await stage.run(["--protocol=native-eos", "-A", "--json", "Go"]);
    const progress = ran.events.filter(({ type }) => type === "tool_progress");
    assert(progress.length >= 1);
    assertEquals(progress[0], { type: "tool_progress", id: "c1", seconds: 1 });
    const types = ran.events.map(({ type }) => type);
    assert(types.lastIndexOf("tool_progress") < types.indexOf("tool_result"));
  });
});

Deno.test("--json: a run's events, whole and in order", async () => {
  await withStage([touch, says("Made.")], async (stage) => {
    const ran = await stage.run(["--protocol=native-eos", "-A", "--json", "Make it"]);
    const shown = ran.events.map((event) => {
      const { ms, confirmed_to_started_ms, session, cwd, ...rest } = event;
      assert([ms, confirmed_to_started_ms, session, cwd].length > 0);
      return rest;
    });
    const args = { command: "echo made > made.txt" };
    const usage = { input_tokens: 0, output_tokens: 0 };
    assertEquals<unknown>(shown, [
      { type: "schema", schema: "cst-agent.events", version: 1 },
      {
        type: "start",
        protocol: "native-eos",
        provider: "custom",
        model: "m",
        sandbox: shown[1]!.sandbox,
      },
      { type: "user", text: "Make it" },
      { type: "request", step: 1 },
      { type: "call", id: "c1", name: "run", at: shown[4]!.at },
      { type: "arg", id: "c1", key: "command", form: "json", at: shown[5]!.at },
      { type: "ready", id: "c1", name: "run", arguments: args, at: shown[6]!.at },
      { type: "tool_start", id: "c1", name: "run", arguments: args, stream_ended: true },
      { type: "tool_result", id: "c1", name: "run", exit: 0, output: "" },
      {
        type: "end",
        how: "complete",
        finish_reason: "tool_calls",
        usage: null,
        pending_max: shown[9]!.pending_max,
      },
      { type: "request", step: 2 },
      { type: "text", text: "Made." },
      { type: "end", how: "complete", finish_reason: "stop", usage: null, pending_max: 0 },
      {
        type: "outcome",
        outcome: "done",
        exit: 0,
        message: "Done",
        text: "Made.",
        steps: 2,
        usage,
        denied: 0,
      },
    ]);
  });
});

Deno.test("--continue goes on with the newest session of the directory, --session with the one named", async () => {
  await withStage([says("One."), says("Two."), says("Three.")], async (stage) => {
    await stage.run(["-A", "first"]);
    const id = stage.sessionPath().replace(/.*\/|\.jsonl$/g, "");
    await stage.run(["-A", "--continue", "second"]);
    await stage.run(["-A", `--session=${id}`, "third"]);
    const texts = stage.server.requests[2]!.body.messages.slice(1).map(({ content }) => content);
    assertEquals(texts, ["first", "One.", "second", "Two.", "third"]);
    const both = await stage.run(["-A", "--continue", `--session=${id}`, "x"]);
    assertEquals([both.exit, both.stderr], [
      2,
      'cst-agent: Give "--session" or "--continue", not both\n',
    ]);
  });
});

Deno.test("--continue names a session whose first line is damaged instead of overlooking it", async () => {
  await withStage([says("One.")], async (stage) => {
    await stage.run(["-A", "first"]);
    const path = stage.sessionPath();
    Deno.writeTextFileSync(path, `#${Deno.readTextFileSync(path)}`);
    const ended = await stage.run(["-A", "--continue", "second"]);
    assertEquals([ended.exit, ended.stderr], [
      3,
      `cst-agent: Cannot go on with "${path}": its first line can't be read\n`,
    ]);
  });
});

Deno.test("--record keeps each reply, and replay:DIR plays it again to the same events", async () => {
  await withStage([touch, says("Made.")], async (stage) => {
    const argv = ["--protocol=native-eos", "-A", "--json", "Make it"];
    const first = await stage.run(["--record=rec", ...argv]);
    const names = [...Deno.readDirSync(`${stage.cwd}/rec`)].map(({ name }) => name).sort();
    assertEquals(names, ["0001.request.json", "0001.sse", "0002.request.json", "0002.sse"]);
    const again = await stage.run(["--provider=replay:rec", "--model=m", ...argv]);
    const confirmed = (events: typeof first.events) =>
      events.filter(({ type }) => ["text", "call", "arg", "ready", "end"].includes(String(type)));
    assertEquals(confirmed(again.events), confirmed(first.events));
  });
});

Deno.test("a server that asks to come back later is exit 75, and a wait of more than a minute isn't begun", async () => {
  const busy = { status: 429, body: '{"error":{"message":"Slow down"}}' };
  await withStage([{ ...busy, repeat: true }], async (stage) => {
    const ran = await stage.run(["--retries=2", "--json", "Go"]);
    assertEquals([ran.exit, ran.events.at(-1)!.outcome], [75, "try_later"]);
    assertEquals(stage.server.requests.length, 3);
    assertEquals(ran.events.filter(({ type }) => type === "wait").length, 2);
  });
  const later = { ...busy, headers: { "retry-after": "300" }, repeat: true };
  await withStage([later], async (stage) => {
    const ran = await stage.run(["Go"]);
    assertEquals([ran.exit, stage.server.requests.length], [75, 1]);
    assertStringIncludes(ran.stderr, "Slow down (it asks to wait 300 s, longer than 60 s)");
  });
});

Deno.test("AGENTS.md is in the system message, its cut is told", async () => {
  await withStage([says("ok")], async (stage) => {
    Deno.writeTextFileSync(`${stage.cwd}/AGENTS.md`, "Use tabs.\n" + "x".repeat(40_000));
    const ran = await stage.run(["--json", "Go"]);
    const system = String(stage.server.requests[0]!.body.messages[0]!.content);
    assertStringIncludes(system, "The project's own instructions (AGENTS.md):\n\nUse tabs.\nxxx");
    const notices = ran.events.flatMap(({ type, message }) => type === "notice" ? [message] : []);
    assertEquals(notices, ["AGENTS.md is 40010 bytes long: the model gets the first 32768"]);
  });
});

Deno.test("commands see no key and no session, and run in the working directory", async () => {
  const look = calls(["run", { command: "pwd; echo key=$CUSTOM_API_KEY$DEEPSEEK_API_KEY" }]);
  await withStage([look, says("ok")], async (stage) => {
    const env = { CUSTOM_API_KEY: "sk-one-12345", DEEPSEEK_API_KEY: "sk-two-12345" };
    const ran = await stage.run(["--protocol=native-eos", "-A", "--json", "Go"], { env });
    const [result] = ran.events.filter(({ type }) => type === "tool_result");
    assertEquals(result!.output, `${stage.cwd}\nkey=\n`);
    assertEquals(stage.server.requests[0]!.headers.authorization, "Bearer sk-one-12345");
  });
});

Deno.test("a server that says nothing is left at once, by a signal or at the time limit", async () => {
  const silent = { status: 200, end: "silent", repeat: true } as const;
  await withStage([silent], async (stage) => {
    const ran = await stage.run(["--json", "--timeout=3", "Go"]);
    assertEquals([ran.exit, ran.events.at(-1)!.outcome], [124, "timeout"]);
    const stop = new AbortController();
    const onStdout = (text: string) => {
      if (text.includes('"request"')) setTimeout(() => stop.abort("SIGINT"), 50);
    };
    const stopped = await stage.run(["--json", "Go"], { signal: stop.signal, onStdout });
    assertEquals([stopped.exit, stopped.events.at(-1)!.outcome], [130, "cancelled"]);
  });
});

Deno.test("a signal in the middle of a reply keeps what was said and goes on from there", async () => {
  const slow = { ...says("One two three."), eventIntervalMs: 5000 };
  await withStage([slow, says("Yes.")], async (stage) => {
    const stop = new AbortController();
    const onStdout = (text: string) => {
      if (text.includes('"text"') && text.includes("One")) stop.abort("SIGTERM");
    };
    const stopped = await stage.run(["--json", "Go"], { signal: stop.signal, onStdout });
    const last = stopped.events.at(-1)!;
    assertEquals([stopped.exit, last.outcome, last.text], [143, "terminated", "One two three."]);
    await stage.run(["--continue", "And?"]);
    const texts = stage.server.requests[1]!.body.messages.slice(1).map(({ content }) => content);
    assertEquals(texts, ["Go", "One two three.", "The user cancelled this message.\n\nAnd?"]);
  });
});

Deno.test("a task that reads like an option is a task", async () => {
  await withStage([says("ok"), says("ok")], async (stage) => {
    for (const argv of [["-p", "--json"], ["--", "--json"]]) {
      assertEquals((await stage.run(["-A", ...argv])).stdout, "ok\n");
    }
    const texts = stage.server.requests.map(({ body }) => body.messages[1]!.content);
    assertEquals(texts, ["--json", "--json"]);
  });
});

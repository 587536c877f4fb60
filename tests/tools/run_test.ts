import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createRedactor } from "../../src/session/redact.ts";
import { clipOutput } from "../../src/text/clip.ts";
import { utf8Length } from "../../src/text/utf8.ts";
import { alive, kill, leftAfter, uniqueSeconds } from "../system/processes.ts";
import { runTool_ as run } from "./run_world.ts";

Deno.test("run answers with the exit code and both outputs in order", async () => {
  const { answer, live, spilled } = await run({ command: "echo out; echo err >&2; exit 3" });
  assertEquals(answer, { exit: 3, output: "out\nerr\n", capped: true });
  assertEquals([live, spilled], ["out\nerr\n", {}]);
});

Deno.test("run gives the command an empty input, no pager and a dumb terminal", async () => {
  const { answer } = await run({ command: 'cat; echo "$PAGER $GIT_PAGER $TERM"; tty' }, {
    env: { PAGER: "less", TERM: "xterm" },
  });
  assertEquals(answer, { exit: 1, output: "cat cat dumb\nnot a tty\n", capped: true });
});

Deno.test("run shows head and tail of a long output and names the file that has all of it", async () => {
  const { answer, spilled } = await run({ command: "seq 1 20000; exit 5" });
  const whole = Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join("");
  assertEquals(answer.exit, 5);
  assertEquals(new TextDecoder().decode(spilled["c1.out"]), whole);
  assert(answer.output.startsWith(whole.slice(0, 14_400)));
  assert(answer.output.endsWith(whole.slice(-9_600)));
  const between = answer.output.slice(14_400, -9_600).trim().split("\n");
  assertEquals(between.length, 1);
  assertStringIncludes(between[0]!, `${utf8Length(whole) - 24_000} bytes left out`);
  assertStringIncludes(between[0]!, "/spill/c1.out");
});

Deno.test("run leaves no file of an output that was long only as it was drawn", async () => {
  const { answer, spilled } = await run({
    command: "i=0; while [ $i -lt 40000 ]; do printf '\\r%d of 40000' $i; i=$((i+1)); done; echo",
  });
  assertEquals([answer.output, spilled], ["39999 of 40000\n", {}]);
});

Deno.test("run keeps the raw output in the file and shows it without escapes", async () => {
  const { answer, spilled } = await run({
    command: "printf '\\033[31m%s\\033[0m\\n' $(seq 1 9000)",
  });
  assert(answer.output.startsWith("1\n2\n3\n"));
  assert(!answer.output.includes("\x1b"));
  assertEquals([...spilled["c1.out"]!.subarray(0, 11)], [
    27,
    91,
    51,
    49,
    109,
    49,
    27,
    91,
    48,
    109,
    10,
  ]);
});

Deno.test("run keeps the file of an earlier call of the same id, and takes no path from an id", async () => {
  const { spilled } = await run({ command: "seq 1 9000" }, { world: { callId: "../c/1" } });
  assertEquals(Object.keys(spilled), ["___c_1.out"]);
});

Deno.test("run writes bytes that aren't UTF-8 as U+FFFD and shows NUL", async () => {
  const { answer } = await run({ command: "printf '\\377\\376\\200abc\\0\\n\\303'" });
  assertEquals(answer.output, "\ufffd\ufffd\ufffdabc␀\n\ufffd");
  assert(answer.output.isWellFormed());
});

Deno.test("run says that the time limit was reached, with what was printed until then", async () => {
  const { answer } = await run({ command: "echo before; sleep 300", timeout_s: 0.3 });
  assertEquals(answer.exit, 124);
  assert(answer.output.startsWith("before\n[time limit of 0.3 s reached"));
});

Deno.test("run is cancelled with what was printed until then", async () => {
  const seconds = uniqueSeconds();
  const cancel = new AbortController();
  const { answer } = await run({ command: `echo before; sleep ${seconds}` }, {
    world: {
      signal: cancel.signal,
      onOutput: () => cancel.abort(),
    },
  });
  assertEquals(answer, {
    exit: 130,
    output: "before\n[cancelled: the command and its children were stopped]\n",
    capped: true,
  });
  assertEquals(alive(seconds), []);
});

Deno.test("run tells which signal killed the command", async () => {
  const { answer } = await run({ command: "echo a; kill -SEGV $$" });
  assertEquals(answer, {
    exit: 139,
    output: "a\n[the command was killed by SIGSEGV]\n",
    capped: true,
  });
});

Deno.test("run tells of background processes, left or stopped", async () => {
  const seconds = uniqueSeconds();
  const left = await run({ command: `sleep ${seconds} & printf started` });
  kill(alive(seconds));
  assertEquals(left.answer, {
    exit: 0,
    output: "started\n[background processes of the command are still running; " +
      "what they print from now on is not captured]\n",
    capped: true,
  });
  const stopped = await run({ command: `sleep ${seconds} & printf started` }, {
    world: { killBackground: true },
  });
  assertStringIncludes(
    stopped.answer.output,
    "started\n[background processes of the command were stopped]\n",
  );
  assertEquals(await leftAfter(seconds, 1000), []);
});

Deno.test("run answers for a folder that is gone", async () => {
  const { answer } = await run({ command: "true" }, { world: { cwd: "/no/such/folder" } });
  assertEquals(answer, {
    exit: 126,
    output: 'Cannot start a command in "/no/such/folder": it doesn\'t exist\n',
  });
});

Deno.test("run answers what to do about a command that the system doesn't take", async () => {
  const nul = await run({ command: "echo a\0b" });
  assertEquals(nul.answer, {
    exit: 126,
    output: "A command can't hold a NUL character: write it as an escape\n",
  });
  const long = await run({ command: `: ${"x".repeat(200_000)}` });
  assertEquals(long.answer, {
    exit: 126,
    output: "The command is too long for the system (200002 bytes): " +
      "write its text to a file with write_file and use that\n",
  });
});

Deno.test("run goes on when the disk doesn't take the whole output, and says so", async () => {
  const { answer } = await run({ command: "seq 1 90000; exit 4" }, {
    world: { spillDir: "/no/such/folder" },
  });
  assertEquals(answer.exit, 4);
  assert(answer.output.endsWith(
    '90000\n[the whole output was not kept: Cannot write "/no/such/folder/c1.out": it doesn\'t exist]\n',
  ));
});

Deno.test("run shows people a flood only up to a limit", async () => {
  const { live, answer } = await run({ command: "yes | head -c 3000000" });
  assert(live.length < 300_000);
  assert(live.endsWith("[more output is not shown here]\n"));
  assertEquals(answer.exit, 0);
});

Deno.test("run reads a flood as it reads little: the tail of plain lines, progress and text", async () => {
  const flood = "yes 'a line of a flood' | head -c 2000000";
  const { answer } = await run({
    command:
      `printf 'h\\303'; ${flood}; printf '\\n1%%\\r2%%\\n\\033[1mé\\033[0m '; ${flood} | tail -n 3; printf 'x\\ry'`,
  });
  const lines = "a line of a flood\n";
  const whole = `h\ufffd${lines.repeat(111_112).slice(0, 2_000_000)}\n2%\né ${lines.repeat(2)}y`;
  const spill = /"([^"]+\.out)"/.exec(answer.output)![1]!;
  assertEquals(answer.output, clipOutput(whole, 24_000, { spill }));
});

Deno.test("run masks what must not be told in the file too, wherever the output is cut", async () => {
  const redactor = createRedactor(["key-1234-abcd"]);
  const { spilled } = await run(
    { command: "printf 'key-1'; sleep 0.05; printf '234-abcd \\377\\n'; seq 1 20000" },
    { world: { createMask: redactor.createStream } },
  );
  const whole = Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join("");
  const bytes = [...new TextEncoder().encode("[redacted] "), 0xff, 0x0a];
  assertEquals(spilled["c1.out"]?.slice(0, bytes.length), new Uint8Array(bytes));
  assertEquals(new TextDecoder().decode(spilled["c1.out"]?.slice(bytes.length)), whole);
});

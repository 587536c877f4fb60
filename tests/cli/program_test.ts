/** The real program: signals, pipes and terminals. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { findProgram } from "../../src/agent/resolve.ts";
import { createFiles } from "../../src/system/files.ts";
import { alive, leftAfter, uniqueSeconds } from "../system/processes.ts";
import { calls, says } from "./agent_world.ts";
import { readEvents } from "./fits.ts";
import { until, withProgram } from "./program.ts";

const OK = { ...says("hello"), repeat: true };

Deno.test("H10: standard input isn't read when there is a prompt; H13: a prompt may begin with a dash", async () => {
  await withProgram([OK], async (home, server) => {
    const { stdout } = await home.shell(
      'mkfifo open; exec 3<>open; "$AGENT" run --json -p hi <&3; echo "exit=$?"',
    );
    assertStringIncludes(stdout, '"text":"hello"');
    assertStringIncludes(stdout, "exit=0");
    await home.shell('"$AGENT" run --json -p "- first item"; "$AGENT" run --json -- "-x marks it"');
    const texts = server.requests.map(({ body }) => body.messages.at(-1)!.content);
    assertEquals(texts, ["hi", "- first item", "-x marks it"]);
  });
});

Deno.test("streams that can't be used end the program with a sentence", async () => {
  await withProgram([OK], async (home) => {
    const full = await home.shell('"$AGENT" run -p hi >/dev/full 2>err.txt; echo "exit=$?"');
    assertEquals(full.stdout, "exit=1\n");
    const told = Deno.readTextFileSync(`${home.cwd}/err.txt`).trimEnd().split("\n").at(-1);
    assertEquals(told, 'cst-agent: Cannot write to "standard output": no space left on the disk');
    const folder = await home.shell('"$AGENT" run - <.; echo "exit=$?"');
    assertEquals(folder.stderr, 'cst-agent: Cannot read "standard input": it is a folder\n');
    const silent = await home.shell('"$AGENT" run --provider=x hi 2>/dev/full; echo "exit=$?"');
    assertEquals(silent.stdout, "exit=3\n");
  });
});

Deno.test("H12: a prompt of 300,000 bytes comes through standard input", async () => {
  await withProgram([OK], async (home, server) => {
    const { stdout } = await home.shell(
      'head -c 300000 /dev/zero | tr "\\0" a | "$AGENT" run --json -p - ; echo "exit=$?"',
    );
    assertStringIncludes(stdout, "exit=0");
    assertEquals(String(server.requests[0]!.body.messages.at(-1)!.content).length, 300_000);
  });
});

Deno.test("H08: every line on standard output is JSON, also when the runtime talks", async () => {
  await withProgram([OK], async (home) => {
    const { stdout, exit } = await home.run(["run", "--json", "-p", "hi"], {
      env: { DENO_LOG: "debug" },
    });
    assertEquals([exit, readEvents(stdout).at(-1)!.text], [0, "hello"]);
  });
});

Deno.test("H20: no escape byte reaches a pipe", async () => {
  await withProgram([OK], async (home) => {
    const { stdout, stderr } = await home.run(["run", "-p", "hi"]);
    assertEquals([stdout, stderr.includes("\u001b")], ["hello\n", false]);
  });
});

Deno.test("H20: no escape byte reaches a dumb terminal or one that wants no colour", async () => {
  if (!await findProgram(createFiles(), "script", Deno.env.get("PATH") ?? "")) {
    if (Deno.env.has("CI")) throw new Error("Cannot find script, which opens a terminal");
    console.log("left out: script is not on this machine");
    return;
  }
  await withProgram([OK], async (home) => {
    const onTerminal = async (variable: string) => {
      const script = "script -qec '\"$AGENT\" run -p hi' /dev/null </dev/null";
      const { stdout } = await home.shell(`${variable} ${script}`);
      assertStringIncludes(stdout, "hello");
      return stdout.includes("\u001b");
    };
    assertEquals(await onTerminal("NO_COLOR=1"), false);
    assertEquals(await onTerminal("TERM=dumb"), false);
    assertEquals(await onTerminal("TERM=xterm"), true);
  });
});

Deno.test("H15: a reader that leaves ends the program and the command that it runs, quietly", async () => {
  const seconds = uniqueSeconds();
  await withProgram([calls(["run", { command: `sleep ${seconds}` }]), OK], async (home) => {
    const { stderr } = await home.shell('"$AGENT" run --json -p hi 2>err.txt | head -1 >/dev/null');
    assertEquals(await leftAfter(`sleep ${seconds}`, 2000), []);
    const err = stderr + Deno.readTextFileSync(`${home.cwd}/err.txt`);
    assertEquals(err.includes("Uncaught") || err.includes("BrokenPipe"), false, err);
    const folder = `${home.top}/.local/state/cst-agent/sessions`;
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const file = names.find((name) => name.endsWith(".jsonl"))!;
    for (const line of Deno.readTextFileSync(`${folder}/${file}`).trimEnd().split("\n")) {
      JSON.parse(line);
    }
  });
});

Deno.test("J03: a signal ends the call that runs, every start has its end, and the outcome comes last", async (t) => {
  for (
    const [signal, exit, outcome] of [
      ["SIGINT", 130, "cancelled"],
      ["SIGTERM", 143, "terminated"],
    ] as const
  ) {
    await t.step(signal, async () => {
      const seconds = uniqueSeconds();
      const answer = calls(["run", { command: "true" }], ["run", { command: `sleep ${seconds}` }]);
      await withProgram([answer, OK], async (home) => {
        const started = home.start(["run", "-A", "--json", "-p", "hi"]);
        assert(await until(() => alive(`sleep ${seconds}`).length > 0));
        started.kill(signal);
        const ended = await started.ended;
        assertEquals(ended.exit, exit);
        assertEquals(await leftAfter(`sleep ${seconds}`, 2000), []);
        const lines = readEvents(ended.stdout);
        const results = lines.filter(({ type }) => type === "tool_result");
        assertEquals(lines.filter(({ type }) => type === "tool_start").length, 2);
        assertEquals(results.map(({ exit }) => exit), [0, 130]);
        assertEquals([lines.at(-1)!.type, lines.at(-1)!.outcome], ["outcome", outcome]);
      });
    });
  }
});

Deno.test("a signal ends a program that waits for its prompt", async () => {
  await withProgram([], async (home) => {
    const { stdout } = await home.shell(
      'mkfifo open; exec 3<>open; "$AGENT" run --json - <&3 >out & p=$!; ' +
        "for i in $(seq 200); do [ -s out ] && break; sleep 0.05; done; " +
        'kill -INT $p; wait $p; echo "exit=$?"; cat out',
    );
    assertStringIncludes(stdout, "exit=130");
    assertStringIncludes(stdout, '"outcome":"cancelled"');
  });
});

Deno.test("F09: a disk that takes no more stops the run with a sentence, and the session goes on afterwards", async () => {
  const answers = [says("hello"), says("x".repeat(9000)), OK];
  await withProgram(answers, async (home) => {
    const first = await home.run(["run", "--json", "-p", "begin"]);
    const SID = String(readEvents(first.stdout).find(({ type }) => type === "start")!.session);
    const full = await home.shell(
      `( ulimit -f 4; "$AGENT" run --json --session ${SID} -p "long output please" ); echo "exit=$?"`,
    );
    assertStringIncludes(full.stdout, "exit=3");
    assertStringIncludes(full.stdout, '"outcome":"session_error"');
    assertMatch(full.stderr, /^cst-agent: ([A-Z]|http)[^\n]*\n$/m);
    const next = await home.run(["run", "--json", "--session", SID, "-p", "next"]);
    assertEquals([next.exit, readEvents(next.stdout).at(-1)!.text], [0, "hello"]);
    const path = `${home.top}/.local/state/cst-agent/sessions/${SID}.jsonl`;
    for (const line of Deno.readTextFileSync(path).trimEnd().split("\n")) JSON.parse(line);
  });
});

Deno.test("G12: a project's git configuration starts nothing", async () => {
  await withProgram([OK], async (home) => {
    const git = `${home.cwd}/.git`;
    for (const name of ["objects", "refs"]) Deno.mkdirSync(`${git}/${name}`, { recursive: true });
    Deno.writeTextFileSync(`${git}/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${git}/config`, `[core]\n\tfsmonitor = ${home.cwd}/hook\n`);
    Deno.writeTextFileSync(`${home.cwd}/hook`, "#!/bin/sh\ntouch ../canary\n", { mode: 0o755 });
    assertEquals((await home.run(["run", "-p", "hi"])).exit, 0);
    assertEquals(await Deno.stat(`${home.top}/canary`).catch(() => "absent"), "absent");
  });
});

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from "../../scripted_server.ts";
import { hangsAfter, runs, says } from "./answers.ts";
import { hasTmux, type Pane, send, startChat, withPane } from "./tmux.ts";

/** A test with a chat in a terminal and a server that plays `answers`. */
function chatTest(
  name: string,
  answers: readonly ScriptedAnswer[],
  body: (pane: Pane, server: ScriptedServer) => Promise<void>,
  flags: readonly string[] = [],
): void {
  Deno.test({
    name,
    ignore: !hasTmux(),
    fn: async () => {
      const server = startScriptedServer(answers);
      try {
        await withPane(async (pane) => {
          await startChat(pane, server.url, ...flags);
          await body(pane, server);
        });
      } finally {
        await server.close();
      }
    },
  });
}

async function leave(pane: Pane): Promise<void> {
  await pane.press("C-d");
  await pane.waitFor(/ready \$ $/m);
}

/** What the person said in the last request. */
function lastUser(server: ScriptedServer): unknown {
  return server.requests.at(-1)?.body.messages.filter(({ role }) => role === "user").at(-1)
    ?.content;
}

chatTest(
  "A task goes from its message over a permission to its answer",
  [says(`I look.\n${runs("echo hello > made; cat made")}`), says("It says **hello**.")],
  async (pane, server) => {
    await send(pane, "make it");
    await pane.waitFor(/would start: echo, cat/);
    await pane.waitFor(/Allow\? y once/);
    await pane.press("y");
    const screen = await pane.waitFor(/It says \*\*hello\*\*\.\n>/);
    assertMatch(
      screen,
      /● run echo hello > made; cat made\n(?:.*\n){1,2}.*allowed once\n.*│ hello\n.*✓ exit 0/,
    );
    assertEquals(server.requests.length, 2);
    await leave(pane);
    assertEquals(await Deno.readTextFile(`${pane.cwd}/made`), "hello\n");
  },
);

chatTest(
  "Keys that were on their way when the question appeared don't answer it; a reason goes to the model",
  [says(["I ", "think ", "about ", "it. ", `\n${runs("touch made")}`], 150), says("Then not.")],
  async (pane, server) => {
    await send(pane, "go");
    await pane.waitFor(/I think/);
    for (let i = 0; i < 30 && !/Allow\?/.test(await pane.screen()); i++) await pane.type("y");
    await pane.type("yy");
    await pane.waitFor(/Allow\?[^>]*> y+yy/);
    await pane.waitFor(/Allow\? y once[^>]*>\s*\n/);
    await pane.press("n");
    await pane.waitFor(/why not\?/);
    await send(pane, "not today");
    const screen = await pane.waitFor(/Then not\.[^>]*> y+/);
    assertMatch(screen, /refused: not today/);
    assertMatch(String(lastUser(server)), /The user refused this call: not today/);
    await pane.press("C-u");
    await leave(pane);
    assertEquals([...Deno.readDirSync(pane.cwd)], []);
  },
);

chatTest(
  "A command can be edited before it runs",
  [says(runs("touch wrong")), says("Done.")],
  async (pane) => {
    await send(pane, "go");
    await pane.waitFor(/Allow\?/);
    await pane.waitFor(/Allow\? y once/);
    await pane.press("e");
    await pane.waitFor(/run instead: touch wrong/);
    await pane.press("C-w");
    await pane.type("right");
    await pane.waitFor(/run instead: touch right/);
    await pane.press("Enter");
    await pane.waitFor(/Done\./);
    await leave(pane);
    assertEquals([...Deno.readDirSync(pane.cwd)].map(({ name }) => name), ["right"]);
  },
);

chatTest(
  "A paste of 200 lines arrives as one message, control characters aside",
  [says("Read.")],
  async (pane, server) => {
    const lines = Array.from({ length: 200 }, (_, i) => `line ${i}\tof 字 ${"x".repeat(i % 70)}`);
    await pane.paste(`${lines.join("\n")}\x07`);
    await pane.waitFor(/\(2\d\d rows, \d+ not shown\)/);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await pane.press("Enter");
    await pane.waitFor(/Read\./);
    assertEquals(lastUser(server), lines.join("\n"));
    assertEquals(server.requests.length, 1);
    await leave(pane);
  },
);

chatTest(
  "Wide characters and emoji are edited one by one, and the cursor stands where they are",
  [says("ok")],
  async (pane, server) => {
    await pane.type("字a👩‍👧漢b");
    await pane.press("Left", "Left", "BSpace", "Left");
    await pane.type("+");
    await pane.waitFor(/> 字\+a漢b/);
    await pane.press("Enter");
    await pane.waitFor(/^ok/m);
    assertEquals(lastUser(server), "字+a漢b");
    await leave(pane);
  },
);

chatTest(
  "A resize while the answer streams repeats nothing and loses nothing",
  [says(Array.from({ length: 40 }, (_, i) => `row number ${i}\n`), 40)],
  async (pane) => {
    await send(pane, "go");
    for (const columns of [60, 44, 100, 70, 90]) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      await pane.resize(columns, 28);
    }
    await pane.waitFor(/row number 39/);
    const rows = (await pane.screen({ history: true })).match(/row number \d+/g);
    assertEquals(rows, Array.from({ length: 40 }, (_, i) => `row number ${i}`));
    await leave(pane);
  },
);

chatTest(
  "What is typed while it works is queued and goes with the next step",
  [says(runs("echo one; sleep 1")), says("Seen.")],
  async (pane, server) => {
    await send(pane, "go");
    await pane.waitFor(/│ one/);
    await send(pane, "and two");
    await pane.waitFor(/queued: and two/);
    await pane.waitFor(/Seen\./);
    assertEquals(server.requests.length, 2);
    assertMatch(JSON.stringify(server.requests[1]!.body.messages), /and two/);
    await leave(pane);
  },
  ["--allow-run"],
);

chatTest(
  "Ctrl-Z gives the terminal back to the shell, fg takes it again",
  [says("Still here.")],
  async (pane, server) => {
    await pane.type("half a message");
    await pane.waitFor(/> half a message/);
    await pane.press("C-z");
    await pane.waitFor(/ready \$ $/m);
    await pane.type("stty -a | grep -c -w -e icanon");
    await pane.press("Enter");
    await pane.waitFor(/^1$/m);
    await pane.type("fg");
    await pane.press("Enter");
    await pane.waitFor(/> half a message/);
    await pane.press("Enter");
    await pane.waitFor(/Still here\./);
    assertEquals(lastUser(server), "half a message");
    await leave(pane);
  },
);

for (const signal of ["TERM", "HUP"] as const) {
  chatTest(`SIG${signal} ends the chat and what runs, and restores the terminal`, [
    says(runs("echo $$ > leader; exec sleep 60")),
  ], async (pane) => {
    await send(pane, "go");
    await pane.waitFor(/running run/);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const leader = (await Deno.readTextFile(`${pane.cwd}/leader`)).trim();
    const { stdout } = await new Deno.Command("ps", { args: ["-o", "ppid=", "-p", leader] })
      .output();
    const agent = Number(new TextDecoder().decode(stdout));
    assert(agent > 1, "the command has lost its parent");
    Deno.kill(agent, `SIG${signal}`);
    await pane.waitFor(/ready \$ $/m);
    const ps = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", leader] }).output();
    assertEquals(new TextDecoder().decode(ps.stdout).trim().replace(/^Z.*/, ""), "");
    const written = await pane.written();
    assertEquals(
      written.split("\x1b[?2004l").length >= written.split("\x1b[?2004h").length,
      true,
      "bracketed paste is off again",
    );
  }, ["--allow-run"]);
}

chatTest(
  "Ctrl-C stops what runs, and twice leaves",
  [hangsAfter("Some words")],
  async (pane) => {
    await send(pane, "go");
    await pane.waitFor(/Some words/);
    await pane.press("C-c");
    await pane.waitFor(/Cancelled/);
    await pane.press("C-c");
    await pane.waitFor(/ready \$ $/m);
  },
);

for (const way of ["exit", "reject", "throw"]) {
  Deno.test({
    name: `A fault of the program leaves the terminal as it was (${way})`,
    ignore: !hasTmux(),
    fn: async () => {
      const program = new URL("crash.ts", import.meta.url).pathname;
      await withPane(async (pane) => {
        await pane.type(`'${Deno.execPath()}' run -A --no-check --quiet '${program}' ${way}`);
        await pane.press("Enter");
        await pane.waitFor(/in raw mode/);
        await pane.waitFor(/ready \$ $/m);
        const written = await pane.written();
        assertEquals(
          written.lastIndexOf("\x1b[?2004l") > written.lastIndexOf("in raw mode"),
          true,
          "bracketed paste is off again",
        );
      });
    },
  });
}

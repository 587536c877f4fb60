import { assertEquals, assertMatch } from "@std/assert";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from "../../scripted_server.ts";
import { runs, says } from "./answers.ts";
import { hasTmux, type Pane, send, startChat, withPane } from "./tmux.ts";

/** A test in which the model asks for `answers`, in a high terminal. */
function approvalTest(
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
          await pane.press("C-d");
          await pane.waitFor(/ready \$ $/m);
        }, { columns: 100, rows: 60 });
      } finally {
        await server.close();
      }
    },
  });
}

/** The rows from the message on, down to the input. */
async function rowsBelow(pane: Pane, message: string): Promise<string[]> {
  const rows = (await pane.screen()).trimEnd().split("\n").map((row) => row.trimEnd());
  const from = rows.findLastIndex((row) => row === `> ${message}`);
  return rows.slice(from, -1).map((row) => row.replace(/\d\.\d\d s/, "0.00 s"));
}

function resultsOf(server: ScriptedServer, request: number): string {
  return JSON.stringify(server.requests[request]?.body.messages.at(-1));
}

approvalTest("y runs a command this once: the next one like it is asked about again", [
  says(runs("touch one")),
  says(runs("touch two")),
  says("Done."),
], async (pane) => {
  await send(pane, "go");
  await pane.waitFor(/Allow\? y once · a always for touch · n no · e edit · Esc stops/);
  assertEquals(await rowsBelow(pane, "go"), [
    "> go",
    "",
    "● run touch one",
    "  would start: touch",
    "Allow? y once · a always for touch · n no · e edit · Esc stops",
    ">",
  ]);
  await pane.press("y");
  await pane.waitFor(/touch two[^]*Allow\? y once/);
  assertEquals([...Deno.readDirSync(pane.cwd)].map(({ name }) => name), ["one"]);
  await pane.press("y");
  await pane.waitFor(/^Done\.\n(?:A .*\n)?>/m);
  assertEquals(await rowsBelow(pane, "go"), [
    "> go",
    "",
    "● run touch one",
    "  would start: touch",
    "  allowed once",
    "  ✓ exit 0 · 0.00 s · 0 lines",
    "● run touch two",
    "  would start: touch",
    "  allowed once",
    "  ✓ exit 0 · 0.00 s · 0 lines",
    "",
    "Done.",
    ">",
  ]);
});

approvalTest("a holds for the program in this session, for no other", [
  says(runs("touch one")),
  says(runs("touch two")),
  says(runs("mkdir three")),
  says("Done."),
], async (pane, server) => {
  await send(pane, "go");
  await pane.waitFor(/Allow\? y once/);
  await pane.press("a");
  await pane.waitFor(/mkdir three[^]*Allow\? y once · a always for mkdir/);
  await pane.waitFor(/^custom\/m .* runs touch/m);
  await pane.press("n");
  await pane.waitFor(/^why not\?/m);
  await pane.press("Enter");
  await pane.waitFor(/^Done\.\n(?:A .*\n)?>/m);
  assertEquals(await rowsBelow(pane, "go"), [
    "> go",
    "",
    "● run touch one",
    "  would start: touch",
    "  allowed for touch, in this session",
    "  ✓ exit 0 · 0.00 s · 0 lines",
    "● run touch two",
    "  ✓ exit 0 · 0.00 s · 0 lines",
    "● run mkdir three",
    "  would start: mkdir",
    "  refused",
    "  │ The user refused this call",
    "  ✗ exit 126 · 0.00 s · 1 line",
    "",
    "Done.",
    "A permission was refused and the task ended there",
    ">",
  ]);
  assertMatch(resultsOf(server, 3), /exit=126 \d+\\nThe user refused this call\\n/);
  assertEquals([...Deno.readDirSync(pane.cwd)].map(({ name }) => name).sort(), ["one", "two"]);
});

approvalTest("An edited command is judged again: one that a rule denies doesn't run", [
  says(runs("touch wrong")),
  says(runs("touch wrong")),
  says("Done."),
], async (pane, server) => {
  await Deno.writeTextFile(`${pane.cwd}/kept`, "");
  await send(pane, "go");
  for (const command of ["rm kept", "touch right"]) {
    await pane.waitFor(/Allow\? y once/);
    await pane.press("e");
    await pane.waitFor(/^run instead: touch wrong$/m);
    await pane.press("C-u");
    await send(pane, command);
    await pane.waitFor(new RegExp(`instead: ${command}$`, "m"));
  }
  await pane.waitFor(/^Done\.\n(?:A .*\n)?>/m);
  assertEquals(await rowsBelow(pane, "go"), [
    "> go",
    "",
    "● run touch wrong",
    "  would start: touch",
    "  instead: rm kept",
    '  │ The user changed the command to "rm kept". Refused: Cannot run "rm": --deny-run=rm denies it',
    "  ✗ exit 126 · 0.00 s · 1 line",
    "● run touch wrong",
    "  would start: touch",
    "  instead: touch right",
    "  ✓ exit 0 · 0.00 s · 0 lines",
    "",
    "Done.",
    ">",
  ]);
  assertMatch(resultsOf(server, 1), /exit=126 \d+\\nThe user changed the command to/);
  assertEquals([...Deno.readDirSync(pane.cwd)].map(({ name }) => name).sort(), ["kept", "right"]);
}, ["--deny-run=rm"]);

approvalTest("A change is asked about with the lines around it", [
  says("call c1 edit_file\narg path ../out.txt\narg old line 6\narg new line six\nend\n"),
  says("Done."),
], async (pane) => {
  const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`);
  await Deno.writeTextFile(`${pane.cwd}/../out.txt`, lines.join(""));
  await send(pane, "go");
  await pane.waitFor(/Allow\? y once/);
  assertEquals((await rowsBelow(pane, "go")).map((row) => row.replace(/\/tmp\S*?\/out/, "OUT")), [
    "> go",
    "",
    "● edit_file wants to write ../out.txt",
    "  @@ -3,7 +3,7 @@",
    "   line 3",
    "   line 4",
    "   line 5",
    "  -line 6",
    "  +line six",
    "   line 7",
    "   line 8",
    "   line 9",
    "Allow? y once · a always to write OUT.txt · n no · Esc stops",
    ">",
  ]);
  await pane.press("y");
  await pane.waitFor(/^Done\.\n(?:A .*\n)?>/m);
  assertEquals(
    await Deno.readTextFile(`${pane.cwd}/../out.txt`),
    lines.join("").replace("line 6", "line six"),
  );
});

import { assertEquals, assertMatch } from "@std/assert";
import { startScriptedServer } from "../../scripted_server.ts";
import { runs, says } from "./answers.ts";
import { hasTmux, type Pane, send, startChat, withPane } from "./tmux.ts";

function messagesOf(
  request: { readonly body: { readonly messages: readonly unknown[] } } | undefined,
): string {
  return JSON.stringify(request?.body.messages);
}

async function leave(pane: Pane): Promise<void> {
  await pane.press("C-d");
  await pane.waitFor(/ready \$ $/m);
}

Deno.test({
  name:
    "A file is completed and put in, a command of one's own is offered, both go with the message",
  ignore: !hasTmux(),
  fn: async () => {
    const server = startScriptedServer([says("Read.")]);
    try {
      await withPane(async (pane) => {
        await Deno.mkdir(`${pane.cwd}/docs`);
        await Deno.writeTextFile(`${pane.cwd}/docs/notes.txt`, "the notes\n");
        await startChat(pane, server.url);
        await send(pane, "!echo mine; exit 3");
        await pane.waitFor(/mine\nexit 3; the model sees it/);
        await pane.type("see @do");
        await pane.press("Tab");
        await pane.waitFor(/> see @docs\//);
        await pane.press("Tab");
        await pane.waitFor(/> see @docs\/notes\.txt/);
        await pane.press("Enter");
        await pane.waitFor(/Read\./);
        const sent = messagesOf(server.requests[0]);
        assertMatch(sent, /I ran `echo mine; exit 3` \(exit 3\):\\nmine/);
        assertMatch(sent, /<file path=\\"docs\/notes\.txt\\">\\nthe notes\\n<\/file>/);
        await leave(pane);
      });
    } finally {
      await server.close();
    }
  },
});

Deno.test({
  name: "Slash commands show, change, undo, fork, export and leave",
  ignore: !hasTmux(),
  fn: async () => {
    const write = "call c1 write_file\narg path a.txt\narg content <<END\nnew\nEND\nend\n";
    const server = startScriptedServer([says(write), says("Written."), says("Forked.")]);
    try {
      await withPane(async (pane) => {
        await Deno.writeTextFile(`${pane.cwd}/a.txt`, "old\n");
        await startChat(pane, server.url);
        await send(pane, "/hel");
        await pane.waitFor(/did you mean "\/help"/);
        await pane.press("C-u");
        await send(pane, "write it");
        await pane.waitFor(/● write_file a\.txt\n\s+\+new\n[\s\S]*Written\./);
        assertEquals(await Deno.readTextFile(`${pane.cwd}/a.txt`), "new\n");
        await send(pane, "/undo");
        await pane.waitFor(/Put back: \S*a\.txt/);
        assertEquals(await Deno.readTextFile(`${pane.cwd}/a.txt`), "old\n");
        await send(pane, "/fork");
        await pane.waitFor(/Goes on in the new session/);
        await send(pane, "/model other");
        await pane.waitFor(/custom\/other · /);
        await send(pane, "go on");
        await pane.waitFor(/Forked\./);
        assertMatch(messagesOf(server.requests.at(-1)), /write it.*I have undone.*go on/);
        await send(pane, "/protocol nonsense");
        await pane.waitFor(/Unknown protocol "nonsense"/);
        await send(pane, "/permissions --allow-run=make");
        await pane.waitFor(/run\s+runs make/);
        await send(pane, "/export out.md");
        await pane.waitFor(/Written to/);
        assertMatch(await Deno.readTextFile(`${pane.cwd}/out.md`), /Forked\./);
        await send(pane, "/sessions");
        await pane.waitFor(/write it\n.*write it/);
        await send(pane, "/quit");
        await pane.waitFor(/ready \$ $/m);
      });
    } finally {
      await server.close();
    }
  },
});

Deno.test({
  name: "A change outside of the folder is asked about with its lines",
  ignore: !hasTmux(),
  fn: async () => {
    const write =
      "call c1 write_file\narg path ../out.txt\narg content <<END\none\ntwo\nEND\nend\n";
    const server = startScriptedServer([says(write), says("Done."), says(runs("true"))]);
    try {
      await withPane(async (pane) => {
        await Deno.writeTextFile(`${pane.cwd}/../out.txt`, "zero\none\n");
        await startChat(pane, server.url);
        await send(pane, "go");
        await pane.waitFor(
          /write_file wants to write \.\.\/out\.txt\n.*@@.*\n\s+-zero\n\s+one\n\s+\+two\n[\s\S]*Allow\?/,
        );
        await pane.waitFor(/Allow\? y once/);
        await pane.press("y");
        await pane.waitFor(/Done\./);
        assertEquals(await Deno.readTextFile(`${pane.cwd}/../out.txt`), "one\ntwo\n");
        await leave(pane);
      });
    } finally {
      await server.close();
    }
  },
});

Deno.test({
  name: "On a terminal that can't move its cursor the chat is plain lines",
  ignore: !hasTmux(),
  fn: async () => {
    const server = startScriptedServer([says(runs("touch made")), says("It is made.")]);
    try {
      await withPane(async (pane) => {
        await pane.type(
          `TERM=dumb; export TERM; chat --provider custom --model m --base-url ${server.url}`,
        );
        await pane.press("Enter");
        await pane.waitFor(/^> $/m);
        await pane.type("make it");
        await pane.press("Enter");
        await pane.waitFor(/Allow\?/);
        await pane.type("y");
        await pane.press("Enter");
        await pane.waitFor(/It is made\./);
        assertEquals((await pane.written()).includes("\x1b[?2004h"), false);
        await pane.press("C-d");
        await pane.waitFor(/ready \$ $/m);
        assertEquals([...Deno.readDirSync(pane.cwd)].map(({ name }) => name), ["made"]);
      });
    } finally {
      await server.close();
    }
  },
});

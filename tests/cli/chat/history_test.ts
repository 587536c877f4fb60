import { assertEquals } from "@std/assert";
import { openHistory } from "../../../src/cli/chat/history.ts";
import { createLogFiles } from "../../../src/system/log_file.ts";
import { startScriptedServer } from "../../scripted_server.ts";
import { says } from "./answers.ts";
import { hasTmux, type Pane, send, startChat, withPane } from "./tmux.ts";

/** A place in a new folder; `failures` fills with what could not be kept. */
function placeIn(cwd: string, path = `${Deno.makeTempDirSync()}/prompts.ndjson`) {
  const failures: string[] = [];
  return {
    path,
    cwd,
    logFiles: createLogFiles(),
    mask: (text: string) => text.replaceAll("key-1234", "[redacted]"),
    failed: (why: string) => void failures.push(why),
    failures,
  };
}

Deno.test("What was sent is there for the next chat in this folder, secrets masked, for its owner alone", () => {
  const here = placeIn("/here");
  const history = openHistory(here);
  for (
    const text of ["one", "one", " private", "two\nlines", "with key-1234", "x".repeat(16_385)]
  ) {
    history.add(text);
  }
  openHistory({ ...here, cwd: "/there" }).add("elsewhere");
  Deno.writeTextFileSync(here.path, '{"cwd":"/here","text":\nnull\n', { append: true });
  history.add("three");
  assertEquals(openHistory(here).before, ["one", "two\nlines", "with [redacted]", "three"]);
  assertEquals(openHistory({ ...here, cwd: "/there" }).before, ["elsewhere"]);
  assertEquals([Deno.statSync(here.path).mode! & 0o777, here.failures], [0o600, []]);
});

Deno.test("A file that has grown too large keeps its end, in whole lines", () => {
  const here = placeIn("/here");
  const history = openHistory(here);
  for (let i = 0; i < 600; i++) history.add(`${i} ${"x".repeat(2_000)}`);
  const before = openHistory(here).before;
  assertEquals(before.at(-1), `599 ${"x".repeat(2_000)}`);
  assertEquals(
    before.map((text) => Number(/^\d+/.exec(text))),
    before.map((_, i) => 600 - before.length + i),
  );
  assertEquals(Deno.statSync(here.path).size <= 524_288, true);
  assertEquals(openHistory(here).before, before);
});

Deno.test("A history that can't be kept is told once and costs nothing else", () => {
  const here = placeIn("/here", "/nowhere/prompts.ndjson");
  const history = openHistory(here);
  history.add("one");
  history.add("two");
  assertEquals(history.before, []);
  assertEquals(here.failures.length, 1);
});

Deno.test({
  name:
    "Up brings back what was sent in an earlier chat of this folder, but not what began with a blank",
  ignore: !hasTmux(),
  fn: async () => {
    const server = startScriptedServer([says("First."), says("Second.")]);
    const leave = async (pane: Pane) => {
      await pane.press("C-d");
      await pane.waitFor(/ready \$ $/m);
      await pane.type("clear");
      await pane.press("Enter");
      await pane.waitFor(/^ready \$\s*$/);
    };
    try {
      await withPane(async (pane) => {
        await startChat(pane, server.url);
        await send(pane, "remember me");
        await pane.waitFor(/First\./);
        await send(pane, "/cost");
        await pane.waitFor(/price/);
        await send(pane, " between us");
        await pane.waitFor(/Second\./);
        await leave(pane);
        await startChat(pane, server.url);
        await pane.press("Up");
        await pane.waitFor(/^> \/cost$/m);
        await pane.press("Up");
        await pane.waitFor(/^> remember me$/m);
        await pane.press("Up");
        await pane.press("End");
        await pane.type("!");
        await pane.waitFor(/^> remember me!$/m);
        await pane.press("C-u");
        await leave(pane);
      });
    } finally {
      await server.close();
    }
  },
});

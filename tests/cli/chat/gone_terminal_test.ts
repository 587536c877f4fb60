import { assertEquals } from "@std/assert";
import { startScriptedServer } from "../../scripted_server.ts";
import { runs, says } from "./answers.ts";
import { hasTmux, type Pane, send, startChat, withPane } from "./tmux.ts";

const LEADER = runs("echo $$ > leader; exec sleep 60");

/** The process of the command that the model runs, once it runs. */
async function leaderOf(pane: Pane): Promise<string> {
  for (let i = 0; i < 200; i++) {
    const text = await Deno.readTextFile(`${pane.cwd}/leader`).catch(() => "");
    if (text.endsWith("\n")) return text.trim();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("The command didn't start");
}

/** Resolves when the process is gone; a zombie is. */
async function ended(pid: string): Promise<void> {
  for (let i = 0; i < 250; i++) {
    const ps = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid] }).output();
    if (/^(Z.*)?$/.test(new TextDecoder().decode(ps.stdout).trim())) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Process ${pid} is still there`);
}

async function parentOf(pid: string): Promise<string> {
  const ps = await new Deno.Command("ps", { args: ["-o", "ppid=", "-p", pid] }).output();
  return new TextDecoder().decode(ps.stdout).trim();
}

for (const how of ["once", "for good"]) {
  Deno.test({
    name: `Case I06: a write error (${how}) ends the chat and what runs; the terminal is as before`,
    ignore: !hasTmux(),
    fn: async () => {
      const server = startScriptedServer([says(LEADER)]);
      const preload = new URL("deaf_terminal.ts", import.meta.url).pathname;
      try {
        await withPane(async (pane) => {
          await startChat(pane, server.url, "--allow-run");
          await send(pane, "go");
          const leader = await leaderOf(pane);
          await Deno.writeTextFile(`${pane.cwd}/deaf`, how);
          await pane.waitFor(/ended 129\nready \$ /);
          await ended(leader);
          if (how === "once") {
            const last = (await pane.written()).split("custom/m · ").at(-1)!;
            const restored = ["\x1b[?2004l", "\x1b[?25h"].every((mode) => last.includes(mode));
            assertEquals(restored, true, "the modes were switched off");
          }
        }, { preload, after: "echo ended $?" });
      } finally {
        await server.close();
      }
    },
  });
}

Deno.test({
  name: "A terminal that vanishes takes the chat and what runs with it, SIGHUP ignored or not",
  ignore: !hasTmux(),
  fn: async () => {
    for (const trap of ["trap '' HUP; ", ""]) {
      const server = startScriptedServer([says(LEADER)]);
      try {
        await withPane(async (pane) => {
          await pane.type(`${trap}clear`);
          await pane.press("Enter");
          await startChat(pane, server.url, "--allow-run");
          await send(pane, "go");
          const leader = await leaderOf(pane);
          const chat = await parentOf(leader);
          await pane.close();
          await ended(leader);
          await ended(chat);
        });
      } finally {
        await server.close();
      }
    }
  },
});

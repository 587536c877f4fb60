import { assertEquals } from "@std/assert";
import { startScriptedServer } from "../../scripted_server.ts";
import { PHASES } from "./phases.ts";
import { hasTmux, send, startChat, withPane } from "./tmux.ts";

/** How often each phase is cancelled; the soak (scripts/soak_terminal.ts) does it 20 times. */
const TIMES = Number(Deno.env.get("CST_TERMINAL_TIMES") ?? 2);

for (const { name, answer, shown, flags } of PHASES) {
  Deno.test({
    name: `Esc stops at once (${name}), and what was typed meanwhile is still there`,
    ignore: !hasTmux(),
    fn: async () => {
      const server = startScriptedServer(Array.from({ length: TIMES }, () => answer));
      try {
        await withPane(async (pane) => {
          await startChat(pane, server.url, ...flags);
          for (let turn = 1; turn <= TIMES; turn++) {
            await send(pane, `task ${turn}`);
            await pane.waitFor(shown);
            await pane.type("typed meanwhile");
            await pane.waitFor(/> typed meanwhile/);
            await pane.press("Escape");
            await pane.waitFor(/Cancelled[^>]*> typed meanwhile/);
            await pane.press("C-u");
            await pane.press("C-l");
            await pane.waitFor(/^\s*>\s*$/m);
          }
          await pane.press("C-d");
          await pane.waitFor(/ready \$ $/m);
        });
        assertEquals(server.requests.length, TIMES);
      } finally {
        await server.close();
      }
    },
  });
}

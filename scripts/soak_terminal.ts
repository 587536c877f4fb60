/**
 * Esc in every phase, many times over, in a real terminal: how long until the prompt is back (issue: under 200 ms after
 * the process group is gone), and is the terminal as it was?
 *
 * Usage: deno run -A scripts/soak_terminal.ts [TIMES]     20 times a phase unless told; needs tmux
 */
import { startScriptedServer } from "../tests/scripted_server.ts";
import { type Phase, PHASES } from "../tests/cli/chat/phases.ts";
import { hasTmux, send, startChat, withPane } from "../tests/cli/chat/tmux.ts";

/** Milliseconds from the key to the prompt as the screen shows it; looking at the screen takes some of them. */
async function cancelOften(phase: Phase, times: number): Promise<number[]> {
  const server = startScriptedServer(Array.from({ length: times }, () => phase.answer));
  const took: number[] = [];
  try {
    await withPane(async (pane) => {
      await startChat(pane, server.url, ...phase.flags);
      for (let turn = 1; turn <= times; turn++) {
        await send(pane, `task ${turn}`);
        await pane.waitFor(phase.shown);
        const pressed = performance.now();
        await pane.press("Escape");
        await pane.waitFor(/Cancelled[^>]*>\s/);
        took.push(performance.now() - pressed);
        await pane.press("C-l");
        await pane.waitFor(/^\s*>\s*$/m);
      }
      await pane.press("C-d");
      await pane.waitFor(/ready \$ $/m);
    });
  } finally {
    await server.close();
  }
  return took;
}

if (!hasTmux()) Deno.exit(1);
const times = Number(Deno.args[0] ?? 20);
console.log(`Esc to prompt, ms, ${times} times a phase; stty -a was compared after each row`);
for (const phase of PHASES) {
  const took = (await cancelOften(phase, times)).sort((a, b) => a - b);
  const at = (share: number) => Math.round(took[Math.floor((took.length - 1) * share)]!);
  console.log(`${phase.name.padEnd(9)} median ${at(0.5)}   p95 ${at(0.95)}   most ${at(1)}`);
}

/** `cst-agent chat`: a task after the other, with a person at the terminal (SPEC 10). */
import { EXIT, UsageError } from "../../errors.ts";
import { openTerminal } from "../../system/terminal.ts";
import { type CommandSpec, helpText, parseCommandLine } from "../args.ts";
import type { World } from "../command.ts";
import { PERMISSION_OPTIONS } from "../permission_options.ts";
import { chooseSession } from "../run.ts";
import { MODEL_OPTIONS, SANDBOX_OPTIONS, TASK_OPTIONS } from "../run_options.ts";
import { splitPermissionFlags } from "../read_rules.ts";
import { runPlainChat } from "./plain.ts";
import { holdTalk } from "./talk.ts";

/** What the command takes. */
export const CHAT_SPEC: CommandSpec = {
  name: "chat",
  usage: "chat [options]",
  summary:
    "Interactive: one task after the other. Without arguments, cst-agent on a terminal does the same.",
  options: [...MODEL_OPTIONS, ...PERMISSION_OPTIONS, ...SANDBOX_OPTIONS, ...TASK_OPTIONS],
  example: "cst-agent chat --provider ollama --model qwen3-coder",
};

/** Talks until the person leaves. Returns 0, or 128 + the signal that ended it. */
export async function chatCommand(argv: readonly string[], world: World): Promise<number> {
  const { rest, words } = splitPermissionFlags(argv);
  const parsed = parseCommandLine(rest, CHAT_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(CHAT_SPEC));
    return EXIT.done;
  }
  const [extra] = parsed.positional;
  if (extra !== undefined) {
    throw new UsageError(
      `Cannot take "${extra}": chat asks for the task (run takes it as an argument)`,
    );
  }
  if (!world.terminal.stdin || !world.terminal.stdout) {
    throw new UsageError('Chat needs a terminal: use cst-agent run "what to do"');
  }
  const start = { wishes: { parsed, permissionWords: words }, choice: chooseSession(parsed) };
  if (world.env.TERM === "dumb") return await runPlainChat(start, world);
  return await holdTalk(start, world, openTerminal);
}

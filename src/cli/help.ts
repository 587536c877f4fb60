/** `cst-agent --help`: the commands, one line each. */
import { UsageError } from "../errors.ts";
import type { World } from "./command.ts";

const HELP = `A coding agent for the terminal: a tool call runs when its bytes are confirmed, once.

Usage: cst-agent                          talk to it here (on a terminal)
       cst-agent [run] PROMPT [options]   one task, unattended
       cst-agent COMMAND [options]

Commands:
  chat           interactive: one task after the other
  run            one task, unattended (the word may be left out)
  sessions       list, show, export, verify or undo sessions
  patch          apply a patch as the agent does: all of it or nothing
  check-command  may this command line run, and why
  parse          text or a stream → confirmed events
  replay         recorded streams → confirmed events
  probe          which of the five protocols does a server really do
  sim            serve a simulated model
  eval           fixtures, matrices, truncation and starvation
  doctor         check runtime, terminal, sandbox, keys, server and folders
  completions    completions for bash, zsh or fish
  schema         JSON Schemas of events and configuration

Every command has --help with its options and an example.

Example:
  export DEEPSEEK_API_KEY=…
  cst-agent "make the tests pass" --allow-run=make,git

Without a key, a simulated model shows what a task looks like:
  cst-agent sim --port 8080                         (in another terminal)
  cst-agent --provider sim --base-url http://127.0.0.1:8080/v1 --allow-run=wc "a first task"
`;

/** Prints the help; `main.ts` answers `help COMMAND`. */
export function helpCommand([topic]: readonly string[], world: World): Promise<number> {
  if (topic !== undefined && !topic.startsWith("-")) {
    throw new UsageError(`There is no command "${topic}" (see "cst-agent --help")`);
  }
  world.stdout(HELP);
  return Promise.resolve(0);
}

/** `cst-agent --help`: the commands, one line each. */
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
`;

/** Prints the help. */
export function helpCommand(_argv: readonly string[], world: World): Promise<number> {
  world.stdout(HELP);
  return Promise.resolve(0);
}

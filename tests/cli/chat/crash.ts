/** Ends with the terminal in raw mode, in the way that its argument names: what a fault in the program does. */
import { openTerminal } from "../../../src/system/terminal.ts";

const terminal = openTerminal();
terminal.write("in raw mode");
void terminal.keys()[Symbol.asyncIterator]().next();
setTimeout(() => {
  if (Deno.args[0] === "exit") Deno.exit(3);
  if (Deno.args[0] === "reject") void Promise.reject(new Error("nobody caught this"));
  else throw new Error("nobody caught this");
}, 100);

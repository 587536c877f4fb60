/**
 * Loaded before the program: when there is a file `deaf` the terminal takes no write, as one that is gone; when it says
 * `once`, only the next write fails.
 */
const write = Deno.stdout.writeSync;
Deno.stdout.writeSync = (bytes) => {
  let deaf: string;
  try {
    deaf = Deno.readTextFileSync("deaf");
  } catch {
    return write.call(Deno.stdout, bytes);
  }
  if (deaf === "once") Deno.removeSync("deaf");
  throw new Error("Input/output error (os error 5)");
};

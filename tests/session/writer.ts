/**
 * A program that writes a session until it is killed or can't, for tests: `writer.ts PATH [COUNT]`.
 *
 * Every record that is on the disk is acknowledged on standard output by its number. When the log is over, the error
 * goes to standard error and the program ends with the error's exit code, as cst-agent does.
 */
import { UserError } from "../../src/errors.ts";
import { createSession } from "../../src/session/log.ts";
import { createLogFiles, surviveFileSizeLimit } from "../../src/system/log_file.ts";
import { header, result, runCall } from "./samples.ts";

surviveFileSizeLimit();
const [path, count = "1000000"] = Deno.args;
const clock = { now: () => Date.now() };

function acknowledge(n: number): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${n}\n`));
}

try {
  const { log } = createSession(path!, header(), { logFiles: createLogFiles(), clock });
  acknowledge(1);
  for (let k = 0; k < Number(count); k++) {
    log.append({ kind: "call", call: runCall(`c${k}`, "x".repeat(k % 700)) });
    await log.sync();
    const n = log.append(result(`c${k}`, "é字😀".repeat(k % 97)));
    acknowledge(n);
  }
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  Deno.exit(error.exit);
}

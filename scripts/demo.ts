/**
 * A C program with a bug, mended before your eyes: check.sh is red, the agent works, check.sh is green. The model is
 * simulated, so no key and no network are needed; the agent, its tools and the compiler are real.
 *
 * Usage: deno task demo [--protocol NAME|all] [--program dist/cst-agent] [--delay MS]
 * Exit code: 0 when red turned to green, in every protocol that was asked for; else 1.
 */
import { parseArgs } from "@std/cli/parse-args";
import { DEFAULT_PROTOCOL, PROTOCOL_NAMES } from "../src/protocol/mod.ts";
import { readLines } from "../src/session/lines.ts";

const root = new URL("../", import.meta.url).pathname;
const fixture = `${root}fixtures/mini_calc`;

const options = parseArgs(Deno.args, {
  string: ["protocol", "program", "delay"],
  default: { protocol: DEFAULT_PROTOCOL, delay: "15" },
});
/** The sources, unless a compiled program is named. */
const agent = options.program === undefined
  ? [Deno.execPath(), "run", "-A", "--no-check", `${root}main.ts`]
  : [String(options.program)];

function command(words: readonly string[], how: Deno.CommandOptions): Deno.Command {
  const [program, ...args] = [...agent, ...words];
  return new Deno.Command(program!, {
    ...how,
    args,
    env: { DENO_TLS_CA_STORE: "system,mozilla" },
    stdin: "null",
  });
}

/** Starts the simulated model; returns its address and what ends it. */
async function startModel(): Promise<{ url: string; stop(): Promise<void> }> {
  const words = ["sim", `--plan=${fixture}`, `--delay=${options.delay}`];
  const child = command(words, { stdout: "piped", stderr: "null" }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let line = "";
  while (!line.endsWith("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The simulated model did not start");
    line += value;
  }
  return {
    url: line.trim(),
    async stop() {
      child.kill("SIGTERM");
      await reader.cancel();
      await child.status;
    },
  };
}

/** Runs check.sh where everybody can see it; says whether it's green. */
async function check(folder: string): Promise<boolean> {
  console.log("$ sh check.sh");
  const { success } = await new Deno.Command("sh", { args: ["check.sh"], cwd: folder })
    .spawn().status;
  console.log(success ? "→ green\n" : "→ red\n");
  return success;
}

/** Shows the session's records in order: every call, its result, the final text. */
async function showSession(folder: string): Promise<void> {
  const [entry] = Array.from(Deno.readDirSync(folder)).filter(({ isFile }) => isFile);
  const { records } = readLines(await Deno.readFile(`${folder}/${entry!.name}`));
  const words = records.map((record) => {
    if (record.kind === "call") return `call ${record.call.name}`;
    if (record.kind === "result") return `result ${record.result.exit}`;
    return record.kind;
  });
  console.log(`session: ${words.join(" → ")}\n`);
}

async function show(protocol: string): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "cst-demo-" });
  const model = await startModel();
  try {
    const work = `${folder}/mini_calc`;
    await Deno.mkdir(work);
    for (const name of ["Makefile", "TASK.md", "calc.c", "check.sh", "test.sh"]) {
      await Deno.copyFile(`${fixture}/${name}`, `${work}/${name}`);
    }
    console.log(`== ${protocol}, in ${work}\n`);
    if (await check(work)) throw new Error("check.sh is green before anything was done");
    const task = await Deno.readTextFile(`${work}/TASK.md`);
    console.log(`$ cst-agent "$(cat TASK.md)" --protocol ${protocol} --allow-run=make`);
    const { code } = await command([
      task,
      "--provider=sim",
      `--base-url=${model.url}`,
      `--protocol=${protocol}`,
      "--allow-run=make",
      `--session-dir=${folder}/sessions`,
    ], { cwd: work }).spawn().status;
    console.log(`→ exit ${code}\n`);
    const green = await check(work);
    await showSession(`${folder}/sessions`);
    return green && code === 0;
  } finally {
    await model.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The task's own programs that aren't on this machine. */
async function missingPrograms(): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of ["make", "cc"]) {
    const look = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" });
    if (!(await look.output()).success) missing.push(name);
  }
  return missing;
}

const missing = await missingPrograms();
if (missing.length > 0) {
  console.error(
    `The demo compiles a C program, and there is no ${missing.join(" and no ")} here. ` +
      "On Debian: apt-get install make gcc libc6-dev; on macOS: xcode-select --install",
  );
  Deno.exit(1);
}
const names: readonly string[] = options.protocol === "all"
  ? PROTOCOL_NAMES
  : [String(options.protocol)];
const outcomes: boolean[] = [];
for (const name of names) outcomes.push(await show(name));
Deno.exit(outcomes.every(Boolean) ? 0 : 1);

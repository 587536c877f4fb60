/**
 * Checks the model of the session's protocol (docs/model/session.pml) with spin: the protocol as it is must hold in
 * every state, and each planted mistake must be found, so that the check is known to be able to fail.
 *
 * Usage: deno run -A scripts/check_model.ts        (needs spin and cc)
 */
const MODEL = new URL("../docs/model/session.pml", import.meta.url).pathname;

/** The mistakes that the model can be told to make. */
const MISTAKES: readonly (readonly [string, string])[] = [
  ["LATE", "syncs the intent after the call ran"],
  ["UNSYNCED", "never syncs the intent"],
  ["UNRECORDED", "runs before it records the intent"],
  ["RERUN", "runs an interrupted call again"],
  ["CLAIM", "says that an interrupted call ran"],
  ["UNLOCKED", "lets two programs write"],
  ["DEAF", "goes on when the disk is full"],
];

interface Verdict {
  readonly errors: number;
  readonly states: number;
}

async function run(folder: string, command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: folder,
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${text}`);
  return text;
}

/** Searches every state of the model; `mistake` is the one it makes. */
async function check(mistake?: string): Promise<Verdict> {
  const folder = await Deno.makeTempDir({ prefix: "cst-model-" });
  try {
    await run(folder, "spin", [...(mistake ? [`-D${mistake}`] : []), "-a", MODEL]);
    await run(folder, "cc", ["-O1", "-w", "-DSAFETY", "-o", "pan", "pan.c"]);
    const report = await run(folder, "./pan", ["-m1000000"]);
    const errors = /errors: (\d+)/.exec(report);
    const states = /(\d+) states, stored/.exec(report);
    if (!errors || !states || /max search depth too small/.test(report)) {
      throw new Error(`The search did not end:\n${report}`);
    }
    return { errors: Number(errors[1]), states: Number(states[1]) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function has(command: string): Promise<boolean> {
  try {
    await new Deno.Command(command, {
      args: [command === "spin" ? "-V" : "--version"],
      stdout: "null",
      stderr: "null",
    }).output();
    return true;
  } catch {
    return false;
  }
}

for (const command of ["spin", "cc"]) {
  if (await has(command)) continue;
  console.error(
    `The model was not checked: "${command}" is not there (Debian: apt-get install spin gcc)`,
  );
  Deno.exit(1);
}
let wrong = 0;
const held = await check();
if (held.errors > 0) wrong++;
console.log(`the protocol: ${held.errors} errors in ${held.states} states`);
for (const [mistake, words] of MISTAKES) {
  const { errors } = await check(mistake);
  if (errors === 0) wrong++;
  console.log(`a program that ${words}: ${errors > 0 ? "found" : "NOT FOUND"}`);
}
if (wrong > 0) Deno.exit(1);

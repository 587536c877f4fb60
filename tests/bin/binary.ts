/** The compiled program, built when `dist/` is older than the sources, and a bare place to run it in. */
import { assertEquals } from "@std/assert";

const root = new URL("../../", import.meta.url).pathname;
const BINARY = `${root}dist/cst-agent`;

/**
 * The path of a fresh `dist/cst-agent`. Undefined, with a line that says why, where it can't be built (no network for
 * the base runtime); with `CI` set that is a failure.
 */
export async function freshBinary(): Promise<string | undefined> {
  await Deno.mkdir(`${root}dist`, { recursive: true });
  // Test files run side by side; one of them builds.
  using lock = await Deno.open(`${root}dist/.lock`, { create: true, write: true });
  await lock.lock(true);
  if (await isFresh()) return BINARY;
  const complaint = await build([]);
  if (complaint === undefined) return BINARY;
  const message = `Cannot build the binary, its tests are left out: ${complaint}`;
  if (Deno.env.get("CI")) throw new Error(message);
  console.error(message);
  return undefined;
}

/** Runs `scripts/compile.ts` of the tree at `at`; returns what it complained of. */
export async function build(args: readonly string[], at = root): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "scripts/compile.ts", ...args],
    cwd: at,
    env: { DENO_TLS_CA_STORE: "system,mozilla", NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr);
}

async function isFresh(): Promise<boolean> {
  const built = await Deno.stat(BINARY).catch(() => undefined);
  if (!built?.mtime) return false;
  for (const path of ["main.ts", "deno.json", "deno.lock", "src", "scripts/compile.ts"]) {
    if (await newest(`${root}${path}`) > built.mtime.getTime()) return false;
  }
  return true;
}

async function newest(path: string): Promise<number> {
  const info = await Deno.stat(path);
  let time = info.mtime?.getTime() ?? 0;
  if (!info.isDirectory) return time;
  for await (const { name } of Deno.readDir(path)) {
    time = Math.max(time, await newest(`${path}/${name}`));
  }
  return time;
}

/** An empty HOME, an empty folder to work in, and a PATH that holds the named programs alone. */
export interface BarePlace {
  readonly folder: string;
  readonly work: string;
  readonly home: string;
  readonly env: { readonly PATH: string; readonly HOME: string; readonly TMPDIR: string };
}

/**
 * Makes a bare place and takes it away again. What `make`, `cc` or `sh` themselves start (`as`, `ld`) they find on
 * their own, since each is a two-line script that sets the usual PATH for its program alone.
 */
export async function withBarePlace(
  programs: readonly string[],
  step: (place: BarePlace) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "cst-bin-" });
  try {
    const [bin, work, home, tmp] = ["bin", "work", "home", "tmp"].map((it) => `${folder}/${it}`);
    for (const path of [bin!, work!, home!, tmp!]) await Deno.mkdir(path);
    for (const program of programs) await addProgram(program, bin!);
    const env = { PATH: bin!, HOME: home!, TMPDIR: tmp! };
    await step({ folder, work: work!, home: home!, env });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function addProgram(program: string, bin: string): Promise<void> {
  const path = (Deno.env.get("PATH") ?? "").split(":").map((it) => `${it}/${program}`)
    .find((it) => exists(it));
  if (path === undefined) throw new Error(`There is no "${program}" on PATH`);
  if (program !== "cc") return await Deno.symlink(path, `${bin}/${program}`);
  const script = `#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin exec ${path} "$@"\n`;
  await Deno.writeTextFile(`${bin}/cc`, script, { mode: 0o755 });
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** What a program that ended left. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with exactly `env` around it. */
export async function runIn(
  place: Pick<BarePlace, "work" | "env">,
  program: string,
  args: readonly string[],
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: place.work,
    env: place.env,
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Starts `sim` of the compiled program with `plan` and gives its base URL to `step`. */
export async function withSim(
  binary: string,
  plan: string,
  step: (url: string) => Promise<void>,
): Promise<void> {
  const child = new Deno.Command(binary, {
    args: ["sim", "--plan", plan],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let line = "";
    while (!line.endsWith("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error("sim ended before it named its address");
      line += value;
    }
    await step(line.trim());
  } finally {
    child.kill("SIGTERM");
    await reader.cancel();
    assertEquals((await child.status).success, true);
  }
}

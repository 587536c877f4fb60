/**
 * Builds `dist/cst-agent-<os>-<arch>[.exe]` and `dist/SHA256SUMS`.
 *
 * Usage: deno task compile [--target TRIPLE]… [--all] [--base auto|official|npm] [--out DIR] [--commit HASH]
 *
 * 1. The sources become one bundle of a few files, so that a start reads little and only what its command needs.
 * 2. Their times are set to one fixed moment: `deno compile` stores them, and same sources must give same bytes.
 * 3. The base runtime is `DENORT_BIN`, else Deno's own download, else (a test build) the recovery of `denort.ts`.
 *    Its format, CPU and version are checked, since `deno compile` checks neither CPU nor version.
 *
 * Same sources, commit and base give the same bytes, wherever they lie.
 */
import { parseArgs } from "@std/cli/parse-args";
import { recoverDenort, sha256 } from "./denort.ts";
import { formatOf, TARGETS } from "./targets.ts";

/**
 * Everything is granted, since less breaks a promise: Deno opens `/proc/PID/stat` and `environ` only where all is
 * allowed, and without them a command's strays aren't found (system/members.ts). What a run may do, its own flags and
 * the sandbox say (SPEC 8). `--no-prompt`: the runtime itself never asks. `--no-code-cache`: else machine code is kept
 * under a predictable name in /tmp. `--no-config`: the bundle needs no import map, and with the
 * configuration's "raw-imports" the binary could import any file as text, past its permissions.
 */
const FLAGS = [
  "--allow-all",
  "--no-prompt",
  "--no-code-cache",
  "--no-config",
  "--no-lock",
  "--no-check",
];

const root = new URL("../", import.meta.url).pathname;
const options = parseArgs(Deno.args, {
  string: ["base", "out", "commit"],
  collect: ["target"],
  boolean: ["all"],
  default: { base: "auto", target: [], out: `${root}dist` },
});
const dist = String(options.out);
const build = `${dist}/build`;

/** Runs deno; returns what it complained of, undefined when all went well. */
async function deno(args: string[], env: Record<string, string> = {}): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { DENO_TLS_CA_STORE: "system,mozilla", ...env },
    stdout: "null",
    stderr: "piped",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr);
}

/** The commit that is built, marked when the tree holds more. */
async function commit(): Promise<string> {
  if (options.commit !== undefined) return String(options.commit);
  const git = async (...args: string[]) => {
    const { stdout } = await new Deno.Command("git", { args, cwd: root }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  const hash = await git("rev-parse", "--short=12", "HEAD");
  return await git("status", "--porcelain", "--", "src", "main.ts", "deno.json") === ""
    ? hash
    : `${hash}+changes`;
}

/**
 * Bundles the sources into `build`, stamped with the commit and one fixed time. The names of the pieces hang on the
 * paths of what is in them, so packages are taken from `node_modules` here, not from a cache that lies anywhere.
 */
async function bundle(): Promise<void> {
  await Deno.remove(build, { recursive: true }).catch(() => {});
  await Deno.mkdir(build, { recursive: true });
  const complaint = await deno([
    "bundle",
    "--quiet",
    "--platform=deno",
    "--code-splitting",
    "--minify",
    "--keep-names",
    "--node-modules-dir=auto",
    `--outdir=${build}`,
    "main.ts",
  ]);
  if (complaint !== undefined) throw new Error(`Cannot bundle the sources: ${complaint}`);
  const hash = await commit();
  for await (const entry of Deno.readDir(build)) {
    const path = `${build}/${entry.name}`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replaceAll("@COMMIT@", hash));
    await Deno.utime(path, 0, 0);
  }
}

/** Throws when `path` isn't a base runtime of this Deno for `target`. */
async function checkBase(path: string, target: string): Promise<void> {
  const bytes = await Deno.readFile(path);
  const format = formatOf(bytes);
  if (format !== TARGETS[target]!.cpu) {
    throw new Error(`"${path}" is for another machine: ${format}, wanted ${TARGETS[target]!.cpu}`);
  }
  // Latin-1 keeps one character a byte, so that a plain search finds the version that the user agent carries.
  if (!new TextDecoder("latin1").decode(bytes).includes(`Deno/${Deno.version.deno}`)) {
    throw new Error(`"${path}" is not of Deno ${Deno.version.deno}`);
  }
}

/** Compiles; returns what went wrong, undefined when nothing did. */
async function compileOnto(target: string, base: string | undefined): Promise<string | undefined> {
  if (base !== undefined) await checkBase(base, target);
  return await deno([
    "compile",
    "--quiet",
    ...FLAGS,
    `--target=${target}`,
    `--output=${dist}/${TARGETS[target]!.file}`,
    `${build}/main.js`,
  ], base === undefined ? {} : { DENORT_BIN: base });
}

/** Compiles for `target`; returns the words that say which base was used. */
async function compile(target: string): Promise<string> {
  const given = Deno.env.get("DENORT_BIN");
  if (given !== undefined && options.base === "auto") {
    await compileOrThrow(target, given);
    return `DENORT_BIN (SHA-256 ${await sha256(await Deno.readFile(given))})`;
  }
  if (options.base !== "npm") {
    const complaint = await compileOnto(target, undefined);
    if (complaint === undefined) return "Deno's own download";
    if (options.base === "official") throw new Error(`Cannot compile: ${complaint}`);
  }
  const base = await recoverDenort(target, `${root}dist/base`);
  await compileOrThrow(target, base);
  return `recovered from npm, for test builds only (SHA-256 ${await sha256(
    await Deno.readFile(base),
  )})`;
}

async function compileOrThrow(target: string, base: string): Promise<void> {
  const complaint = await compileOnto(target, base);
  if (complaint !== undefined) throw new Error(`Cannot compile onto "${base}": ${complaint}`);
}

/** Writes the sums of all that lies in `dist`. */
async function writeSums(): Promise<void> {
  const lines: string[] = [];
  for (const { file } of Object.values(TARGETS)) {
    const bytes = await Deno.readFile(`${dist}/${file}`).catch(() => undefined);
    if (bytes) lines.push(`${await sha256(bytes)}  ${file}\n`);
  }
  await Deno.writeTextFile(`${dist}/SHA256SUMS`, lines.join(""));
}

const targets = options.all
  ? Object.keys(TARGETS)
  : (options.target as string[]).length > 0
  ? options.target as string[]
  : [Deno.build.target];
for (const target of targets) {
  if (!TARGETS[target]) {
    console.error(`Unknown target "${target}": ${Object.keys(TARGETS).join(", ")}`);
    Deno.exit(2);
  }
}
await bundle();
for (const target of targets) {
  const base = await compile(target);
  const { size } = await Deno.stat(`${dist}/${TARGETS[target]!.file}`);
  console.log(`${TARGETS[target]!.file}  ${(size / 1e6).toFixed(1)} MB  base: ${base}`);
}
if (targets.includes(Deno.build.target)) {
  await Deno.copyFile(`${dist}/${TARGETS[Deno.build.target]!.file}`, `${dist}/cst-agent`);
}
await writeSums();

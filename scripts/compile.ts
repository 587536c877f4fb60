/**
 * Builds `dist/cst-agent-<os>-<arch>[.exe]` and `dist/SHA256SUMS`.
 *
 * Usage: deno task compile [--target TRIPLE]… [--all] [--base auto|official|npm]
 *
 * 1. The sources become one bundle of a few files, so that a start reads little and only what its command needs.
 * 2. Their times are set to one fixed moment: `deno compile` stores them, and same sources must give same bytes.
 * 3. The base runtime is `DENORT_BIN`, else Deno's own download, else (a test build) the recovery of `denort.ts`.
 *    Its format, CPU and version are checked, since `deno compile` checks neither CPU nor version.
 */
import { parseArgs } from "@std/cli/parse-args";
import { recoverDenort, sha256 } from "./denort.ts";

const TARGETS: { readonly [triple: string]: { readonly file: string; readonly cpu: string } } = {
  "x86_64-unknown-linux-gnu": { file: "cst-agent-linux-x64", cpu: "elf 62" },
  "aarch64-unknown-linux-gnu": { file: "cst-agent-linux-arm64", cpu: "elf 183" },
  "x86_64-apple-darwin": { file: "cst-agent-macos-x64", cpu: "macho 1000007" },
  "aarch64-apple-darwin": { file: "cst-agent-macos-arm64", cpu: "macho 100000c" },
  "x86_64-pc-windows-msvc": { file: "cst-agent-windows-x64.exe", cpu: "pe 8664" },
};

/** What the program needs at all; the flags of a run narrow it further (SPEC 8). */
const PERMISSIONS = [
  "--allow-read",
  "--allow-write",
  "--allow-run",
  "--allow-net",
  "--allow-env",
  "--no-prompt",
];

const root = new URL("../", import.meta.url).pathname;
const dist = `${root}dist`;
const build = `${dist}/build`;

async function deno(args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { DENO_TLS_CA_STORE: "system,mozilla", ...env },
    stdout: "null",
    stderr: "piped",
  }).output();
  return success;
}

/** The commit that is built, marked when the tree holds more. */
async function commit(): Promise<string> {
  const git = async (...args: string[]) => {
    const { stdout } = await new Deno.Command("git", { args, cwd: root }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  const hash = await git("rev-parse", "--short=12", "HEAD");
  return await git("status", "--porcelain", "--", "src", "main.ts", "deno.json") === ""
    ? hash
    : `${hash}+changes`;
}

/** Bundles the sources into `dist/build`, stamped with the commit and one fixed time. */
async function bundle(): Promise<void> {
  await Deno.remove(build, { recursive: true }).catch(() => {});
  await Deno.mkdir(build, { recursive: true });
  const done = await deno([
    "bundle",
    "--quiet",
    "--platform=deno",
    "--code-splitting",
    "--minify",
    "--keep-names",
    `--outdir=${build}`,
    "main.ts",
  ]);
  if (!done) throw new Error("Cannot bundle the sources");
  const hash = await commit();
  for await (const entry of Deno.readDir(build)) {
    const path = `${build}/${entry.name}`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replaceAll("@COMMIT@", hash));
    await Deno.utime(path, 0, 0);
  }
}

/** What a program's first bytes say of its format and CPU. */
function formatOf(bytes: Uint8Array<ArrayBuffer>): string {
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0) === 0x7f454c46) return `elf ${view.getUint16(18, true)}`;
  if (view.getUint32(0, true) === 0xfeedfacf) {
    return `macho ${view.getUint32(4, true).toString(16)}`;
  }
  if (view.getUint16(0) === 0x4d5a) {
    return `pe ${view.getUint16(view.getUint32(0x3c, true) + 4, true).toString(16)}`;
  }
  return "unknown";
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

async function compileOnto(target: string, base: string | undefined): Promise<boolean> {
  if (base !== undefined) await checkBase(base, target);
  return await deno([
    "compile",
    "--quiet",
    "--no-check",
    "--no-code-cache",
    ...PERMISSIONS,
    `--target=${target}`,
    `--output=${dist}/${TARGETS[target]!.file}`,
    `${build}/main.js`,
  ], base === undefined ? {} : { DENORT_BIN: base });
}

/** Compiles for `target`; returns the words that say which base was used. */
async function compile(target: string, choice: string): Promise<string> {
  const given = Deno.env.get("DENORT_BIN");
  if (given !== undefined && choice === "auto") {
    if (!await compileOnto(target, given)) throw new Error(`Cannot compile onto "${given}"`);
    return `DENORT_BIN (SHA-256 ${await sha256(await Deno.readFile(given))})`;
  }
  if (choice !== "npm") {
    if (await compileOnto(target, undefined)) return "Deno's own download";
    if (choice === "official") throw new Error("Cannot get the base from Deno's download host");
  }
  const base = await recoverDenort(target, `${dist}/base`);
  if (!await compileOnto(target, base)) throw new Error(`Cannot compile onto "${base}"`);
  return `recovered from npm, for test builds only (SHA-256 ${await sha256(
    await Deno.readFile(base),
  )})`;
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

const options = parseArgs(Deno.args, {
  string: ["base"],
  collect: ["target"],
  boolean: ["all"],
  default: { base: "auto" },
});
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
  const base = await compile(target, String(options.base));
  const { size } = await Deno.stat(`${dist}/${TARGETS[target]!.file}`);
  console.log(`${TARGETS[target]!.file}  ${(size / 1e6).toFixed(1)} MB  base: ${base}`);
}
if (targets.includes(Deno.build.target)) {
  await Deno.copyFile(`${dist}/${TARGETS[Deno.build.target]!.file}`, `${dist}/cst-agent`);
}
await writeSums();

/**
 * Checks what `deno task compile --all` left in `dist/`: the sums, each file's format and CPU, and that it runs, where
 * that can be tried: this machine's own, and arm64 Linux under qemu-user (apt-get install qemu-user-static
 * libc6-arm64-cross libgcc-s1-arm64-cross). What can't be run here is said.
 *
 * Usage: deno run -A scripts/check_release.ts      exit 1 when a file is missing or wrong
 */
import { sha256 } from "./denort.ts";
import { formatOf, TARGETS } from "./targets.ts";

const dist = new URL("../dist/", import.meta.url).pathname;
const QEMU = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"];

/** The argv that runs a file of `target` here; undefined where there is none. */
function runner(target: string): readonly string[] | undefined {
  if (target === Deno.build.target) return [];
  return target === "aarch64-unknown-linux-gnu" && Deno.build.os === "linux" && hasQemu()
    ? QEMU
    : undefined;
}

function hasQemu(): boolean {
  try {
    return new Deno.Command(QEMU[0]!, { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

async function versionOf(argv: readonly string[]): Promise<string> {
  const { success, stdout } = await new Deno.Command(argv[0]!, {
    args: [...argv.slice(1), "--version"],
    stderr: "inherit",
  }).output();
  return success ? new TextDecoder().decode(stdout).trim() : "does not run";
}

async function check(target: string, sums: string): Promise<string | undefined> {
  const { file, cpu } = TARGETS[target]!;
  const bytes = await Deno.readFile(`${dist}${file}`).catch(() => undefined);
  if (!bytes) return `${file}: missing`;
  if (formatOf(bytes) !== cpu) return `${file}: ${formatOf(bytes)}, not ${cpu}`;
  if (!sums.includes(`${await sha256(bytes)}  ${file}\n`)) return `${file}: not as in SHA256SUMS`;
  const run = runner(target);
  const version = run ? await versionOf([...run, `${dist}${file}`]) : undefined;
  console.log(`${file}: ${cpu}, sum right, ${version ?? "can't be run here"}`);
  return version === undefined || version.startsWith("cst-agent ")
    ? undefined
    : `${file}: ${version}`;
}

const sums = await Deno.readTextFile(`${dist}SHA256SUMS`);
const faults: string[] = [];
for (const target of Object.keys(TARGETS)) {
  const fault = await check(target, sums);
  if (fault !== undefined) faults.push(fault);
}
for (const fault of faults) console.error(fault);
Deno.exit(faults.length > 0 ? 1 : 0);

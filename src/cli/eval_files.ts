/** What the experiments read and write. */
import { FileError } from "../system/system.ts";
import { absolute, type World } from "./command.ts";
import { orUsageError } from "./input_files.ts";

/** Every `*.sse` in the folder and below, or the file itself, in order of name. */
export async function findRecordings(path: string, world: World): Promise<readonly string[]> {
  const info = await orUsageError(() => world.files.stat(absolute(path, world)));
  if (info.kind !== "directory") return [path];
  const entries = await orUsageError(() => world.files.readDir(absolute(path, world)));
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

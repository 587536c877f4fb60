/** Whole folders for evaluation: temporary ones, copies, results that grow by a line. */
import { ConfigError } from "../errors.ts";

/** Makes a fresh temporary folder and returns its real path, which is always equally long: prompts name it. */
export async function makeTempFolder(prefix: string): Promise<string> {
  const path = `${Deno.env.get("TMPDIR") ?? "/tmp"}/${prefix}${crypto.randomUUID().slice(0, 13)}`;
  await Deno.mkdir(path, { mode: 0o700 });
  return await Deno.realPath(path);
}

/** Copies what is in `from` into `to` with its permission bits; links stay links. `skip` takes paths relative to `from`. */
export async function copyFolder(
  from: string,
  to: string,
  skip: (path: string) => boolean = () => false,
): Promise<void> {
  async function copy(relative: string): Promise<void> {
    await Deno.mkdir(`${to}/${relative}`, { recursive: true });
    for await (const entry of Deno.readDir(`${from}/${relative}`)) {
      const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
      if (skip(path)) continue;
      if (entry.isDirectory) await copy(path);
      else if (entry.isSymlink) {
        await Deno.symlink(await Deno.readLink(`${from}/${path}`), `${to}/${path}`);
      } else if (entry.isFile) await Deno.copyFile(`${from}/${path}`, `${to}/${path}`);
    }
  }
  await copy("");
}

/** The path of what is there, links followed. */
export async function realPathOf(path: string): Promise<string> {
  return await Deno.realPath(path);
}

/** Removes a folder and all that is in it; one that isn't there is fine. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Makes a folder and those above it. Throws `ConfigError` where that can't be. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true });
  } catch (error) {
    throw new ConfigError(`Cannot make the folder "${path}": ${reasonOf(error)}`);
  }
}

/** Makes the folder of `path` and writes `text` there. */
export async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/") + 1), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** Adds `text` to the end of a file with one write; makes the file. */
export async function appendText(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text, { append: true });
}

/** The text of a file; undefined where there is none. */
export async function readTextIfAny(path: string): Promise<string | undefined> {
  const bytes = await readBytesIfAny(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** The bytes of a file; undefined where there is none. Throws `ConfigError` where it can't be read. */
export async function readBytesIfAny(path: string): Promise<Uint8Array | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw new ConfigError(`Cannot read "${path}": ${reasonOf(error)}`);
  }
}

/** The system's words without its number and the call, e.g. `Is a directory`. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(os error.*/s, "");
}

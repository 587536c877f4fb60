/** Files that the command line names, to be read. */
import { ConfigError, UsageError } from "../errors.ts";
import { FileError } from "../system/system.ts";
import { absolute, type World } from "./command.ts";

/** A file's bytes. Throws `UsageError` where it can't be read. */
export async function readInputFile(path: string, world: World): Promise<Uint8Array> {
  return await orUsageError(() => world.files.readFile(absolute(path, world)));
}

/** The text of a file that says how something is to be done. Throws `ConfigError` where it can't be read. */
export async function readConfigText(path: string, world: World): Promise<string> {
  try {
    return new TextDecoder().decode(await world.files.readFile(absolute(path, world)));
  } catch (cause) {
    throw new ConfigError(`Cannot read "${path}"`, { cause });
  }
}

/** What `step` returns; a `FileError` of it becomes a `UsageError`. */
export async function orUsageError<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(error.message);
  }
}

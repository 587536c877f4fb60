/** From a path as the model writes it to the file that it means. */
import { FileError, type FileInfo, type Files } from "../system/system.ts";
import { normalPath } from "../text/path.ts";

/** What stands where a path leads. */
export interface Target {
  /** As written. */
  readonly path: string;
  /** Absolute, links resolved, also for a file that doesn't exist yet. */
  readonly target: string;
  /** The path itself is a link to `target`. */
  readonly isLink: boolean;
  readonly found:
    | { readonly kind: "file"; readonly info: FileInfo }
    | { readonly kind: "missing" }
    /** `what` says what it is instead, for a sentence `"x" is …`. */
    | { readonly kind: "other"; readonly what: string };
}

/** Finds out what a path leads to. Throws `FileError` only where the system refuses to say. */
export async function resolveTarget(files: Files, cwd: string, path: string): Promise<Target> {
  const whole = normalPath(path, cwd);
  const own = await infoOrNothing(() => files.lstat(whole));
  const isLink = own?.kind === "symlink";
  if (own) {
    const info = isLink ? await infoOrNothing(() => files.stat(whole)) : own;
    if (!info) {
      return { path, target: whole, isLink, found: other("a link that leads nowhere") };
    }
    const target = await files.realPath(whole);
    if (info.kind === "file") return { path, target, isLink, found: { kind: "file", info } };
    const what = info.kind === "directory" ? "a folder, not a file" : "not a regular file";
    return { path, target, isLink, found: other(what) };
  }
  const rest: string[] = [];
  let folder = whole;
  for (;;) {
    rest.unshift(folder.slice(folder.lastIndexOf("/") + 1));
    folder = folder.slice(0, folder.lastIndexOf("/")) || "/";
    const info = await infoOrNothing(() => files.lstat(folder));
    if (!info) continue;
    const real = await infoOrNothing(() => files.stat(folder));
    if (real?.kind !== "directory") {
      return { path, target: whole, isLink, found: other(`below "${folder}", which is no folder`) };
    }
    const base = await files.realPath(folder);
    const target = `${base === "/" ? "" : base}/${rest.join("/")}`;
    return { path, target, isLink, found: { kind: "missing" } };
  }
}

function other(what: string): { readonly kind: "other"; readonly what: string } {
  return { kind: "other", what };
}

async function infoOrNothing(look: () => Promise<FileInfo>): Promise<FileInfo | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return undefined;
    }
    throw error;
  }
}

/** Data that lies beside the project and is no part of it; where it isn't there, a test says so, and fails under CI. */
const SHARED = new URL("../../shared/", import.meta.url);

/** The place of `path` in the shared data, or undefined (said on one line) where there is none. */
export function sharedData(path: string): URL | undefined {
  const place = new URL(path, SHARED);
  try {
    Deno.statSync(place);
    return place;
  } catch (cause) {
    if (Deno.env.get("CI")) throw new Error(`Cannot find the shared data "${path}"`, { cause });
    console.log(`left out: the shared data "${path}" is not here`);
    return undefined;
  }
}

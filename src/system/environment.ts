/** What the program was started with: its environment, its folder and its own path. */

/** The environment, the working directory (absolute, links resolved) and the program's own path, as they are now. */
export interface Surroundings {
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
  readonly execPath: string;
}

/**
 * The surroundings of the program.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(readSurroundings().cwd, Deno.realPathSync("."));
 * ```
 */
export function readSurroundings(): Surroundings {
  return {
    env: Deno.env.toObject(),
    cwd: Deno.realPathSync(Deno.cwd()),
    execPath: Deno.execPath(),
  };
}

/**
 * Makes `fetch` trust the system's certificates besides its built-in ones, as a company's proxy needs, unless the user
 * chose a store. Takes effect before the first `fetch` only.
 */
export function trustSystemCertificates(): void {
  if (Deno.env.get("DENO_TLS_CA_STORE") === undefined) {
    Deno.env.set("DENO_TLS_CA_STORE", "system,mozilla");
  }
}

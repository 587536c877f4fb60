/** Whether a server takes connections at all: no request is made. */

/**
 * Why nobody answers at the host and port of `url` within `ms`; null when somebody does.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
 * const { port } = listener.addr as Deno.NetAddr;
 * assertEquals(await whyUnreachable(new URL(`http://127.0.0.1:${port}/v1`), 1000), null);
 * listener.close();
 * ```
 */
export async function whyUnreachable(url: URL, ms: number): Promise<string | null> {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${ms / 1000} s`), ms);
  });
  const connected = Deno.connect({ hostname, port }).then((connection) => {
    connection.close();
    return null;
  }, (error) => error instanceof Error ? error.message : String(error));
  try {
    return await Promise.race([connected, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

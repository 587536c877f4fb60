/** A small HTTP server on loopback: what the simulated model stands on. */

/** Answers one request. */
export type HttpHandler = (request: Request) => Response | Promise<Response>;

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Stops listening and closes every open connection. */
  stop(): Promise<void>;
}

/**
 * Serves `handler` on 127.0.0.1 and nowhere else; port 0 takes a free one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const server = serveLoopback(() => new Response("hello"), { port: 0 });
 * assertEquals(await (await fetch(server.url)).text(), "hello");
 * await server.stop();
 * ```
 */
export function serveLoopback(handler: HttpHandler, options: { port: number }): HttpServer {
  const aborter = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: options.port,
    signal: aborter.signal,
    onListen() {},
  }, handler);
  const port = server.addr.port;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      aborter.abort();
      await server.finished;
    },
  };
}

/** Proxies and private certificates, in programs of their own. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { startScriptedServer } from "../scripted_server.ts";

const GOOD =
  'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const tls = new URL("../../fixtures/tls/", import.meta.url);

/** What `ask.ts` says of `baseUrl` under these variables. */
async function ask(baseUrl: string, env: { readonly [name: string]: string }): Promise<string> {
  const program = new URL("ask.ts", import.meta.url).pathname;
  const clean = Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !/proxy|DENO_CERT/i.test(name)),
  );
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, baseUrl],
    env: { ...clean, ...env },
    clearEnv: true,
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("A proxy is used, unless NO_PROXY says otherwise, and named when it fails", async () => {
  const proxy = startScriptedServer([{ status: 200, body: GOOD }]);
  const HTTP_PROXY = proxy.url.replace("/v1", "");
  assertEquals(await ask("http://model.invalid/v1", { HTTP_PROXY }), "complete: Hi");
  assertEquals(proxy.requests[0]!.path, "http://model.invalid/v1/chat/completions");
  await proxy.close();
  assertEquals(
    await ask("http://model.invalid/v1", { HTTP_PROXY }),
    "Cannot reach http://model.invalid/v1/chat/completions through the proxy in HTTP_PROXY: connection refused",
  );
  const straight = await ask("http://model.invalid/v1", { HTTP_PROXY, NO_PROXY: "model.invalid" });
  assertStringIncludes(straight, "its name cannot be found");
});

Deno.test("A private certificate is refused with a hint, and trusted through DENO_CERT", async () => {
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: Deno.readTextFileSync(new URL("server.pem", tls)),
    key: Deno.readTextFileSync(new URL("server.key", tls)),
    onListen() {},
  }, () => new Response(GOOD, { headers: { "content-type": "text/event-stream" } }));
  const url = `https://127.0.0.1:${server.addr.port}/v1`;
  assertStringIncludes(await ask(url, {}), "its certificate is not trusted (a private CA?");
  assertEquals(await ask(url, { DENO_CERT: new URL("ca.pem", tls).pathname }), "complete: Hi");
  await server.shutdown();
});

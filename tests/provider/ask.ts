/** A program of its own, since proxies and certificates are read once: asks the server at the URL and prints what came. */
import { createClock } from "../../src/system/clock.ts";
import { trustSystemCertificates } from "../../src/system/environment.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { createModelClient } from "../../src/provider/client.ts";
import { findProxyVariable } from "../../src/provider/proxy.ts";
import { BODY, drain, textOf } from "./client_world.ts";

const baseUrl = Deno.args[0]!;
trustSystemCertificates();
const client = createModelClient({
  provider: findProvider("custom", { baseUrl, model: "m" }),
  key: "sk-secret",
  clock: createClock(),
  retries: 0,
  proxyVariable: findProxyVariable(baseUrl, Deno.env.toObject()),
  onWait() {},
});
try {
  const { deltas, end } = await drain(await client.openStream(BODY, new AbortController().signal));
  console.log(`${end.how}: ${textOf(deltas)}`);
} catch (error) {
  console.log((error as Error).message);
}

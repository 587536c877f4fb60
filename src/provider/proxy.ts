/** Which proxy variable applies to a URL: `fetch` obeys them by itself, error messages should name them. */

/**
 * The name of the variable through whose proxy requests to `url` go, or undefined where they go straight. As `fetch`
 * reads them: lower case before upper case, `NO_PROXY` as a list of hosts and endings of hosts.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const env = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "localhost,.corp" };
 * assertEquals(findProxyVariable("https://api.example.com/v1", env), "HTTPS_PROXY");
 * assertEquals(findProxyVariable("https://llm.corp/v1", env), undefined);
 * assertEquals(findProxyVariable("http://api.example.com/v1", env), undefined);
 * ```
 */
export function findProxyVariable(
  url: string,
  env: { readonly [name: string]: string | undefined },
): string | undefined {
  const target = URL.parse(url);
  if (!target || isDirect(target.hostname, env.no_proxy ?? env.NO_PROXY ?? "")) return undefined;
  const names = target.protocol === "https:"
    ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    : ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
  return names.find((name) => env[name]);
}

function isDirect(host: string, list: string): boolean {
  return list.split(",").map((entry) => entry.trim().replace(/^\*?\./, "")).some((entry) =>
    entry === "*" || (entry !== "" && (host === entry || host.endsWith(`.${entry}`)))
  );
}

/** What tokens cost: as a file says, else as the catalog of model servers knows. */
import type { Json, Usage } from "../vocab.ts";
import { ConfigError } from "../errors.ts";
import { findProvider, providerNames } from "../provider/catalog.ts";

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  /** For tokens that the server had seen before; as `input` when left out. */
  readonly cachedInput?: number;
  readonly output: number;
}

/** By `provider:model`. */
export type Prices = { readonly [model: string]: Price };

/**
 * Reads `{"provider:model": {"input": 0.27, "output": 1.1}}`. Throws `ConfigError` that names what is wrong.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const prices = parsePrices('{"a:b":{"input":0.5,"output":2}}', "prices.json");
 * assertEquals(costOf("a:b", { inputTokens: 1_000_000, outputTokens: 500_000 }, prices), 1.5);
 * assertEquals(costOf("a:c", { inputTokens: 1, outputTokens: 1 }, prices), null);
 * ```
 */
export function parsePrices(text: string, path: string): Prices {
  let data: Json;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`Cannot read the prices "${path}": they are not JSON`, { cause });
  }
  const entries = Object.entries(data ?? {}).map(([model, price]): [string, Price] => {
    const { input, output } = (price ?? {}) as { input?: unknown; output?: unknown };
    if (typeof input !== "number" || typeof output !== "number") {
      throw new ConfigError(
        `Cannot read the prices "${path}": "${model}" needs "input" and "output"`,
      );
    }
    return [model, { input, output }];
  });
  return Object.fromEntries(entries);
}

/** US dollars for `usage` of `provider:model`; null where the price isn't known. */
export function costOf(model: string, usage: Usage, prices: Prices): number | null {
  const price = prices[model] ?? catalogPrice(model);
  if (!price) return null;
  const cached = usage.cachedTokens ?? 0;
  const fresh = usage.inputTokens - cached;
  return (fresh * price.input + cached * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output) / 1e6;
}

function catalogPrice(key: string): Price | null {
  const [name = "", ...model] = key.split(":");
  // `custom` and `sim` have none, and can't be looked up without an address.
  if (!providerNames().includes(name) || name === "custom") return null;
  return findProvider(name, model.length === 0 ? {} : { model: model.join(":") }).price;
}

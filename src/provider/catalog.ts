/** The servers that have a name here: where they are, and their habits as data (SPEC 4; docs/providers.md). */
import type { JsonObject, ReasoningField } from "../vocab.ts";
import { ConfigError } from "../errors.ts";

/** What a server wants otherwise than the others. */
export interface Quirks {
  /**
   * Which assistant messages take their reasoning back. `with_calls`: those with `tool_calls`, where DeepSeek
   * answers 400 if the field is missing, even empty. `never` is safe for servers nobody knows.
   */
  readonly reasoning: "never" | "with_calls" | "always";
  /** The field in which it goes back. */
  readonly reasoningField: ReasoningField;
  /** The content of a message that only calls. */
  readonly callOnlyContent: null | "";
  /** `word40`: ids of letters, digits, `_` and `-`, 40 at most; others are made anew on the way out. */
  readonly toolIds: "any" | "word40";
  /** Does it take `stream_options`? Without it usage is estimated. */
  readonly streamOptions: boolean;
  readonly maxTokensName: "max_tokens" | "max_completion_tokens";
  /** The temperatures it takes; null where it takes only its own. */
  readonly temperature: { readonly min: number; readonly max: number } | null;
  /** What else the body needs. */
  readonly body: JsonObject;
}

/** US dollars for a million tokens, where known. */
export interface Price {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** A server, with all that a request to it needs but the key. */
export interface Provider {
  readonly name: string;
  /** Without a slash at the end; `/chat/completions` follows. */
  readonly baseUrl: string;
  /** The environment variable that holds the key. */
  readonly keyVariable: string;
  readonly keyRequired: boolean;
  readonly model: string;
  /** Tokens that the default model can see. */
  readonly contextWindow: number;
  readonly price: Price | null;
  readonly quirks: Quirks;
}

/** What flags, environment and configuration set otherwise. */
export interface ProviderOverrides {
  readonly baseUrl?: string | undefined;
  readonly keyVariable?: string | undefined;
  readonly model?: string | undefined;
  readonly contextWindow?: number | undefined;
  readonly quirks?: Partial<Quirks> | undefined;
}

const PLAIN: Quirks = {
  reasoning: "never",
  reasoningField: "reasoning_content",
  callOnlyContent: null,
  toolIds: "any",
  streamOptions: true,
  maxTokensName: "max_tokens",
  temperature: { min: 0, max: 2 },
  body: {},
};

const CATALOG: readonly Provider[] = [
  {
    name: "deepseek",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    keyRequired: true,
    model: "deepseek-v4-flash",
    contextWindow: 1_000_000,
    price: null,
    quirks: { ...PLAIN, reasoning: "with_calls", callOnlyContent: "" },
  },
  {
    name: "minimax",
    baseUrl: "https://api.minimax.io/v1",
    keyVariable: "MINIMAX_API_KEY",
    keyRequired: true,
    model: "MiniMax-M2.7",
    contextWindow: 204_800,
    price: { input: 0.3, cachedInput: 0.06, output: 1.2 },
    quirks: {
      ...PLAIN,
      reasoning: "always",
      reasoningField: "reasoning_details",
      callOnlyContent: "",
      maxTokensName: "max_completion_tokens",
      temperature: { min: 0.01, max: 1 },
      // Else the reasoning comes as <think> inside the text.
      body: { reasoning_split: true },
    },
  },
  {
    name: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    keyRequired: true,
    model: "gpt-5",
    contextWindow: 400_000,
    price: { input: 1.25, cachedInput: 0.125, output: 10 },
    quirks: {
      ...PLAIN,
      toolIds: "word40",
      maxTokensName: "max_completion_tokens",
      temperature: null,
    },
  },
  {
    name: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    keyRequired: true,
    model: "qwen/qwen3-coder",
    contextWindow: 262_144,
    price: null,
    quirks: { ...PLAIN, reasoning: "with_calls", reasoningField: "reasoning_details" },
  },
  {
    name: "ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariable: "OLLAMA_API_KEY",
    keyRequired: false,
    model: "qwen3-coder",
    contextWindow: 32_768,
    price: null,
    quirks: { ...PLAIN, callOnlyContent: "" },
  },
  {
    name: "custom",
    baseUrl: "",
    keyVariable: "CUSTOM_API_KEY",
    keyRequired: false,
    model: "",
    contextWindow: 32_768,
    price: null,
    quirks: PLAIN,
  },
];

/** The names that `--provider` takes. */
export function providerNames(): readonly string[] {
  return CATALOG.map((provider) => provider.name);
}

/**
 * The server of this name with the overrides laid over it. Another model than the default has no known price, and
 * keeps the context window unless that is given too. Throws `ConfigError` for an unknown name, a base URL that is
 * none, and a `custom` without URL or model.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const provider = findProvider("custom", { baseUrl: "http://127.0.0.1:8080/v1/", model: "m" });
 * assertEquals([provider.baseUrl, provider.model], ["http://127.0.0.1:8080/v1", "m"]);
 * ```
 */
export function findProvider(name: string, overrides: ProviderOverrides = {}): Provider {
  const found = CATALOG.find((provider) => provider.name === name);
  if (!found) {
    throw new ConfigError(
      `Unknown provider "${name}": known are ${providerNames().join(", ")}`,
    );
  }
  const model = overrides.model ?? found.model;
  const baseUrl = (overrides.baseUrl ?? found.baseUrl).replace(/\/+$/, "");
  if (baseUrl === "") throw new ConfigError(`Provider "${name}" needs a base URL: give --base-url`);
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    throw new ConfigError(`Not a base URL: "${baseUrl}" (it starts with http:// or https://)`);
  }
  if (model === "") throw new ConfigError(`Provider "${name}" needs a model: give --model`);
  return {
    ...found,
    baseUrl,
    model,
    keyVariable: overrides.keyVariable ?? found.keyVariable,
    contextWindow: overrides.contextWindow ?? found.contextWindow,
    price: model === found.model ? found.price : null,
    quirks: { ...found.quirks, ...overrides.quirks },
  };
}

/** The key for a server out of an environment; undefined where none is set and none is needed. Throws `ConfigError` where one is missing. */
export function findKey(
  provider: Provider,
  env: { readonly [name: string]: string | undefined },
): string | undefined {
  const key = env[provider.keyVariable]?.trim();
  if (!key && provider.keyRequired) {
    throw new ConfigError(
      `No key for "${provider.name}": set ${provider.keyVariable} in the environment, or choose another server ` +
        '(--provider NAME; to try it without a key: "cst-agent --help")',
    );
  }
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(`The key in ${provider.keyVariable} holds characters that no key has`);
  }
  return key || undefined;
}

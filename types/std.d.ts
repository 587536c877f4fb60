/** Declarations of the few functions of the standard library that the project uses; the npm copy ships none. */
declare module "@std/assert" {
  export function assert(value: unknown, message?: string): asserts value;
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): void;
  export function assertStringIncludes(actual: string, expected: string, message?: string): void;
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertThrows<E extends Error = Error>(
    fn: () => unknown,
    // deno-lint-ignore no-explicit-any
    errorClass?: new (...args: any[]) => E,
    includes?: string,
  ): E;
  export function assertRejects<E extends Error = Error>(
    fn: () => PromiseLike<unknown>,
    // deno-lint-ignore no-explicit-any
    errorClass?: new (...args: any[]) => E,
    includes?: string,
  ): Promise<E>;
  export function fail(message?: string): never;
}
declare module "@std/cli/parse-args" {
  export interface ParseOptions {
    readonly boolean?: readonly string[];
    readonly string?: readonly string[];
    readonly collect?: readonly string[];
    readonly negatable?: readonly string[];
    readonly alias?: { readonly [name: string]: string | readonly string[] };
    readonly default?: { readonly [name: string]: unknown };
    readonly "--"?: boolean;
    readonly stopEarly?: boolean;
    readonly unknown?: (arg: string, key?: string, value?: unknown) => unknown;
  }
  export function parseArgs(
    args: readonly string[],
    options?: ParseOptions,
  ): { _: (string | number)[]; "--"?: string[]; [name: string]: unknown };
}
declare module "@std/fmt/bytes" {
  export function format(bytes: number, options?: { binary?: boolean }): string;
}
declare module "@std/fmt/colors" {
  export function bold(text: string): string;
  export function dim(text: string): string;
  export function italic(text: string): string;
  export function underline(text: string): string;
  export function inverse(text: string): string;
  export function red(text: string): string;
  export function green(text: string): string;
  export function yellow(text: string): string;
  export function blue(text: string): string;
  export function magenta(text: string): string;
  export function cyan(text: string): string;
  export function gray(text: string): string;
  export function setColorEnabled(enabled: boolean): void;
  export function getColorEnabled(): boolean;
  export function stripAnsiCode(text: string): string;
}
declare module "@std/fmt/duration" {
  export function format(
    ms: number,
    options?: { style?: "narrow" | "full" | "digital"; ignoreZero?: boolean },
  ): string;
}
declare module "@std/path" {
  export function join(...parts: string[]): string;
  export function resolve(...parts: string[]): string;
  export function relative(from: string, to: string): string;
  export function dirname(path: string): string;
  export function basename(path: string, suffix?: string): string;
  export function extname(path: string): string;
  export function normalize(path: string): string;
  export function isAbsolute(path: string): boolean;
  export function fromFileUrl(url: string | URL): string;
  export function toFileUrl(path: string): URL;
  export function globToRegExp(
    glob: string,
    options?: { extended?: boolean; globstar?: boolean; caseInsensitive?: boolean },
  ): RegExp;
  export const SEPARATOR: string;
}
declare module "@std/streams/text-line-stream" {
  export class TextLineStream extends TransformStream<string, string> {
    constructor(options?: { allowCR?: boolean });
  }
}
declare module "node:timers" {
  /** Runs `callback` with the next turn of the event loop. */
  export function setImmediate(callback: () => void): unknown;
}

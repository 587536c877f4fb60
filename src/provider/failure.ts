/** A request that didn't become a stream: what it means, and the one line that says so. */
import { ProviderError } from "../errors.ts";
import { clip, readErrorText, type ServerError } from "./server_error.ts";
import { isTooLong } from "./stream_end.ts";

/** What kind of failure it is. */
export type FailureKind =
  | "unreachable"
  | "auth"
  | "not_found"
  | "too_long"
  | "busy"
  | "server"
  | "refused";

/** The server refused a request, or couldn't be reached: exit 4, or 75 when it said to come back later. */
export class RequestError extends ProviderError {
  readonly kind: FailureKind;
  /** The HTTP status; null where no answer came. */
  readonly status: number | null;
  constructor(kind: FailureKind, status: number | null, message: string, options?: ErrorOptions) {
    const tryLater = status === 429 || status === 503;
    super(message, { ...options, tryLater });
    this.kind = kind;
    this.status = status;
  }
}

/** What an error message may name, and what it must not hold. */
export interface FailureContext {
  /** Where the request went, for people: no user, no password. */
  readonly url: string;
  readonly keyVariable: string;
  readonly hasKey: boolean;
  /** The name of the proxy variable that applies, such as `HTTPS_PROXY`. */
  readonly proxyVariable?: string | undefined;
  /** Takes the key out of a stranger's text. */
  redact(text: string): string;
}

/** Statuses that may go away by themselves. */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** The error of a response that isn't a success. */
export function fromResponse(
  status: number,
  answer: { readonly body: string; readonly location: string | null },
  context: FailureContext,
): RequestError {
  const said = explain(answer.body);
  const words = context.redact(said.message);
  const { kind, hint } = classify(status, said, context);
  if (status >= 300 && status < 400) {
    const to = context.redact(clip(answer.location ?? "nowhere"));
    const message = `${context.url} redirects to "${to}": set the base URL to where the API is`;
    return new RequestError("refused", status, message);
  }
  return new RequestError(kind, status, `${context.url} answered ${status}: ${words}${hint}`);
}

/** A page of a proxy or gateway is named as such. */
function explain(body: string): ServerError {
  if (/^\s*<(!doctype|html)/i.test(body)) {
    const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim();
    return { message: title ? `a web page, "${clip(title, 100)}"` : "a web page" };
  }
  return readErrorText(body);
}

function classify(
  status: number,
  said: ServerError,
  context: FailureContext,
): { readonly kind: FailureKind; readonly hint: string } {
  if (isTooLong(said.message, said.code) || status === 413) return { kind: "too_long", hint: "" };
  switch (status) {
    case 401:
    case 403: {
      const hint = context.hasKey
        ? ` (is the key in ${context.keyVariable} right?)`
        : ` (no key was sent: set ${context.keyVariable})`;
      return { kind: "auth", hint };
    }
    case 404:
      return { kind: "not_found", hint: " (are the base URL and the model right?)" };
    case 405:
      return { kind: "refused", hint: " (is the base URL right?)" };
    case 429:
    case 503:
      return { kind: "busy", hint: "" };
    default:
      return { kind: status >= 500 ? "server" : "refused", hint: "" };
  }
}

/** Deno gives connection errors no code: the system's words are all there is to tell them by. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/with the --allow-net flag/, 'Deno itself was started without "--allow-net"'],
  [/connection refused/i, "connection refused (is the server running?)"],
  [
    /dns error|failed to lookup/i,
    "its name cannot be found (is the base URL right? is there a network?)",
  ],
  [
    /certificate|UnknownIssuer|CaUsedAsEndEntity/i,
    "its certificate is not trusted (a private CA? see DENO_TLS_CA_STORE and DENO_CERT in docs/providers.md)",
  ],
  [/network (is )?unreachable|no route to host/i, "no network leads there"],
  [/timed? ?out/i, "the connection timed out"],
  [/connection reset/i, "connection reset"],
  [/closed before message completed|unexpected eof/i, "it closed the connection before answering"],
];

/** A connection error in a few words. */
export function explainConnection(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? clip(text);
}

/** True when Deno's own sandbox forbade the connection: to ask again is no use. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

/** The error of a connection that didn't stand. */
export function fromConnection(error: unknown, context: FailureContext): RequestError {
  const words = context.redact(explainConnection(error));
  const message = context.proxyVariable
    // The hints in brackets are about the server; here the proxy may be what fails.
    ? `Cannot reach ${context.url} through the proxy in ${context.proxyVariable}: ${
      words.replace(/ \(.*\)$/, "")
    }`
    : `Cannot reach ${context.url}: ${words}`;
  return new RequestError("unreachable", null, message, { cause: error });
}

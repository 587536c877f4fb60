import type { Outcome } from "./vocab.ts";

/** Exit codes of the program, one meaning each (docs: README, "Exit codes"). */
export const EXIT = {
  done: 0,
  agentError: 1,
  usage: 2,
  configuration: 3,
  provider: 4,
  limit: 5,
  refused: 6,
  tryLater: 75,
  refusedCall: 126,
  timeout: 124,
  cancelled: 130,
  terminated: 143,
} as const;

/** The exit code of a run that ended with `outcome`. */
export function exitCodeOf(outcome: Outcome): number {
  switch (outcome) {
    case "done":
      return EXIT.done;
    case "agent_error":
    case "internal_error":
      return EXIT.agentError;
    case "provider_error":
      return EXIT.provider;
    case "try_later":
      return EXIT.tryLater;
    case "step_limit":
      return EXIT.limit;
    case "usage_error":
      return EXIT.usage;
    case "config_error":
    case "session_error":
      return EXIT.configuration;
    case "refused":
      return EXIT.refused;
    case "timeout":
      return EXIT.timeout;
    case "cancelled":
      return EXIT.cancelled;
    case "terminated":
      return EXIT.terminated;
  }
}

/** An error that the user is meant to read: printed once, as one line with its cause, by `main.ts`. */
export class UserError extends Error {
  override readonly name: string = "UserError";
  /** The exit code that goes with it. */
  readonly exit: number;
  constructor(message: string, exit: number, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** The command line is wrong: exit 2. */
export class UsageError extends UserError {
  override readonly name = "UsageError";
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT.usage, options);
  }
}

/** A configuration, a key or a folder is missing or wrong: exit 3. */
export class ConfigError extends UserError {
  override readonly name = "ConfigError";
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT.configuration, options);
  }
}

/** The model server cannot be used: exit 4, or 75 when it asks to come back later. */
export class ProviderError extends UserError {
  override readonly name = "ProviderError";
  constructor(message: string, options?: ErrorOptions & { tryLater?: boolean }) {
    super(message, options?.tryLater ? EXIT.tryLater : EXIT.provider, options);
  }
}

/** A signal ended the program before its task began: exit 130, or 143. */
export class StoppedError extends UserError {
  override readonly name = "StoppedError";
  constructor(signal: string) {
    const terminated = signal === "SIGTERM" || signal === "SIGHUP";
    super(`Stopped by ${signal}`, terminated ? EXIT.terminated : EXIT.cancelled);
  }
}

/** The session cannot be written or read: exit 3; nothing may be done that could not be recorded. */
export class SessionError extends UserError {
  override readonly name = "SessionError";
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT.configuration, options);
  }
}

/**
 * The outcome of a run that `error` ended.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(outcomeOf(new ProviderError("Busy", { tryLater: true })), "try_later");
 * assertEquals(outcomeOf(new TypeError("x is undefined")), "internal_error");
 * ```
 */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof UsageError) return "usage_error";
  if (error instanceof SessionError) return "session_error";
  if (error instanceof StoppedError) {
    return error.exit === EXIT.terminated ? "terminated" : "cancelled";
  }
  if (error instanceof ProviderError) {
    return error.exit === EXIT.tryLater ? "try_later" : "provider_error";
  }
  return error instanceof UserError ? "config_error" : "internal_error";
}

/**
 * The one line that a person reads when something went wrong, with its causes; a bug keeps its stack.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const cause = new Error('Cannot open "s": it is a folder');
 * assertEquals(
 *   explainError(new ConfigError('Cannot read "s"', { cause })),
 *   'Cannot read "s": Cannot open "s": it is a folder',
 * );
 * assertEquals(explainError(new ConfigError("No: it is a folder", { cause })), "No: it is a folder");
 * ```
 */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isFileError(error)) return error.message;
  if (!(error instanceof UserError)) return error.stack ?? error.message;
  let line = error.message;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const reason = cause.message.split(": ").at(-1)!;
    if (!line.includes(cause.message) && !line.endsWith(`: ${reason}`)) {
      line += `: ${cause.message}`;
    }
    // Below it are only the system's own words for the same.
    if (isFileError(cause)) break;
  }
  return line;
}

/** What the system refused, in a sentence already (system/system.ts). */
function isFileError(error: unknown): boolean {
  return error instanceof Error && error.name === "FileError";
}

/** The signals that end the program, as one `AbortSignal`. */

/** What asks the program to end: Ctrl-C, `kill`, and a closed terminal. */
export type ExitSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const EXIT_SIGNALS: readonly ExitSignal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** How the program is told to end. */
export interface ExitSignals {
  /** Aborts at the first signal; its reason is the signal's name. */
  readonly signal: AbortSignal;
  /** Stops listening: signals do again what the system does by default. */
  close(): void;
}

/**
 * Listens for the signals that end the program. The first one aborts `signal`, so that the program can stop what runs
 * and write down what it knows; at the second one it is told by `onSecond` to leave at once.
 * A listener does not keep the program alive.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const signals = listenForExit(() => Deno.exit(130));
 * assertEquals(signals.signal.aborted, false);
 * signals.close();
 * ```
 */
export function listenForExit(onSecond: (signal: ExitSignal) => void): ExitSignals {
  const controller = new AbortController();
  const listeners = EXIT_SIGNALS.map((name) => {
    const listener = () => controller.signal.aborted ? onSecond(name) : controller.abort(name);
    Deno.addSignalListener(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    close() {
      for (const { name, listener } of listeners) Deno.removeSignalListener(name, listener);
    },
  };
}

/** Waiting for a server: a notice after a while, and an end to it (SPEC 4). */
import type { Clock } from "../system/system.ts";

/** A wait that somebody may want to see. */
export interface Wait {
  readonly reason: "retry" | "idle";
  readonly seconds: number;
  readonly message: string;
}

/** How long silence is borne, all in ms of waiting: time in which nobody asked for bytes doesn't count. */
export interface Patience {
  readonly clock: Clock;
  /** Silence that ends a stream. */
  readonly idleMs: number;
  /** Silence after which `onWait` hears of it. */
  readonly noticeMs: number;
  /** All waiting for one answer. */
  readonly maxMs: number;
  onWait(wait: Wait): void;
}

/** What `promise` gives, or `"idle"` when it gives nothing for `limitMs`. The promise goes on; it must not reject. */
export async function waitFor<T>(
  promise: Promise<T>,
  limitMs: number,
  patience: Patience,
): Promise<T | "idle"> {
  const { clock, noticeMs } = patience;
  const timers = new AbortController();
  const silence = (ms: number) => clock.sleep(ms, timers.signal).then(() => "idle" as const);
  try {
    if (noticeMs >= limitMs) return await Promise.race([promise, silence(limitMs)]);
    const first = await Promise.race([promise, silence(noticeMs)]);
    if (first !== "idle") return first;
    const left = Math.round((limitMs - noticeMs) / 1000);
    const seconds = Math.round(noticeMs / 1000);
    patience.onWait({
      reason: "idle",
      seconds: left,
      message: `The server has sent nothing for ${seconds} s; waiting for ${left} s more`,
    });
    return await Promise.race([promise, silence(limitMs - noticeMs)]);
  } finally {
    timers.abort("over");
  }
}

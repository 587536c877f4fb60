/** The records that close a message, and a run that was stopped from outside. */
import type { Outcome } from "../vocab.ts";
import type { LiveSession } from "../session/conversation.ts";
import type { MessageRead } from "./turn.ts";

/** Why a run is over. */
export interface Over {
  readonly outcome: Outcome;
  readonly message: string;
}

/** What a message is closed with. */
export interface CloseParts {
  readonly session: Pick<LiveSession, "append">;
  /** Aborts the run; its reason is a signal's name, `esc` or `timeout`. */
  readonly signal: AbortSignal;
}

/** Writes the records that close a message: its text, then `message`. */
export function closeMessage(
  parts: Pick<CloseParts, "session">,
  read: MessageRead,
  extra: { complaint?: string; dropped?: boolean } = {},
): void {
  const { session } = parts;
  if (read.text !== "") session.append({ kind: "text", text: read.text });
  session.append({
    kind: "message",
    kept: read.kept,
    how: read.end.how,
    finishReason: read.end.finishReason,
    usage: read.end.usage,
    ...(read.reasoning === "" ? {} : { reasoning: read.reasoning }),
    ...(read.reasoningField ? { reasoningField: read.reasoningField } : {}),
    ...(read.reasoningDetails.length === 0 ? {} : { reasoningDetails: read.reasoningDetails }),
    ...extra,
  });
}

/** Closes the message that was cut short from outside; of one that said nothing, nothing goes back. */
export function closeCancelled(parts: CloseParts, read: MessageRead): Over {
  const silent = read.text === "" && read.calls.length === 0;
  closeMessage(
    parts,
    read,
    silent ? { dropped: true } : { complaint: "The user cancelled this message." },
  );
  return cancelled(parts);
}

/** The end of a run that was stopped from outside, by the reason that came first. */
export function cancelled(parts: CloseParts): Over {
  const why = String(parts.signal.reason);
  parts.session.append({ kind: "cancel", why });
  if (why === "timeout") {
    return { outcome: "timeout", message: "Stopped at the time limit (--timeout)" };
  }
  if (why === "SIGTERM" || why === "SIGHUP") {
    return { outcome: "terminated", message: `Stopped by ${why}` };
  }
  return { outcome: "cancelled", message: "Cancelled" };
}

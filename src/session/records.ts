/**
 * What a session file holds (SPEC 7): one JSON object a line, types only.
 *
 * The order of a message is: its calls and results in order (`call`, `result`, `call`, `result`, …), what went wrong
 * (`violation`, `cancel`, `error`), its `text`, and at last the `message` that closes it.
 */
import type {
  Json,
  ProtocolName,
  ReasoningField,
  StreamEnd,
  ToolCall,
  ToolResult,
  Usage,
  Violation,
} from "../vocab.ts";

/** The version that this program writes; older ones stay readable. */
export const SESSION_VERSION = 1;

/** What a record says, without the envelope (`n`, `time`, `crc`) that the log adds. */
export type SessionRecord =
  | {
    readonly kind: "header";
    readonly version: number;
    readonly id: string;
    readonly cwd: string;
    readonly protocol: ProtocolName;
    readonly provider: string;
    readonly model: string;
    /** Set when this session was started from another one (`/fork`). */
    readonly parent?: string;
    /** The system prompt as sent, so that every request can be rebuilt from the file alone. */
    readonly system: string;
  }
  /** A session that goes on with another protocol, provider, model or system prompt than the header says. */
  | {
    readonly kind: "settings";
    readonly protocol: ProtocolName;
    readonly provider: string;
    readonly model: string;
    readonly system: string;
  }
  | { readonly kind: "user"; readonly text: string }
  /** What the assistant said in this message, reasoning and frames aside. */
  | { readonly kind: "text"; readonly text: string }
  /** The intent, on disk before the call runs; `ran` is the command text where it differs from the argument (SPEC 8). */
  | { readonly kind: "call"; readonly call: ToolCall; readonly ran?: string }
  | {
    readonly kind: "result";
    readonly result: ToolResult;
    readonly ms: number;
    /** `interrupted`: the program ended while the call ran; `denied`: a permission was refused. */
    readonly note?: "interrupted" | "denied";
  }
  | { readonly kind: "violation"; readonly violation: Violation }
  | { readonly kind: "cancel"; readonly why: string }
  | { readonly kind: "error"; readonly message: string }
  /** Closes an assistant message. `kept` is the text that goes into the next request. */
  | {
    readonly kind: "message";
    readonly kept: string;
    readonly how: StreamEnd;
    readonly finishReason: string | null;
    readonly usage: Usage | null;
    readonly reasoning?: string;
    readonly reasoningField?: ReasoningField;
    readonly reasoningDetails?: readonly Json[];
    /** What the model is told besides the results. */
    readonly complaint?: string;
    /** Nothing of this message goes back: it was empty or was asked again. */
    readonly dropped?: boolean;
  }
  /** Results of these calls are shown to the model as one line each from here on (SPEC: context); the full text stays above. */
  | { readonly kind: "folded"; readonly calls: readonly { readonly n: number }[] };

/** A record with its number: all of the envelope that the fold needs. */
export type NumberedRecord = SessionRecord & { readonly n: number };

/** A record as it stands in the file: `n` counts from 1, `time` is ISO 8601, `crc` is a CRC-32 chained over the record before. */
export type StoredRecord = SessionRecord & {
  readonly n: number;
  readonly time: string;
  readonly crc: string;
};

/** An open session that takes records; the agent's only way to remember. */
export interface SessionLog {
  readonly id: string;
  readonly path: string;
  /** Appends one record with one write. Throws `SessionError`, the file cut back to its last whole record, when the disk doesn't take it. Returns the record's number. */
  append(record: SessionRecord): number;
  /** Resolves when all that was appended is on the disk (fdatasync). */
  sync(): Promise<void>;
  close(): void;
}

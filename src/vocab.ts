/**
 * The words that cross the seams between rooms: types only, importing nothing.
 *
 * Two families are kept apart on purpose. A {@linkcode Delta} is provisional: what one server event said.
 * A {@linkcode Confirmed} is never taken back, whatever arrives later (SPEC 1, S2).
 */

/** The five ways of writing tool calls (SPEC 3). */
export type ProtocolName = "native-eos" | "native-inc" | "ctl" | "ctl-heredoc" | "xml";

/** A value as JSON knows it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An object as JSON knows it. */
export type JsonObject = { [key: string]: Json };

/** How a stream ended (SPEC 2.5): `cut` means that more bytes could have followed. */
export type StreamEnd = "complete" | "cut";

/** Tokens as the server counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
}

/** Where a server put its reasoning; the same name is used when it must go back. */
export type ReasoningField = "reasoning_content" | "reasoning" | "reasoning_details";

/** What one server event said, provider-neutral and provisional: a later event may still change what it means. */
export type Delta =
  /** May begin or end with half of a surrogate pair. */
  | { readonly kind: "text"; readonly text: string }
  | {
    readonly kind: "reasoning";
    readonly text: string;
    readonly field: ReasoningField;
    /** The raw `reasoning_details` entries, for servers that want them back. */
    readonly details?: readonly Json[];
  }
  /** A piece of the call in `slot`; slots count calls in order of first appearance. Empty strings never arrive as `id` or `name`. */
  | {
    readonly kind: "tool_call";
    readonly slot: number;
    readonly id?: string;
    readonly name?: string;
    readonly arguments?: string;
    /** Keys that this server wants back with the call (a Gemini thought signature). */
    readonly extra?: JsonObject;
  }
  | { readonly kind: "finish"; readonly reason: string }
  | { readonly kind: "usage"; readonly usage: Usage }
  /** The server reported an error inside the stream. */
  | { readonly kind: "error"; readonly message: string; readonly code?: string }
  /** A chunk came that couldn't be read: what is open here may lack a piece. */
  | { readonly kind: "gap" }
  /** `[DONE]` was seen. */
  | { readonly kind: "done" };

/** How the value of an argument was written. */
export type ArgForm = "length" | "inline" | "heredoc" | "json" | "xml";

/** A whole, confirmed request to run a tool. */
export interface ToolCall {
  /** Unique within its message. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** `text`: every value is a string and the tool's schema converts it; `json`: values came typed. */
  readonly values: "text" | "json";
  /** Keys to send back with the call, untouched. */
  readonly extra?: JsonObject;
}

/** Why a message left its language (SPEC 2.6). */
export type ViolationKind =
  | "bad_call"
  | "bad_arg"
  | "unexpected_line"
  | "body_eof"
  | "heredoc_eof"
  | "call_eof"
  | "line_too_long"
  | "limit"
  | "bad_json"
  | "bad_xml";

/** A violation: its kind, a sentence that the model can act on, and the byte offset where it was certain. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly message: string;
  readonly at: number;
  /** The id of the call that was open and has not run, if its identity was confirmed. */
  readonly id?: string;
}

/**
 * What a prefix of the stream has made certain (SPEC 1). `at` is the offset, in bytes of the protocol's own text,
 * just past the byte that confirmed it.
 */
export type Confirmed =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly at: number }
  | {
    readonly kind: "arg";
    readonly id: string;
    readonly key: string;
    readonly form: ArgForm;
    readonly at: number;
  }
  /** A piece of a value, to be shown live. Pieces joined are the value; `ready` carries it whole. */
  | { readonly kind: "piece"; readonly id: string; readonly key: string; readonly text: string }
  | { readonly kind: "ready"; readonly call: ToolCall; readonly at: number }
  | { readonly kind: "violation"; readonly violation: Violation }
  | { readonly kind: "stop"; readonly reason: "prose_after_call"; readonly at: number };

/** What came of one call. */
export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly exit: number;
  /** What the model is told: well-formed text, already within the output cap. */
  readonly output: string;
}

/** What the model is told about one tool; `parameters` is a JSON Schema of type `object`. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolParameters;
}

/** The part of JSON Schema that tool arguments use. */
export interface ToolParameters {
  readonly type: "object";
  readonly properties: { readonly [key: string]: ToolParameter };
  readonly required: readonly string[];
}

/** One argument's schema. */
export interface ToolParameter {
  readonly type: "string" | "integer" | "number" | "boolean" | "object" | "array";
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One exchange of the conversation, provider- and protocol-neutral: what the session folds to. */
export type Turn =
  | { readonly kind: "user"; readonly text: string }
  | AssistantTurn;

/** An assistant's message with all that came of it. */
export interface AssistantTurn {
  readonly kind: "assistant";
  /** The text that goes back: for text protocols up to the end of the last confirmed call if the message was stopped (SPEC 2.7). */
  readonly text: string;
  /** What was said besides the calls, where `text` holds them too: for a protocol that writes them elsewhere or otherwise. */
  readonly prose?: string;
  readonly reasoning?: string;
  readonly reasoningField?: ReasoningField;
  readonly reasoningDetails?: readonly Json[];
  /** The confirmed calls, in order; each has exactly one entry of `results`. */
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
  /** What the model is told besides the results: a complaint about a violation, the news that the message was cut. */
  readonly complaint?: string;
}

/** A Chat Completions message, as sent. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly MessageToolCall[];
  readonly tool_call_id?: string;
  /** Kept for the provider to send back under its own field name, or to drop. */
  readonly reasoning?: {
    readonly text: string;
    readonly field: ReasoningField;
    readonly details?: readonly Json[];
  };
}

/** A call inside an assistant {@linkcode Message}. */
export interface MessageToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra?: JsonObject;
}

/** What keeps commands in bounds on this machine, once it was tried; `why` is a clause for people. */
export type Sandbox =
  | { readonly kind: "bwrap"; readonly program: string }
  /** macOS's `sandbox-exec`. */
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; readonly why: string };

/** How a run ended; `exitCode` is in `errors.ts`. */
export type Outcome =
  | "done"
  | "agent_error"
  | "provider_error"
  | "try_later"
  | "step_limit"
  | "refused"
  | "timeout"
  | "cancelled"
  | "terminated"
  | "usage_error"
  | "config_error"
  | "session_error"
  | "internal_error";

/** What a listener sees of a run: the confirmed events and what the agent did about them. */
export type AgentEvent =
  | Confirmed
  | {
    readonly kind: "start";
    readonly session: string;
    readonly protocol: ProtocolName;
    readonly provider: string;
    readonly model: string;
    readonly cwd: string;
    readonly sandbox: string;
  }
  | { readonly kind: "user"; readonly text: string }
  /** A request goes out; `step` counts from 1. */
  | { readonly kind: "request"; readonly step: number }
  /** The agent waits: before a retry, or because no byte has come for a while. */
  | {
    readonly kind: "wait";
    readonly reason: "retry" | "idle" | "empty_reply";
    readonly seconds: number;
    readonly message: string;
  }
  /** A call starts; `confirmedToStartedMs` is the wait that experiment D reports. */
  | {
    readonly kind: "tool_start";
    readonly call: ToolCall;
    readonly confirmedToStartedMs: number;
    readonly streamEnded: boolean;
  }
  | { readonly kind: "tool_output"; readonly id: string; readonly text: string }
  | { readonly kind: "tool_result"; readonly result: ToolResult; readonly ms: number }
  | {
    readonly kind: "end";
    readonly how: StreamEnd;
    readonly finishReason: string | null;
    readonly usage: Usage | null;
    readonly pendingMax: number;
    /** Why a cut stream was cut, in words. */
    readonly why?: string;
  }
  | { readonly kind: "notice"; readonly message: string }
  | {
    readonly kind: "outcome";
    readonly outcome: Outcome;
    readonly exit: number;
    readonly message: string;
    readonly text: string;
    readonly steps: number;
    readonly usage: Usage;
    readonly denied: number;
  };

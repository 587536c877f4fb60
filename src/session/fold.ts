/**
 * Records → the conversation (SPEC 7). The agent folds what it appends, a resumed session folds what it reads: one
 * function, so the next request is the same byte for byte.
 *
 * ```text
 * user                                            → a user turn
 * call result call result … text message          → an assistant turn with its calls and results
 * call result … (nothing more: the program ended) → an open message, which closingRecords() closes
 * folded                                          → results of earlier turns, one line each from here on
 * ```
 */
import type { AssistantTurn, ToolCall, ToolResult, Turn, Usage, Violation } from "../vocab.ts";
import type { NumberedRecord, SessionRecord } from "./records.ts";
import { byteLength, estimateTokens } from "./tokens.ts";

/** What holds for the next request: the header, and whatever `settings` changed since. */
export type Settings =
  & Omit<SessionRecord & { kind: "header" }, "kind">
  & Omit<SessionRecord & { kind: "settings" }, "kind">;

/** A message that no `message` record has closed. */
export interface OpenMessage {
  readonly calls: readonly ToolCall[];
  /** Of the first calls; the others have none yet. */
  readonly results: readonly ToolResult[];
  readonly text: string;
  readonly violation?: Violation;
}

/** Where a call's result stands in the conversation. */
export interface PlacedResult {
  /** The number of its `call` record. */
  readonly n: number;
  readonly turn: number;
  readonly index: number;
  readonly folded: boolean;
}

/** A conversation that takes records. */
export interface Fold {
  push(record: NumberedRecord): void;
  /** Undefined before the header. */
  settings(): Settings | undefined;
  /** The closed turns. */
  turns(): readonly Turn[];
  open(): OpenMessage | undefined;
  /** Results of closed turns, oldest first. */
  results(): readonly PlacedResult[];
  /** Tokens of the next request: as the server counted with the last message, estimated for what came after it. */
  contextTokens(): number;
  /** The sum of what the server counted. */
  usage(): Usage;
}

/**
 * What of a call is known when the program ended while it ran. 125 as with `env` and `timeout`: the runner failed, the
 * command's own status isn't known.
 */
export const INTERRUPTED_EXIT = 125;

/** What the model is told of a call whose outcome nobody knows. */
const INTERRUPTED_OUTPUT =
  "interrupted: outcome unknown\nThe program ended while this call ran: it may have run wholly, in part or not at all. " +
  "Look at what is there before you do it again.\n";

const INTERRUPTED_COMPLAINT =
  "The program was interrupted during your message; of it only the calls above are kept. Go on from there.";

/** The result that stands for the one that was never recorded. */
export function interruptedResult(call: ToolCall): ToolResult {
  return { id: call.id, name: call.name, exit: INTERRUPTED_EXIT, output: INTERRUPTED_OUTPUT };
}

/** The fold of `records`, which are those of one session from its header on. */
export function foldRecords(records: Iterable<NumberedRecord>): Fold {
  const fold = createFold();
  for (const record of records) fold.push(record);
  return fold;
}

/**
 * A conversation without records.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const fold = createFold();
 * fold.push({ n: 2, kind: "user", text: "Hello" });
 * fold.push({ n: 3, kind: "text", text: "Good day" });
 * fold.push({ n: 4, kind: "message", kept: "Good day", how: "complete", finishReason: "stop", usage: null });
 * assertEquals(fold.turns(), [
 *   { kind: "user", text: "Hello" },
 *   { kind: "assistant", text: "Good day", calls: [], results: [] },
 * ]);
 * ```
 */
export function createFold(): Fold {
  const turns: Turn[] = [];
  const places = new Map<number, { turn: number; index: number; folded: boolean }>();
  let settings: Settings | undefined;
  let open: DraftMessage | undefined;
  let tokens = 0;
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };

  function close(message: Closing): void {
    const draft = open ?? emptyDraft();
    open = undefined;
    if (message.usage) usage = addUsage(usage, message.usage);
    const turn = turnOf(draft, message);
    if (turn === undefined) return;
    draft.numbers.forEach((n, index) =>
      places.set(n, { turn: turns.length, index, folded: false })
    );
    turns.push(turn);
    tokens = message.usage
      ? message.usage.inputTokens + message.usage.outputTokens + tokensBeside(turn)
      : tokens + estimateTokens(turn.text) + tokensBeside(turn);
  }

  function foldResult(n: number): void {
    const place = places.get(n);
    const turn = place && turns[place.turn];
    if (!place || place.folded || turn?.kind !== "assistant") return;
    const whole = turn.results[place.index]!;
    const line = { ...whole, output: foldedLine(whole, n) };
    turns[place.turn] = { ...turn, results: turn.results.with(place.index, line) };
    place.folded = true;
    tokens -= estimateTokens(whole.output) - estimateTokens(line.output);
  }

  function push(record: NumberedRecord): void {
    switch (record.kind) {
      case "header": {
        const { n: _, kind: __, ...fields } = record;
        settings = fields;
        tokens += estimateTokens(record.system);
        return;
      }
      case "settings": {
        const { n: _, kind: __, ...fields } = record;
        if (settings) {
          tokens += estimateTokens(record.system) - estimateTokens(settings.system);
          settings = { ...settings, ...fields };
        }
        return;
      }
      case "user":
        // A resumed session closes its message first; one that didn't still answers every call.
        if (open) close({ kept: "" });
        turns.push({ kind: "user", text: record.text });
        tokens += estimateTokens(record.text);
        return;
      case "text":
        open ??= emptyDraft();
        open.text += record.text;
        return;
      case "call":
        open ??= emptyDraft();
        open.calls.push(record.call);
        open.numbers.push(record.n);
        return;
      case "result":
        // Calls run one at a time, so a result is that of the first call without one.
        if (open && open.calls[open.results.length]?.id === record.result.id) {
          open.results.push(record.result);
        }
        return;
      case "violation":
        open ??= emptyDraft();
        open.violation = record.violation;
        return;
      case "message":
        close(record);
        return;
      case "folded":
        for (const { n } of record.calls) foldResult(n);
        return;
      case "cancel":
      case "error":
        return;
    }
  }

  return {
    push,
    settings: () => settings,
    turns: () => turns.slice(),
    open: () => open,
    results: () => Array.from(places, ([n, place]) => ({ n, ...place })),
    contextTokens: () => tokens,
    usage: () => usage,
  };
}

interface DraftMessage {
  readonly calls: ToolCall[];
  readonly numbers: number[];
  readonly results: ToolResult[];
  text: string;
  violation?: Violation;
}

function emptyDraft(): DraftMessage {
  return { calls: [], numbers: [], results: [], text: "" };
}

type MessageRecord = SessionRecord & { kind: "message" };
type Closing = Pick<MessageRecord, "kept"> & Partial<MessageRecord>;

/** The turn that goes back; none for a message that was asked again or that held nothing. A call that ran is never dropped. */
function turnOf(draft: DraftMessage, message: Closing): AssistantTurn | undefined {
  const { kept, reasoning, reasoningField, reasoningDetails, complaint } = message;
  const ran = draft.calls.length > 0;
  if (!ran && (message.dropped || (kept === "" && complaint === undefined))) return undefined;
  const unanswered = draft.calls.slice(draft.results.length).map(interruptedResult);
  return {
    kind: "assistant",
    text: kept,
    ...(ran && draft.text !== kept ? { prose: draft.text } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(reasoningField === undefined ? {} : { reasoningField }),
    ...(reasoningDetails === undefined ? {} : { reasoningDetails }),
    calls: draft.calls,
    results: [...draft.results, ...unanswered],
    ...(complaint === undefined ? {} : { complaint }),
  };
}

/** Tokens of what goes back with a message but isn't part of what the model wrote. */
function tokensBeside(turn: AssistantTurn): number {
  const outputs = turn.results.reduce((sum, { output }) => sum + estimateTokens(output), 0);
  return outputs + estimateTokens(turn.complaint ?? "");
}

/** What stands for a folded result; `n` leads to the whole one in the session file. */
function foldedLine(result: ToolResult, n: number): string {
  return `[${
    byteLength(result.output)
  } bytes of old output left out, exit ${result.exit}; record ${n} of the session has them. Call ${result.name} again if you need them]\n`;
}

function addUsage(sum: Usage, usage: Usage): Usage {
  const cachedTokens = (sum.cachedTokens ?? 0) + (usage.cachedTokens ?? 0);
  return {
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
  };
}

/**
 * The records that close `open` after the program ended inside the message: a result for each call without one, then
 * the message. They are appended before anything else, so that no call is ever run again. `write` puts text and calls
 * in the protocol's own words (the text of its `encode`), since the raw text of a message that never ended is lost.
 * A message of which nothing ran and nothing was said is dropped: it's asked again.
 */
export function closingRecords(
  open: OpenMessage,
  write: (text: string, calls: readonly ToolCall[]) => string,
): readonly SessionRecord[] {
  const results = open.calls.slice(open.results.length).map((call): SessionRecord => ({
    kind: "result",
    result: interruptedResult(call),
    ms: 0,
    note: "interrupted",
  }));
  const ran = open.calls.length > 0;
  const said = open.text !== "";
  const complaint = open.violation
    ? `Your last message could not be read to its end (${open.violation.kind}): ${open.violation.message}.`
    : ran
    ? INTERRUPTED_COMPLAINT
    : undefined;
  return [...results, {
    kind: "message",
    kept: write(open.text, open.calls),
    how: "cut",
    finishReason: null,
    usage: null,
    ...(complaint === undefined ? {} : { complaint }),
    ...(ran || said ? {} : { dropped: true }),
  }];
}

/** A session's records as what a reader wants to see: who said what, what ran and what came of it. */
import type { ToolCall } from "../vocab.ts";
import type { StoredRecord } from "../session/records.ts";

/** One call with what came of it. */
export interface CallEntry {
  readonly call: ToolCall;
  /** The command as it ran, where it differs from the argument. */
  readonly ran?: string;
  /** Undefined when the program ended while it ran and nobody has gone on since. */
  readonly result?: {
    readonly exit: number;
    readonly output: string;
    readonly ms: number;
    readonly note?: "interrupted" | "denied";
  };
}

/** One entry of the transcript. */
export type Entry =
  | { readonly kind: "user"; readonly time: string; readonly text: string }
  | {
    readonly kind: "assistant";
    readonly time: string;
    readonly text: string;
    readonly reasoning: string;
    readonly calls: readonly CallEntry[];
    /** Violations, cuts and what the model was told of them. */
    readonly notes: readonly string[];
  }
  | { readonly kind: "note"; readonly time: string; readonly text: string };

/** A session for a reader. */
export interface Transcript {
  readonly header: StoredRecord & { kind: "header" };
  readonly entries: readonly Entry[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface Draft {
  time: string;
  text: string;
  calls: CallEntry[];
  notes: string[];
}

/** The transcript of `records`, the first of which is the header. */
export function transcriptOf(records: readonly StoredRecord[]): Transcript {
  const [header, ...rest] = records;
  if (header?.kind !== "header") throw new Error("a session begins with its header");
  const entries: Entry[] = [];
  let draft: Draft | undefined;
  let inputTokens = 0;
  let outputTokens = 0;

  function open(time: string): Draft {
    return draft ??= { time, text: "", calls: [], notes: [] };
  }

  function close(reasoning = ""): void {
    if (draft) entries.push({ kind: "assistant", reasoning, ...draft });
    draft = undefined;
  }

  function note(time: string, text: string): void {
    if (draft) draft.notes.push(text);
    else entries.push({ kind: "note", time, text });
  }

  for (const record of rest) {
    const { time } = record;
    switch (record.kind) {
      case "user":
        close();
        entries.push({ kind: "user", time, text: record.text });
        break;
      case "text":
        open(time).text += record.text;
        break;
      case "call": {
        const { call, ran } = record;
        open(time).calls.push(ran === undefined ? { call } : { call, ran });
        break;
      }
      case "result":
        answer(open(time), record);
        break;
      case "message":
        if (record.usage) {
          inputTokens += record.usage.inputTokens;
          outputTokens += record.usage.outputTokens;
        }
        if (record.complaint) open(time).notes.push(`The model was told: ${record.complaint}`);
        if (record.reasoning) open(time);
        close(record.reasoning);
        break;
      case "violation":
        open(time).notes.push(`Violation (${record.violation.kind}): ${record.violation.message}`);
        break;
      case "cancel":
        note(time, `Cancelled (${record.why})`);
        break;
      case "error":
        note(time, `Error: ${record.message}`);
        break;
      case "settings":
        note(time, `Goes on with ${record.provider}/${record.model}, ${record.protocol}`);
        break;
      case "folded":
        note(time, `Old results shown to the model in short from here on: ${record.calls.length}`);
        break;
      case "header":
        break;
    }
  }
  close();
  return { header, entries, inputTokens, outputTokens };
}

function answer(draft: Draft, record: StoredRecord & { kind: "result" }): void {
  const at = draft.calls.findIndex(({ result }) => result === undefined);
  const entry = draft.calls[at];
  if (!entry) return;
  const { exit, output } = record.result;
  const result = { exit, output, ms: record.ms };
  draft.calls[at] = { ...entry, result: record.note ? { ...result, note: record.note } : result };
}

/** What a call did, in a few words: its exit code, its time, and what else is to be known. */
export function verdictOf({ result }: CallEntry): string {
  if (!result) return "no result: the program ended while it ran";
  const words = [`exit ${result.exit}`];
  if (result.note === "interrupted") words.push("interrupted, outcome unknown");
  else if (result.note === "denied") words.push("not permitted");
  else words.push(`${Math.round(result.ms)} ms`);
  return words.join(", ");
}

/** The arguments of a call as a reader sees them: one value alone as it is, more with their names. */
export function argumentText({ call, ran }: CallEntry): string {
  if (ran !== undefined) return ran;
  const values = Object.entries(call.arguments).map(([key, value]): [string, string] => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  if (values.length === 1) return values[0]![1];
  return values.map(([key, value]) => `${key}: ${value}`).join("\n");
}

/**
 * A block of calls in MiniMax's form (SPEC 3.1), read from a text that is whole:
 *
 * ```text
 * <minimax:tool_call>
 * <invoke name="NAME">
 * <parameter name="KEY">VALUE</parameter>
 * </invoke>
 * </minimax:tool_call>
 * ```
 *
 * Between the tags only white space may stand. Values are raw text and may hold any of these tags: a closing tag counts only
 * when what comes next, after white space, could come next (see `VALUE_END`).
 */
import type { Json, ToolCall, ViolationKind } from "../vocab.ts";
import type { Limits } from "./protocol.ts";
import { utf8Length } from "../text/utf8.ts";

export const BLOCK_OPEN = "<minimax:tool_call>";
export const BLOCK_CLOSE = "</minimax:tool_call>";
export const INVOKE_CLOSE = "</invoke>";
export const PARAMETER_CLOSE = "</parameter>";

/** A call as written. */
export interface XmlCall {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** What stands in a block; `end` is the index just past what was read. */
export type BlockReading =
  | { readonly kind: "calls"; readonly calls: readonly XmlCall[]; readonly end: number }
  | {
    readonly kind: "fault";
    readonly violation: ViolationKind;
    /** A clause that says what stands where. */
    readonly what: string;
    readonly end: number;
    /** The calls before the fault. */
    readonly calls: readonly XmlCall[];
  };

const NAME = `name\\s*=\\s*(?:"([^"<>\\n]+)"|'([^'<>\\n]+)'|([^\\s"'<>/=]+))`;
const INVOKE = new RegExp(`<invoke\\s+${NAME}\\s*(/?)>`, "y");
const PARAMETER = new RegExp(`<parameter\\s+${NAME}\\s*>`, "y");
const SPACE = /\s*/y;
/** What must follow `</parameter>` for it to count, given that only one of the two ways of going on can be right. */
const VALUE_END =
  /<\/parameter>(?=\s*(?:<parameter\s+name\s*=|<\/invoke>\s*(?:<invoke\s+name\s*=|<\/minimax:tool_call>)))/g;

/** A problem, thrown to get out of the grammar and caught in `readBlock`. */
class Fault {
  readonly violation: ViolationKind;
  readonly what: string;
  readonly end: number;
  constructor(violation: ViolationKind, what: string, end: number) {
    this.violation = violation;
    this.what = what;
    this.end = end;
  }
}

/** Reads the block whose opening tag ends at `start`. */
export function readBlock(text: string, start: number, limits: Limits): BlockReading {
  const calls: XmlCall[] = [];
  try {
    let at = skipSpace(text, start);
    while (!text.startsWith(BLOCK_CLOSE, at)) {
      const invoke = readInvoke(text, at, limits);
      calls.push(invoke.call);
      at = skipSpace(text, invoke.end);
    }
    const end = at + BLOCK_CLOSE.length;
    if (calls.length === 0) throw new Fault("bad_xml", "a block holds no call", end);
    return { kind: "calls", calls, end };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return { kind: "fault", violation: fault.violation, what: fault.what, end: fault.end, calls };
  }
}

interface Invoke {
  readonly call: XmlCall;
  readonly end: number;
}

// <invoke name="NAME">…</invoke>
// ^
function readInvoke(text: string, start: number, limits: Limits): Invoke {
  const tag = matchAt(INVOKE, text, start);
  if (!tag) throw unexpected(text, start, `"<invoke name="…">" or "${BLOCK_CLOSE}"`);
  const name = nameOf(tag);
  const parameters = new Map<string, string>();
  if (tag[4] === "/") return { call: { name, parameters }, end: start + tag[0].length };
  let at = skipSpace(text, start + tag[0].length);
  while (!text.startsWith(INVOKE_CLOSE, at)) {
    at = skipSpace(text, readParameter(text, at, { parameters, name, limits }));
  }
  return { call: { name, parameters }, end: at + INVOKE_CLOSE.length };
}

interface Target {
  readonly parameters: Map<string, string>;
  readonly name: string;
  readonly limits: Limits;
}

// <parameter name="KEY">VALUE</parameter>
// ^
function readParameter(text: string, start: number, target: Target): number {
  const { parameters, name, limits } = target;
  const tag = matchAt(PARAMETER, text, start);
  if (!tag) throw unexpected(text, start, `"<parameter name="…">" or "${INVOKE_CLOSE}"`);
  const key = nameOf(tag);
  const from = start + tag[0].length;
  const label = `parameter "${key}" of "${name}"`;
  if (parameters.has(key)) throw new Fault("bad_xml", `${label} is given twice`, from);
  VALUE_END.lastIndex = from;
  const close = VALUE_END.exec(text);
  if (!close) {
    const seen = utf8Length(text.slice(from));
    throw new Fault(
      "bad_xml",
      `${label} is not closed: ${seen} bytes came, but no "${PARAMETER_CLOSE}" with the next tag after it`,
      text.length,
    );
  }
  const value = stripLayout(text.slice(from, close.index));
  const end = close.index + PARAMETER_CLOSE.length;
  if (parameters.size === limits.argumentsPerCall) {
    throw new Fault("limit", `"${name}" has more than ${limits.argumentsPerCall} parameters`, end);
  }
  const bytes = utf8Length(value);
  if (bytes > limits.argument) {
    throw new Fault("limit", `${label} has ${bytes} bytes, of at most ${limits.argument}`, end);
  }
  parameters.set(key, value);
  return end;
}

/** A newline at the beginning is layout, and with it one at the end. */
function stripLayout(value: string): string {
  if (!value.startsWith("\n")) return value;
  return value.slice(1, value.length > 1 && value.endsWith("\n") ? -1 : undefined);
}

function nameOf(tag: RegExpExecArray): string {
  return tag[1] ?? tag[2] ?? tag[3]!;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipSpace(text: string, at: number): number {
  return at + matchAt(SPACE, text, at)![0].length;
}

function unexpected(text: string, at: number, wanted: string): Fault {
  if (at === text.length) {
    return new Fault(
      "bad_xml",
      `a block is not closed: the message ends where ${wanted} should come`,
      at,
    );
  }
  const line = text.slice(at, at + 80).split("\n", 1)[0]!.toWellFormed();
  return new Fault("bad_xml", `"${line}" stands where ${wanted} should come`, at);
}

/**
 * The calls as one block, each value raw. A value that holds `</parameter>` right before the tags that may follow it can't be
 * written in this form.
 */
export function writeBlock(calls: readonly ToolCall[]): string {
  return `${BLOCK_OPEN}\n${calls.map(writeInvoke).join("")}${BLOCK_CLOSE}`;
}

function writeInvoke(call: ToolCall): string {
  const parameters = Object.entries(call.arguments).map(([key, value]) =>
    `<parameter name="${key}">${writeValue(value)}${PARAMETER_CLOSE}\n`
  );
  return `<invoke name="${call.name}">\n${parameters.join("")}${INVOKE_CLOSE}\n`;
}

function writeValue(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.startsWith("\n") ? `\n${text}\n` : text;
}

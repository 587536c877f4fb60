/**
 * The calls of one native message as they build up from deltas, slot by slot; shared by `native-eos` and `native-inc`,
 * which differ only in when they confirm.
 *
 * `at` in native protocols: the protocol's own text is the content, and of every call its name (once, when it is first given)
 * and its arguments, in the order in which they arrived. An event that a whole message confirms carries the length of all of
 * it; one that the next call confirms carries the length of what came before that call. Half a surrogate pair counts 2 bytes,
 * so that how the text was cut into deltas can't be seen.
 */
import type { Confirmed, Delta, JsonObject, ToolCall, ViolationKind } from "../vocab.ts";
import type { Limits } from "./protocol.ts";
import { isWholeJson, readArguments } from "./native_arguments.ts";

/** One piece of a call, as the provider decoded it. */
export type CallDelta = Extract<Delta, { kind: "tool_call" }>;

/** A call that is building up. */
export interface OpenCall {
  /** Its place among the calls of the message, from 0. */
  readonly place: number;
  /** As the server gave it; `announce` makes one up or makes it distinct. */
  id: string;
  /** The id that the server gave, if it did. */
  given: string;
  name: string;
  arguments: string;
  /** A piece of the stream was lost while its arguments came. */
  torn: boolean;
  /** The last non-empty delta of `arguments`. */
  last: string;
  /** Bytes of `arguments`. */
  bytes: number;
  extra: JsonObject | undefined;
  /** Its `call` event went out: `id` and `name` are final. */
  announced: boolean;
  /** The bytes that it had when they were found to be no whole JSON. */
  unfinished: number;
  /** What was sent once more after it was confirmed, as far as it repeats `arguments`. */
  repeated: string;
}

/** Why a call can't run. */
export interface CallFault {
  readonly kind: ViolationKind;
  /** A clause: `call "c1" (write_file): its arguments …`. */
  readonly what: string;
}

/** The calls of one message. */
export interface CallBook {
  /** In order of first appearance. */
  readonly calls: readonly OpenCall[];
  has(slot: number): boolean;
  /** The call of `slot`, opened when it's new. */
  open(slot: number): OpenCall;
  /** Adds a piece to `call`; returns the bytes of protocol text that it brought. */
  add(call: OpenCall, delta: CallDelta): number;
  /** Takes a piece for a call that was confirmed: what repeats it is ignored, anything else is a fault. */
  addLate(call: OpenCall, delta: CallDelta): CallFault | undefined;
  /**
   * The `call` event, once: as soon as the server has given name and an id of its own; with `settle` whatever the id.
   */
  announce(call: OpenCall, at: number, settle: boolean): readonly Confirmed[];
  /** Are its arguments whole JSON, to which nothing but a repetition can be added? */
  isWhole(call: OpenCall): boolean;
  /** Is it a call before it sent once more, with its id, name and arguments? It runs once. */
  repeats(call: OpenCall): boolean;
  /** Says that a piece of the stream is missing here. */
  tear(): void;
  /** The call as it runs, or why it can't. */
  read(call: OpenCall): ToolCall | CallFault;
}

/** Starts an empty book. */
export function createCallBook(limits: Limits): CallBook {
  const bySlot = new Map<number, OpenCall>();
  const calls: OpenCall[] = [];
  const ids = new Set<string>();

  function open(slot: number): OpenCall {
    const known = bySlot.get(slot);
    if (known) return known;
    const call = emptyCall(calls.length);
    bySlot.set(slot, call);
    calls.push(call);
    return call;
  }

  function add(call: OpenCall, delta: CallDelta): number {
    let bytes = 0;
    if (!call.announced && call.id === "" && delta.id) call.id = call.given = delta.id;
    if (call.name === "" && delta.name) {
      call.name = delta.name;
      bytes += countBytes(delta.name);
    }
    if (delta.arguments) {
      const added = countBytes(delta.arguments);
      call.arguments += delta.arguments;
      call.last = delta.arguments;
      call.bytes += added;
      bytes += added;
    }
    if (delta.extra) call.extra = { ...call.extra, ...delta.extra };
    return bytes;
  }

  function announce(call: OpenCall, at: number, settle: boolean): readonly Confirmed[] {
    if (call.announced || call.name === "") return [];
    if (!settle && (call.id === "" || ids.has(call.id))) return [];
    call.id = distinct(call.id || `call_${call.place + 1}`, ids);
    call.announced = true;
    return [{ kind: "call", id: call.id, name: call.name, at }];
  }

  function repeats(call: OpenCall): boolean {
    return call.given !== "" &&
      calls.some((other) =>
        other.place < call.place && other.given === call.given && other.name === call.name &&
        other.arguments === call.arguments
      );
  }

  function tear(): void {
    for (const call of calls) call.torn ||= !isWhole(call);
  }

  return {
    calls,
    has: (slot) => bySlot.has(slot),
    open,
    add,
    addLate,
    isWhole,
    announce,
    repeats,
    tear,
    read: (call) => readCall(call, limits),
  };
}

function emptyCall(place: number): OpenCall {
  return {
    place,
    id: "",
    given: "",
    name: "",
    arguments: "",
    torn: false,
    last: "",
    bytes: 0,
    extra: undefined,
    announced: false,
    unfinished: 0,
    repeated: "",
  };
}

function isWhole(call: OpenCall): boolean {
  if (call.bytes === call.unfinished) return false;
  if (isWholeJson(call.arguments)) return true;
  call.unfinished = call.bytes;
  return false;
}

function addLate(call: OpenCall, delta: CallDelta): CallFault | undefined {
  const piece = delta.arguments ?? "";
  if (piece === "" || (call.repeated === "" && piece === call.last)) return undefined;
  if (!call.arguments.startsWith(piece, call.repeated.length)) return lateFault(call);
  call.repeated += piece;
  if (call.repeated.length === call.arguments.length) call.repeated = "";
  return undefined;
}

/** The fault of a call for which more came after it was confirmed. */
export function lateFault(call: OpenCall): CallFault {
  return {
    kind: "bad_json",
    what: `${nameCall(call)}: more arguments came after it was complete; they were ignored`,
  };
}

function readCall(call: OpenCall, limits: Limits): ToolCall | CallFault {
  if (call.name === "") return { kind: "bad_call", what: `${nameCall(call)}: it has no name` };
  if (call.torn) {
    const what = `${
      nameCall(call)
    }: a piece of the message was lost on its way while its arguments came`;
    return { kind: "bad_json", what };
  }
  const reading = readArguments(call.arguments, call.last);
  if (reading.kind === "fault") {
    const what = `${nameCall(call)}: its arguments (${call.bytes} bytes arrived) ${reading.fault}`;
    return { kind: "bad_json", what };
  }
  const count = Object.keys(reading.value).length;
  if (count > limits.argumentsPerCall) {
    const what = `${nameCall(call)}: ${count} arguments, of at most ${limits.argumentsPerCall}`;
    return { kind: "limit", what };
  }
  return {
    id: call.id,
    name: call.name,
    arguments: reading.value,
    values: "json",
    ...(call.extra && { extra: call.extra }),
  };
}

/** Whether `read` gave a call. */
export function isCall(reading: ToolCall | CallFault): reading is ToolCall {
  return "arguments" in reading;
}

/** The events that confirm `call`, all at `at`. */
export function confirmCall(call: ToolCall, at: number): readonly Confirmed[] {
  return [
    ...Object.keys(call.arguments).map((key): Confirmed => (
      { kind: "arg", id: call.id, key, form: "json", at }
    )),
    { kind: "ready", call, at },
  ];
}

/** How a call is named to the model: `call "c1" (read_file)`, as far as it is known. */
export function nameCall(call: OpenCall): string {
  const id = call.id || `call_${call.place + 1}`;
  return call.name === "" ? `call "${id}"` : `call "${id}" (${call.name})`;
}

/** Bytes of `text` in UTF-8; each half of a surrogate pair counts 2. */
export function countBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** `id`, or `id-2`, `id-3`, … where it's taken; it is taken from now on. */
export function distinct(id: string, taken: Set<string>): string {
  let free = id;
  for (let copy = 2; taken.has(free); copy++) free = `${id}-${copy}`;
  taken.add(free);
  return free;
}

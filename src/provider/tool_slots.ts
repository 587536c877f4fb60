/**
 * Which call a piece belongs to (QUIRKS, "The accumulation rule"): servers number calls from 0, from 1, with -1, all
 * with 0, or not at all; they repeat ids and names, change them, or send `""` and null for them later.
 */
import type { Delta, Json, JsonObject } from "../vocab.ts";
import { asArray, asObject, asText } from "./json.ts";

/** A piece of a call. */
export type CallDelta = Extract<Delta, { kind: "tool_call" }>;

/** The calls of one message, as the stream has shown them so far. */
export interface ToolSlots {
  /** The pieces of one `tool_calls` array; each piece goes to the slot of its call. */
  read(pieces: Json | undefined): readonly CallDelta[];
}

/** One call: what it is known by. Slots keep the order of first appearance. */
interface Slot {
  readonly number: number;
  /** Has a delta shown that the call exists? Later ones that say nothing new are left out. */
  shown: boolean;
  id: string | undefined;
  name: string | undefined;
}

/** Keys that a server wants back with the call: Gemini's thought signature lies in `extra_content`. */
const RETURNED = ["extra_content"];

/**
 * The slots of one message.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const slots = createToolSlots();
 * const first = { index: 0, id: "a", function: { name: "run", arguments: "{" } };
 * const later = { index: 0, id: "", function: { name: null, arguments: "}" } };
 * assertEquals(slots.read([first, later]), [
 *   { kind: "tool_call", slot: 0, id: "a", name: "run", arguments: "{" },
 *   { kind: "tool_call", slot: 0, arguments: "}" },
 * ]);
 * ```
 */
export function createToolSlots(): ToolSlots {
  const slots: Slot[] = [];
  const byIndex = new Map<number, Slot>();

  function open(): Slot {
    const slot: Slot = { number: slots.length, shown: false, id: undefined, name: undefined };
    slots.push(slot);
    return slot;
  }

  /** An index that counts finds its slot, unless another id and a name come with it: that is another call. */
  function findByIndex(index: number, id: string | undefined, name: string | undefined): Slot {
    const slot = byIndex.get(index);
    const another = slot?.id !== undefined && id !== undefined && id !== slot.id &&
      name !== undefined;
    if (slot && !another) return slot;
    const opened = open();
    byIndex.set(index, opened);
    return opened;
  }

  /** Without an index: by id, else a name opens a call, else the last call goes on. */
  function findByName(id: string | undefined, name: string | undefined): Slot | undefined {
    const known = id === undefined ? undefined : slots.findLast((slot) => slot.id === id);
    if (known) return known;
    return name === undefined ? slots.at(-1) : open();
  }

  function readPiece(piece: JsonObject): CallDelta | undefined {
    const fn = asObject(piece.function) ?? {};
    const id = asText(piece.id);
    const name = asText(fn.name);
    const index = piece.index;
    const slot = typeof index === "number" && Number.isInteger(index) && index >= 0
      ? findByIndex(index, id, name)
      : findByName(id, name);
    if (!slot) return undefined;
    const text = argumentsText(fn.arguments);
    const extra = extraOf(piece);
    const firstId = slot.id === undefined && id !== undefined;
    const firstName = slot.name === undefined && name !== undefined;
    const silent = !firstId && !firstName && text === "" && extra === undefined;
    if (silent && slot.shown) return undefined;
    slot.shown = true;
    slot.id ??= id;
    slot.name ??= name;
    return {
      kind: "tool_call",
      slot: slot.number,
      ...(firstId ? { id } : {}),
      ...(firstName ? { name } : {}),
      ...(text === "" ? {} : { arguments: text }),
      ...(extra ? { extra } : {}),
    };
  }

  return {
    read(pieces) {
      return asArray(pieces).flatMap((piece) => {
        const object = asObject(piece);
        const delta = object && readPiece(object);
        return delta ? [delta] : [];
      });
    },
  };
}

/** Strings as they are; null and absent are nothing; an object (MiniMax, Ollama behind a proxy) is written out. */
function argumentsText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function extraOf(piece: JsonObject): JsonObject | undefined {
  const extra = RETURNED.filter((key) => asObject(piece[key])).map((key) => [key, piece[key]!]);
  return extra.length === 0 ? undefined : Object.fromEntries(extra) as JsonObject;
}

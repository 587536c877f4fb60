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
  /** The pieces of one `tool_calls` array, or the one that stands in its place; each goes to the slot of its call. */
  read(pieces: Json | undefined): readonly CallDelta[];
}

/** One call: what it is known by. Slots keep the order of first appearance. */
interface Slot {
  readonly number: number;
  /** Was it opened at the index of another call? Then its pieces may come at an index of their own. */
  readonly displaced: boolean;
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

  function open(displaced = false): Slot {
    const slot: Slot = { number: slots.length, displaced, id: undefined, name: undefined };
    slots.push(slot);
    return slot;
  }

  /**
   * An index that counts finds its slot, unless another id and a name come with it: that is another call. An id that is
   * known and comes without a name goes on with its call, whatever the index; a new index that brings neither goes on
   * with a call that was opened at another one's index.
   */
  function findByIndex(index: number, id: string | undefined, name: string | undefined): Slot {
    const slot = byIndex.get(index);
    const known = name === undefined && id !== slot?.id ? findById(id) : undefined;
    const owner = known ??
      (slot || name !== undefined || id !== undefined ? undefined : displaced());
    if (owner) {
      if (!slot) byIndex.set(index, owner);
      return owner;
    }
    const another = slot?.id !== undefined && id !== undefined && id !== slot.id &&
      name !== undefined;
    if (slot && !another) return slot;
    const opened = open(another);
    byIndex.set(index, opened);
    return opened;
  }

  /** Without an index: by id, else a name opens a call, else the last call goes on. */
  function findByName(id: string | undefined, name: string | undefined): Slot | undefined {
    return findById(id) ?? (name === undefined ? slots.at(-1) : open());
  }

  function findById(id: string | undefined): Slot | undefined {
    return id === undefined ? undefined : slots.findLast((slot) => slot.id === id);
  }

  function displaced(): Slot | undefined {
    const last = slots.at(-1);
    return last?.displaced ? last : undefined;
  }

  function readPiece(piece: JsonObject): CallDelta | undefined {
    // Some servers leave `function` out and write its keys beside the index.
    const fn = asObject(piece.function) ?? piece;
    const id = asText(piece.id);
    const name = asText(asText(fn.name)?.trim());
    const text = argumentsText(fn.arguments);
    const extra = extraOf(piece);
    // An empty entry beside the text or after the last call is no call.
    if (id === undefined && name === undefined && text === "" && extra === undefined) {
      return undefined;
    }
    const index = readIndex(piece.index);
    const slot = index === undefined ? findByName(id, name) : findByIndex(index, id, name);
    if (!slot) return undefined;
    const firstId = slot.id === undefined && id !== undefined;
    const firstName = slot.name === undefined && name !== undefined;
    const silent = !firstId && !firstName && text === "" && extra === undefined;
    if (silent) return undefined;
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
      const single = asObject(pieces);
      return (single ? [single] : asArray(pieces)).flatMap((piece) => {
        const object = asObject(piece);
        const delta = object && readPiece(object);
        return delta ? [delta] : [];
      });
    },
  };
}

/** An index that counts calls; some servers write it as a string. */
function readIndex(value: Json | undefined): number | undefined {
  const index = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : undefined;
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

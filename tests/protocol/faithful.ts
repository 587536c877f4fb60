/** S1–S5 (SPEC 1) as assertions on every prefix of a stream of deltas. */
import { assert, assertEquals } from "@std/assert";
import type { Confirmed, Delta } from "../../src/vocab.ts";
import { DEFAULT_LIMITS, type Protocol } from "../../src/protocol/protocol.ts";
import { joinEvents } from "../split.ts";
import { drive, readyCalls } from "./drive.ts";

/** The deltas with their texts cut into slices of `size` code units; surrogate pairs are cut too. */
export function sliceDeltas(deltas: readonly Delta[], size: () => number): Delta[] {
  return deltas.flatMap((delta): Delta[] => {
    if (delta.kind === "text" || delta.kind === "reasoning") {
      return slices(delta.text, size).map((text) => ({ ...delta, text }));
    }
    if (delta.kind !== "tool_call" || delta.arguments === undefined) return [delta];
    const { slot, arguments: whole, ...head } = delta;
    return slices(whole, size).map((piece, i) =>
      i === 0 ? { ...head, slot, arguments: piece } : { kind: "tool_call", slot, arguments: piece }
    );
  });
}

function slices(text: string, size: () => number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length || at === 0;) {
    const end = at + size();
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

/** Texts that follow one another become one again: the opposite of cutting. An event that names a call stays alone. */
export function mergeDeltas(deltas: readonly Delta[]): Delta[] {
  const merged: Delta[] = [];
  for (const delta of deltas) {
    const last = merged.at(-1);
    if (delta.kind === "text" && last?.kind === "text") {
      merged[merged.length - 1] = { kind: "text", text: last.text + delta.text };
    } else if (
      delta.kind === "tool_call" && last?.kind === "tool_call" && delta.slot === last.slot &&
      last.id === undefined && last.name === undefined
    ) {
      const whole = (last.arguments ?? "") + (delta.arguments ?? "");
      merged[merged.length - 1] = { ...last, arguments: whole };
    } else merged.push(delta);
  }
  return merged;
}

/**
 * Asserts S1–S5 on every prefix of `deltas`, cut at each code unit and then `cut` there. `wholeBy` tells how many
 * calls the first `units` code units hold whole. Answers how many prefixes were tried.
 */
export function assertFaithful(
  protocol: Protocol,
  deltas: readonly Delta[],
  wholeBy: (units: number) => number,
): number {
  const units = sliceDeltas(deltas, () => 1);
  const whole = pushAll(protocol, units);
  let before = 0;
  for (let count = 0; count <= units.length; count++) {
    const prefix = mergeDeltas(units.slice(0, count));
    const pushed = pushAll(protocol, prefix);
    assertPrefix(pushed, whole, count);
    const { events, pendingMax } = drive(protocol, prefix, { how: "cut" });
    const ready = readyCalls(events);
    assertEquals(ready, readyCalls(pushed), `S1: a cut at ${count} made a call executable`);
    assert(ready.length <= wholeBy(count), `S1: ${ready.length} calls executable at ${count}`);
    assert(ready.length >= before, `S3: fewer executable calls at ${count}`);
    if (protocol.eager && protocol.name !== "native-inc") {
      assert(pendingMax <= DEFAULT_LIMITS.line, `S5: ${pendingMax} bytes pending at ${count}`);
    }
    before = ready.length;
  }
  return units.length + 1;
}

function pushAll(protocol: Protocol, deltas: readonly Delta[]): Confirmed[] {
  const transducer = protocol.createTransducer(DEFAULT_LIMITS);
  return joinEvents(deltas.flatMap((delta) => transducer.push(delta)));
}

/** S2 (and, since prefix and whole are cut differently, S4): nothing is taken back or rewritten. */
function assertPrefix(prefix: readonly Confirmed[], whole: readonly Confirmed[], at: number): void {
  const last = prefix.at(-1);
  if (last === undefined) return;
  const there = whole[prefix.length - 1];
  assertEquals(prefix.slice(0, -1), whole.slice(0, prefix.length - 1), `S2 at ${at}`);
  if ("text" in last && there !== undefined && "text" in there) {
    assertEquals(last, { ...there, text: there.text.slice(0, last.text.length) }, `S2 at ${at}`);
  } else assertEquals<unknown>(last, there, `S2 at ${at}`);
}

/**
 * The reading of native calls. Both native protocols read alike; they differ in when calls are confirmed:
 *
 * ```text
 *               native-inc                      native-eos
 * tool_call     opens a new slot: all before
 * finish        all that are whole, unless cut
 * [DONE]        all, unless cut short
 * end           all, if complete                all or none, if complete
 * ```
 */
import type { Confirmed, Delta, StreamEnd, ToolCall } from "../vocab.ts";
import type { Limits, Transducer } from "./protocol.ts";
import {
  type CallDelta,
  type CallFault,
  confirmCall,
  countBytes,
  createCallBook,
  isCall,
  lateFault,
  nameCall,
  type OpenCall,
} from "./native_calls.ts";
import { createContent } from "./native_content.ts";
import { reportFaults } from "./native_fault.ts";

const ADVICE = ". Call tools through the tool interface, not in the text";

/** Starts reading one message; `eager` confirms a call when the next one opens. */
export function createNativeTransducer(limits: Limits, eager: boolean): Transducer {
  const book = createCallBook(limits);
  const content = createContent();
  let at = 0;
  /** Bytes of names and arguments of calls that aren't confirmed. */
  let held = 0;
  /** How many calls are confirmed: always the first ones. */
  let confirmed = 0;
  let cut = false;
  let violated = false;

  function push(delta: Delta): readonly Confirmed[] {
    if (violated) return [];
    switch (delta.kind) {
      case "text":
        at += countBytes(delta.text);
        return content.push(delta.text);
      case "reasoning":
        return delta.text === "" ? [] : [{ kind: "reasoning", text: delta.text }];
      case "tool_call":
        return takePiece(delta);
      case "finish":
        cut ||= isCutReason(delta.reason);
        // Some servers give a reason with every piece.
        return eager && !cut ? confirmWhole() : [];
      case "done":
        return eager && !cut ? confirmEach() : [];
      case "error":
        cut = true;
        return [];
      case "gap":
        book.tear();
        return [];
      case "usage":
        return [];
    }
  }

  function takePiece(delta: CallDelta): readonly Confirmed[] {
    const before = eager && !book.has(delta.slot) ? confirmWhole() : [];
    if (violated) return before;
    const call = book.open(delta.slot);
    if (call.place < confirmed) {
      at += countBytes(delta.arguments ?? "");
      const late = book.addLate(call, delta);
      return late ? fail([late], call) : [];
    }
    const bytes = book.add(call, delta);
    at += bytes;
    held += bytes;
    const identity = book.announce(call, at, false);
    if (call.bytes <= limits.argument) return [...before, ...identity];
    const what = `${nameCall(call)}: its arguments are longer than ${limits.argument} bytes`;
    return [...before, ...identity, ...fail([{ kind: "limit", what }], call)];
  }

  /**
   * Confirms the calls whose arguments nothing can change any more, in order; the first that may still grow waits, since
   * servers may open all calls first and fill them later.
   */
  function confirmWhole(): readonly Confirmed[] {
    let whole = confirmed;
    while (whole < book.calls.length && book.isWhole(book.calls[whole]!)) whole++;
    return confirmEach(whole);
  }

  /** Confirms the calls before `until` that aren't yet, in order, up to the first that can't run. */
  function confirmEach(until = book.calls.length): readonly Confirmed[] {
    const events: Confirmed[] = [];
    while (confirmed < until) {
      const call = book.calls[confirmed]!;
      if (!book.repeats(call)) {
        events.push(...book.announce(call, at, true));
        const reading = book.read(call);
        if (!isCall(reading)) return [...events, ...fail([reading], call)];
        events.push(...confirmCall(reading, at));
      }
      confirmed++;
      held -= call.bytes + countBytes(call.name);
    }
    return events;
  }

  /** Confirms every call or none. */
  function confirmAll(): readonly Confirmed[] {
    const calls = book.calls.filter((call) => !book.repeats(call));
    const identities = calls.flatMap((call) => book.announce(call, at, true));
    const ready: ToolCall[] = [];
    const faults: CallFault[] = [];
    let failed: OpenCall | undefined;
    for (const call of calls) {
      const reading = book.read(call);
      if (isCall(reading)) ready.push(reading);
      else {
        faults.push(reading);
        failed ??= call;
      }
    }
    if (failed) return [...identities, ...fail(faults, failed)];
    confirmed = book.calls.length;
    held = 0;
    return [...identities, ...ready.flatMap((call) => confirmCall(call, at))];
  }

  function fail(faults: readonly CallFault[], call: OpenCall): readonly Confirmed[] {
    violated = true;
    held = 0;
    // Where all or none run, all are to be sent again; a call that has run never is.
    const failed = eager && call.place >= confirmed ? call : undefined;
    return [reportFaults({ faults, failed, calls: book.calls, ran: confirmed, at })];
  }

  function end(how: StreamEnd): readonly Confirmed[] {
    if (violated) return [];
    return [...content.end(), ...settle(how === "cut" || cut)];
  }

  function settle(isCut: boolean): readonly Confirmed[] {
    if (book.calls.length === 0) return nearMiss();
    const open = book.calls[confirmed];
    if (open && isCut) return fail([cutFault(book.calls.at(-1)!)], open);
    if (open) return eager ? confirmEach() : confirmAll();
    const late = isCut ? undefined : book.calls.find((call) => call.repeated !== "");
    return late ? fail([lateFault(late)], late) : [];
  }

  function nearMiss(): readonly Confirmed[] {
    const miss = content.nearMiss();
    if (miss === undefined) return [];
    violated = true;
    return [{ kind: "violation", violation: { kind: "bad_call", message: miss + ADVICE, at } }];
  }

  return {
    push,
    end,
    get pending() {
      return violated ? 0 : held + content.pending;
    },
    get keptText() {
      return content.raw;
    },
  };
}

/** Whether the server stopped the model before the model was done (SPEC 2.5). */
function isCutReason(reason: string): boolean {
  return reason === "length" || reason === "content_filter";
}

function cutFault(last: OpenCall): CallFault {
  const what = `the message was cut off in or after ${nameCall(last)}, ` +
    `of whose arguments ${last.bytes} bytes arrived`;
  return { kind: "bad_json", what };
}

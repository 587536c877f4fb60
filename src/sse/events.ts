/**
 * Bytes of an event stream → its items, whatever the cuts (HTML Standard, 9.2.6).
 *
 * ```text
 * stream = [BOM] *( line ( CRLF / CR / LF ) )
 * line   = "" (ends an event) / ":" comment / field [ ":" [ " " ] value ]
 * field  = "data" / "event" / "id" / "retry" / one that isn't SSE
 * ```
 */
import { createParser } from "eventsource-parser";

/** What an event stream said. */
export type SseItem =
  /** `event` is undefined where the stream named none. */
  | { readonly kind: "event"; readonly event: string | undefined; readonly data: string }
  /** A sign of life, nothing more. */
  | { readonly kind: "comment"; readonly text: string }
  /** A line that isn't SSE: `error: {…}` from llama-box, the second line of an HTML page. */
  | { readonly kind: "field"; readonly field: string; readonly value: string };

/** Reads one event stream. */
export interface EventReader {
  /** Takes the next slice, cut anywhere; returns the items that it completed, in order. */
  push(bytes: Uint8Array): readonly SseItem[];
  /** Takes what is left as if a blank line followed, since servers forget it. Call it once. */
  end(): readonly SseItem[];
}

/**
 * The reader of one event stream. The same bytes give the same items, however they are cut.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const reader = createEventReader();
 * const bytes = new TextEncoder().encode("event: error\ndata: no");
 * assertEquals(reader.push(bytes), []);
 * assertEquals(reader.end(), [{ kind: "event", event: "error", data: "no" }]);
 * ```
 */
export function createEventReader(): EventReader {
  // The parser drops the byte-order mark; were the decoder to drop one too, a second would be lost.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let items: SseItem[] = [];
  let held: string[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => items.push({ kind: "event", event, data }),
    onComment: (text) => items.push({ kind: "comment", text }),
    onError: ({ type, field, value }) => {
      if (type === "unknown-field") {
        items.push({ kind: "field", field: field ?? "", value: value ?? "" });
      }
    },
  });

  function take(): readonly SseItem[] {
    const taken = items;
    items = [];
    return taken;
  }

  /**
   * Feeds whole lines only: the parser throws away, unreported, half a line that can't become a field.
   * `data: a\n\nerr` is fed up to `\n\n`; `err` waits for its end.
   */
  function feed(text: string): void {
    const cut = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
    if (cut === 0) {
      if (text !== "") held.push(text);
      return;
    }
    held.push(text.slice(0, cut));
    parser.feed(held.join(""));
    held = cut < text.length ? [text.slice(cut)] : [];
  }

  return {
    push(bytes) {
      feed(decoder.decode(bytes, { stream: true }));
      return take();
    },
    end() {
      feed(decoder.decode() + "\n\n");
      return take();
    },
  };
}

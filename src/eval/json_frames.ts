/**
 * Calls as bare JSON in the text, to compare with: what a model would write if the text protocols were JSON.
 *
 * ```text
 * prose
 * {"calls":[{"id":"c1","name":"run","arguments":{"command":"ls"}},
 * {"id":"c2",…}]}
 * ```
 *
 * `json-whole` knows its calls when the whole document is closed; `json-object` knows each when its object is. Inside of an open
 * string or object any suffix may change what it means (SPEC 1), so that much is pending.
 */
import type { Confirmed, Delta, JsonObject, ToolCall } from "../vocab.ts";
import type { Transducer } from "../protocol/protocol.ts";
import { utf8Length } from "../text/utf8.ts";

const OPENING = '{"calls":[';
/** The depth inside of the list of calls. */
const IN_LIST = 2;
const TOKEN = /["\\{}[\]]/g;

/** The text by which a model writes `text` and then `calls`. */
export function encodeJsonFrames(text: string, calls: readonly ToolCall[]): readonly Delta[] {
  const objects = calls.map(({ id, name, arguments: args }) =>
    JSON.stringify({ id, name, arguments: args })
  );
  const frames = calls.length === 0 ? "" : `${OPENING}${objects.join(",\n")}]}\n`;
  const prose = text === "" || text.endsWith("\n") || frames === "" ? text : text + "\n";
  return prose + frames === "" ? [] : [{ kind: "text", text: prose + frames }];
}

/** Reads such a text; `each` confirms every call when its object is closed, else all when the document is. */
export function createJsonFrames(each: boolean): Transducer {
  let raw = "";
  /** Bytes that came. */
  let total = 0;
  /** The beginning of the line, until the document has begun. */
  let line = "";
  let begun = false;
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** The object of a call as far as it came. */
  let object = "";
  const held: Confirmed[] = [];
  /** Bytes that came before what is held. */
  let settled = 0;

  function push(delta: Delta): readonly Confirmed[] {
    if (delta.kind !== "text") return [];
    raw += delta.text;
    const rest = begun ? delta.text : readProse(delta.text);
    const before = total + utf8Length(delta.text.slice(0, delta.text.length - rest.length));
    total += utf8Length(delta.text);
    return rest === "" ? [] : scan(rest, before);
  }

  /** Reads up to the line that begins a document; what follows its opening. */
  function readProse(text: string): string {
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline;
      const head = text.slice(at, Math.min(end, at + OPENING.length - line.length));
      line += head;
      at += head.length;
      if (line === OPENING) {
        begun = true;
        depth = IN_LIST;
        settled = total + utf8Length(text.slice(0, at)) - OPENING.length;
        return text.slice(at);
      }
      if (newline < 0) return "";
      line = "";
      at = newline + 1;
    }
    return "";
  }

  function scan(text: string, before: number): readonly Confirmed[] {
    const events: Confirmed[] = [];
    let from = 0;
    TOKEN.lastIndex = escaped ? 1 : 0;
    escaped = false;
    for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
      const place = token.index;
      if (token[0] === "\\") {
        escaped = TOKEN.lastIndex === text.length;
        TOKEN.lastIndex++;
      } else if (token[0] === '"') inString = !inString;
      else if (inString) continue;
      else if (token[0] === "{" || token[0] === "[") {
        if (depth === IN_LIST) from = place;
        depth++;
      } else {
        depth--;
        if (depth === IN_LIST) {
          const end = before + utf8Length(text.slice(0, place + 1));
          held.push(ready(object + text.slice(from, place + 1), end));
          object = "";
          if (each) settled = end;
        } else if (depth === 0) settled = before + utf8Length(text.slice(0, place + 1));
        if (depth === 0 || each) events.push(...held.splice(0));
      }
    }
    if (depth > IN_LIST) object += text.slice(from);
    return events;
  }

  return {
    push,
    end: () => [],
    get pending() {
      return begun ? total - settled : 0;
    },
    get keptText() {
      return raw;
    },
  };
}

function ready(text: string, at: number): Confirmed {
  const { id, name, arguments: args } = JSON.parse(text) as {
    id: string;
    name: string;
    arguments: JsonObject;
  };
  return { kind: "ready", call: { id, name, arguments: args, values: "json" }, at };
}

/** The text beside native calls: prose at once, `<think>` as reasoning, nothing parsed for calls. */
import type { Confirmed } from "../vocab.ts";
import { createUtf8Encoder } from "../text/utf8.ts";
import { describeNearMiss, findNearMiss } from "./near_miss.ts";
import { createThinkSplitter, type ThinkPart } from "./think.ts";

/** The content of one message. */
export interface Content {
  /** What `text` adds for sure. */
  push(text: string): readonly Confirmed[];
  /** What was held: half a character, the beginning of a tag. */
  end(): readonly Confirmed[];
  /** Why this content can't be a final answer: it holds a call written as text (SPEC 2.5). */
  nearMiss(): string | undefined;
  /** All of it as it came, reasoning included. */
  readonly raw: string;
  /** Bytes held back, half a character aside. */
  readonly pending: number;
}

/** Starts with no content. */
export function createContent(): Content {
  const encoder = createUtf8Encoder();
  const splitter = createThinkSplitter();
  let raw = "";
  let prose = "";

  function take(parts: readonly ThinkPart[]): readonly Confirmed[] {
    for (const part of parts) if (part.kind === "text") prose += part.text;
    return parts;
  }

  return {
    push(text) {
      raw += text;
      return take(splitter.push(encoder.push(text).text));
    },
    end() {
      return take([...splitter.push(encoder.end().text), ...splitter.end()]);
    },
    nearMiss() {
      const miss = findNearMiss(prose, "native");
      return miss && describeNearMiss(miss);
    },
    get raw() {
      return raw;
    },
    get pending() {
      return splitter.pending;
    },
  };
}

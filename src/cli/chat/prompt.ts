/** The message being written, with what was written before and what Tab offers. */
import type { Key } from "./keys.ts";
import { type Draft, draftOf, edit, EMPTY, type Recall, recall } from "./line_editor.ts";
import { completeWord } from "./mentions.ts";

/** A prompt that takes keys. */
export interface Prompt {
  draft(): Draft;
  /** What Tab found more than one of. */
  candidates(): readonly string[];
  take(key: Key): void;
  complete(word: string, candidates: readonly string[]): void;
  /** The message is on its way: it's kept among the earlier ones. */
  sent(): void;
  /** Takes the message away; Up brings it back. */
  putAside(): void;
  /** Puts what wasn't sent after all in front of what is written now. */
  giveBack(text: string): void;
  /** Uses the prompt for something else, which starts as `text`, until it's returned. */
  lend(text: string): void;
  returned(): void;
  /** The line ends in a backslash, so Enter goes on with a new one. */
  endsWithBackslash(): boolean;
  continueLine(): void;
  dismiss(): void;
}

/** A prompt with the messages that were sent before, the newest last. */
export function createPrompt(before: readonly string[]): Prompt {
  const history = [...before];
  let draft = EMPTY;
  let recalled: Recall | null = null;
  let candidates: readonly string[] = [];
  let lent: Draft | null = null;

  function remember(): void {
    if (draft.text.trim() !== "" && history.at(-1) !== draft.text) history.push(draft.text);
    reset(EMPTY);
  }

  function reset(to: Draft): void {
    draft = to;
    recalled = null;
    candidates = [];
  }

  return {
    draft: () => draft,
    candidates: () => candidates,
    take(key) {
      candidates = [];
      const edited = edit(draft, key);
      if (edited) {
        draft = edited;
        return;
      }
      if (lent || key.kind !== "key" || (key.name !== "up" && key.name !== "down")) return;
      const found = recall(history, { recall: recalled, draft }, key.name === "up" ? -1 : 1);
      if (found) ({ draft, recall: recalled } = found);
    },
    complete(word, found) {
      ({ draft, candidates } = completeWord(draft, word, found));
    },
    sent: remember,
    putAside: remember,
    giveBack(text) {
      reset(draftOf(draft.text === "" ? text : `${text}\n${draft.text}`));
    },
    lend(text) {
      lent ??= draft;
      reset(draftOf(text));
    },
    returned() {
      if (lent) reset(lent);
      lent = null;
    },
    endsWithBackslash: () => draft.cursor === draft.text.length && draft.text.endsWith("\\"),
    continueLine() {
      draft = draftOf(`${draft.text.slice(0, -1)}\n`);
    },
    dismiss() {
      candidates = [];
    },
  };
}

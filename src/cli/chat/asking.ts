/**
 * A permission being asked for:
 *
 * ```
 * shown → (nothing typed for a while) → choosing → y / a → answered
 *                                                → n → why? → answered
 *                                                → e → the command, edited → answered
 * any of these → Esc → the run is cancelled, and with it the question
 * ```
 *
 * Keys that were on their way when the question appeared go on writing the message, they never answer.
 */
import type { Approval, Question } from "../../agent/gate.ts";
import { linesForDisplay } from "../../permission/display.ts";
import type { Clock } from "../../system/system.ts";
import { CALM_MS, choiceOf, choicesRow, grantFlag, grantWords, questionRows } from "./approve.ts";
import type { Key } from "./keys.ts";
import type { Row } from "./layout.ts";
import type { Prompt } from "./prompt.ts";
import type { View } from "./view.ts";

/** Who is in the middle of a message needs longer to notice the question, in milliseconds. */
const CALM_WRITING_MS = 1_500;

/** What is being asked. */
export interface Asking {
  /** What may be pressed now; null while a line is typed. */
  choices(): Row | null;
  /** In front of the input; null for the usual sign. */
  label(): string | null;
  take(key: Key): void;
}

/** What asking works with. */
export interface AskingParts {
  readonly question: Question;
  readonly signal: AbortSignal;
  readonly prompt: Prompt;
  readonly view: View;
  readonly clock: Clock;
  columns(): number;
  /** Something is to be drawn. */
  changed(): void;
  /** The question is there, or over. */
  show(asking: Asking | null): void;
  /** "Always" was answered: the flag that says the same. */
  granted(flag: string): void;
}

/** Shows the question and resolves with what the person answers; with "no" when the run is cancelled. */
export function startAsking(parts: AskingParts): Promise<Approval> {
  const { question, signal, prompt, view, clock } = parts;
  const answered = Promise.withResolvers<Approval>();
  let stage: "shown" | "choosing" | "reason" | "edit" = "shown";
  let calm = new AbortController();
  const offered = {
    always: question.decision.grant !== null,
    editable: question.access.kind === "run",
  };

  function waitForCalm(): void {
    calm.abort();
    calm = new AbortController();
    const mine = calm.signal;
    const ms = prompt.draft().text === "" ? CALM_MS : CALM_WRITING_MS;
    void clock.sleep(ms, mine).then(() => {
      if (mine.aborted) return;
      stage = "choosing";
      prompt.lend("");
      parts.changed();
    });
  }

  function answer(approval: Approval, words: string): void {
    calm.abort();
    signal.removeEventListener("abort", cancelled);
    prompt.returned();
    if (words !== "") view.say(`  ${words}`, approval.kind === "no" ? "red" : "green");
    parts.show(null);
    answered.resolve(approval);
  }

  function cancelled(): void {
    answer({ kind: "no", reason: "" }, "");
  }

  function choose(character: string): void {
    switch (choiceOf(character, offered)) {
      case "once":
        return answer({ kind: "once" }, "allowed once");
      case "always": {
        const grant = question.decision.grant!;
        parts.granted(grantFlag(grant));
        return answer({ kind: "always" }, `allowed ${grantWords(grant)}, in this session`);
      }
      case "no":
        stage = "reason";
        return;
      case "edit":
        stage = "edit";
        // A heredoc's value ends in a line break, which would be an empty row to edit.
        if (question.access.kind === "run") prompt.lend(question.access.command.trimEnd());
        return;
      case undefined:
        return;
    }
  }

  function takeLine(key: Key): void {
    if (key.kind !== "key" || key.name !== "enter") return prompt.take(key);
    const text = prompt.draft().text;
    if (stage === "reason") {
      return answer(
        { kind: "no", reason: text.trim() },
        `refused${text.trim() && `: ${text.trim()}`}`,
      );
    }
    if (text.trim() === "") return;
    answer({ kind: "edit", command: text }, `instead: ${linesForDisplay(text).join("\\n")}`);
  }

  view.add(questionRows(question, parts.columns()));
  if (question.access.kind === "run") view.asked(question.call.id);
  signal.addEventListener("abort", cancelled);
  parts.show({
    choices: () =>
      stage === "shown" || stage === "choosing" ? choicesRow(question, stage === "choosing") : null,
    label: () => stage === "reason" ? "why not? " : stage === "edit" ? "run instead: " : null,
    take(key) {
      if (stage === "choosing") {
        if (key.kind === "text") choose(key.text[0]!);
      } else if (stage === "shown") {
        if (key.kind !== "key" || key.name !== "enter") prompt.take(key);
        waitForCalm();
      } else takeLine(key);
    },
  });
  waitForCalm();
  if (signal.aborted) cancelled();
  return answered.promise;
}

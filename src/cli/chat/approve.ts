/** The question before a call that isn't permitted yet: what it would do, and the keys that answer it. Pure. */
import type { Question } from "../../agent/gate.ts";
import type { Grant } from "../../permission/decision.ts";
import { linesForDisplay } from "../../permission/display.ts";
import { changeRows, startRows } from "./blocks.ts";
import { fit, type Row, row } from "./layout.ts";

/** Keys count as an answer only when nothing was typed for so long after the question appeared, in milliseconds. */
export const CALM_MS = 400;

/** An answer that one key gives. */
export type Choice = "once" | "always" | "no" | "edit";

/** The rows that say what is asked. */
export function questionRows(question: Question, columns: number): Row[] {
  const { call, access, decision } = question;
  const starts = decision.findings.map(({ name, verdict }) =>
    verdict === "allow" ? `${name} (allowed)` : name
  );
  return [
    ...(access.kind === "run"
      ? startRows({ ...call, name: "run", arguments: { command: access.command } }, columns)
      : [
        row(
          `● ${call.name} wants to ${access.kind} ${linesForDisplay(access.path).join("\\n")}`,
          "cyan",
        ),
        ...changeRows(call, columns, 40),
      ]),
    ...(access.kind === "run" && starts.length > 0
      ? [row(fit(`  would start: ${[...new Set(starts)].join(", ")}`, columns), "dim")]
      : []),
    // Where "always" is offered the reason is plain: it was never allowed.
    ...(decision.grant === null ? [row(fit(`  ${decision.message}`, columns), "yellow")] : []),
  ];
}

/** The row that names the keys, once they count. */
export function choicesRow(question: Question, calm: boolean): Row {
  if (!calm) return row("Allow? (answer when you have stopped typing) · Esc stops", "dim");
  const words = ["y once"];
  const { grant } = question.decision;
  if (grant) words.push(`a always ${grantWords(grant)}`);
  words.push("n no");
  if (question.access.kind === "run") words.push("e edit");
  return row(`Allow? ${words.join(" · ")} · Esc stops`, "yellow");
}

/** What "always" adds, in words. */
export function grantWords(grant: Grant): string {
  return grant.kind === "run"
    ? `for ${grant.rules.map(({ text }) => text).join(", ")}`
    : `to ${grant.kind} ${grant.path}`;
}

/** The flag that says the same for another session, or for this one when it's opened anew. */
export function grantFlag(grant: Grant): string {
  const items = grant.kind === "run" ? grant.rules.map(({ text }) => text) : [grant.path];
  return `--allow-${grant.kind}=${items.map((item) => item.replaceAll(",", ",,")).join(",")}`;
}

/**
 * What a typed character answers; undefined where it answers nothing.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const command = { always: false, editable: true };
 * assertEquals(["y", "a", "n", "e", "x"].map((key) => choiceOf(key, command)), [
 *   "once",
 *   undefined,
 *   "no",
 *   "edit",
 *   undefined,
 * ]);
 * ```
 */
export function choiceOf(
  character: string,
  offered: { readonly always: boolean; readonly editable: boolean },
): Choice | undefined {
  switch (character) {
    case "y":
      return "once";
    case "a":
      return offered.always ? "always" : undefined;
    case "n":
      return "no";
    case "e":
      return offered.editable ? "edit" : undefined;
    default:
      return undefined;
  }
}

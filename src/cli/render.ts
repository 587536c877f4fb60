/** The events of an unattended run, for a person: prose as it's confirmed, one line a call, one line an end. */
import { bold, cyan, dim, green, red, yellow } from "@std/fmt/colors";
import { escapeForDisplay } from "../permission/display.ts";
import type { AgentEvent, ToolCall } from "../vocab.ts";
import { EXIT } from "../errors.ts";

/** What a model's words must not do to a terminal: move the cursor, set the title, clear the screen. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Where lines go. */
export interface RenderTarget {
  /** Prose and the final answer. */
  prose(text: string): void;
  /** Everything else. */
  note(text: string): void;
  readonly color: boolean;
}

/** A listener that shows a run as lines; `quiet` leaves only the warnings. */
export function createRenderer(
  target: RenderTarget,
  options: { readonly quiet: boolean },
): (event: AgentEvent) => void {
  const paint = createPaint(target.color);
  let atLineStart = true;
  function note(text: string): void {
    if (!atLineStart) target.prose("\n");
    atLineStart = true;
    target.note(`${text}\n`);
  }
  return (event) => {
    switch (event.kind) {
      case "start":
        if (options.quiet) return;
        return note(
          paint.dim(
            `${event.provider}/${event.model} · ${event.protocol} · ${event.sandbox} · session ${event.session}`,
          ),
        );
      case "text":
        if (options.quiet || event.text === "") return;
        target.prose(event.text.replace(CONTROL, ""));
        atLineStart = event.text.endsWith("\n");
        return;
      case "tool_start":
        if (!options.quiet) note(`${paint.cyan("●")} ${paint.bold(callLine(event.call))}`);
        return;
      case "tool_result": {
        const { exit, output } = event.result;
        // What was refused, and the flag that allows it: a person wants to know that, quiet or not.
        if (exit === EXIT.refusedCall) note(paint.yellow(`! ${firstLine(output)}`));
        if (options.quiet) return;
        const mark = exit === 0 ? paint.green("✓") : paint.red("✗");
        const lines = output.split("\n").length - 1;
        const size = lines === 1 ? "1 line" : `${lines} lines`;
        note(`  ${mark} ${paint.dim(`exit ${exit} · ${seconds(event.ms)} · ${size}`)}`);
        // What a command printed is the model's to read; why a tool of our own failed is soon said.
        if (exit !== 0 && exit !== EXIT.refusedCall && event.result.name !== "run") {
          note(paint.dim(`    ${firstLine(output)}`));
        }
        return;
      }
      case "violation":
        return note(
          paint.yellow(`! ${event.violation.kind}: ${escapeForDisplay(event.violation.message)}`),
        );
      case "stop":
        if (!options.quiet) note(paint.dim("  (stopped reading: prose after a call)"));
        return;
      case "wait":
      case "notice":
        return note(paint.yellow(escapeForDisplay(event.message)));
      case "outcome":
        if (event.outcome !== "done") {
          note(paint.red(`cst-agent: ${escapeForDisplay(event.message)}`));
          if (event.outcome === "refused") {
            note('To go on: cst-agent --continue "go on", with the flag named above');
          }
        } else if (!atLineStart) target.prose("\n");
        return;
      default:
        return;
    }
  };
}

/** One line that says what a call does: the tool and its telling argument. */
export function callLine(call: ToolCall): string {
  const telling = call.arguments.command ?? call.arguments.path ?? call.arguments.pattern ??
    firstPatchLine(call);
  const text = telling === undefined ? call.name : `${call.name} ${String(telling)}`;
  const line = escapeForDisplay(text.split("\n")[0]!);
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

function firstLine(text: string): string {
  return escapeForDisplay(text.split("\n")[0]!);
}

function firstPatchLine(call: ToolCall): string | undefined {
  const patch = call.arguments.patch;
  if (typeof patch !== "string") return undefined;
  return patch.split("\n").filter((line) => /^(\+\+\+ |\*\*\* (Add|Update|Delete) )/.test(line))
    .map((line) =>
      line.replace(/^(\+\+\+ |\*\*\* \w+ File: )/, "").replace(/\t.*$/, "").replace(/^b\//, "")
    ).join(" ");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}

function createPaint(color: boolean) {
  const plain = (text: string) => text;
  return color
    ? { dim, bold, cyan, green, red, yellow }
    : { dim: plain, bold: plain, cyan: plain, green: plain, red: plain, yellow: plain };
}

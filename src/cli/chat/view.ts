/** What is on the screen of a run: events → rows that stay, and what the live region shows meanwhile. */
import { escapeForDisplay } from "../../permission/display.ts";
import type { AgentEvent } from "../../vocab.ts";
import {
  liveOutputRows,
  type OpenCall,
  openCallRows,
  resultRows,
  seconds,
  startRows,
  withPiece,
} from "./blocks.ts";
import { fit, harmless, type Row, row, type Style, wrapSpans } from "./layout.ts";
import { createProse } from "./markdown.ts";

/** Characters of output and reasoning that the live region keeps. */
const TAIL = 4_000;
/** Rows of reasoning that are shown while it comes. */
const REASONING_ROWS = 3;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** What shows a run. */
export interface View {
  listen(event: AgentEvent): void;
  /** Puts rows above the live region for good. */
  say(text: string, style?: Style): void;
  add(rows: readonly Row[]): void;
  /** An empty row, unless one stands there already. */
  gap(): void;
  /** The call with this id was shown as a question already. */
  asked(id: string): void;
  /** Takes the rows that are to be put above the live region. */
  take(): readonly Row[];
  /** The rows of the live region that belong to the run. */
  live(): readonly Row[];
  /** Words for what goes on now, with a sign that moves; null when nothing does. */
  activity(): string | null;
}

/** What a view works with. */
export interface ViewParts {
  columns(): number;
  /** Milliseconds that never go back. */
  now(): number;
}

/** What goes on. */
interface Activity {
  readonly what: string;
  readonly since: number;
}

/** A view with nothing on it. */
export function createView(parts: ViewParts): View {
  let above: Row[] = [];
  /** The last row that went above the live region. */
  let last: Row | undefined;
  let prose = createProse();
  let reasoning = "";
  let call: OpenCall | null = null;
  let output: string | null = null;
  /** A call's block stands above: prose keeps off by an empty row. */
  let afterCall = false;
  let activity: Activity | null = null;
  let silent: Activity | null = null;
  /** When anything last came. */
  let heard = parts.now();
  const askedIds = new Set<string>();

  function begin(what: string): void {
    activity = { what, since: parts.now() };
    silent = null;
  }

  function say(text: string, style: Style = "plain"): void {
    closeProse();
    for (const line of harmless(text).split("\n")) {
      above.push(...wrapSpans([{ text: line, style }], parts.columns()));
    }
  }

  function closeProse(): void {
    above.push(...prose.end(parts.columns()));
    prose = createProse();
  }

  function endMessage(): void {
    closeProse();
    reasoning = "";
    if (call) say(`○ ${call.name} was not finished and has not run`, "yellow");
    call = null;
  }

  function listen(event: AgentEvent): void {
    const columns = parts.columns();
    if (event.kind !== "wait") {
      silent = null;
      heard = parts.now();
    }
    switch (event.kind) {
      case "request":
        return begin("waiting for the model");
      case "text":
        if (activity?.what !== "writing") begin("writing");
        reasoning = "";
        if (afterCall && event.text.trim() !== "") above.push(row(""));
        afterCall &&= event.text.trim() === "";
        above.push(...prose.push(event.text, columns));
        return;
      case "reasoning":
        if (activity?.what !== "thinking") begin("thinking");
        reasoning = (reasoning + event.text).slice(-TAIL);
        return;
      case "call":
        closeProse();
        reasoning = "";
        begin(`writing a call of ${event.name}`);
        call = { name: event.name, args: [] };
        return;
      case "arg":
        if (call) call = { ...call, args: [...call.args, { key: event.key, tail: "", length: 0 }] };
        return;
      case "piece":
        if (call) call = withPiece(call, event.key, event.text);
        return;
      case "ready":
        closeProse();
        call = null;
        return;
      case "tool_start":
        call = null;
        output = "";
        begin(`running ${event.call.name}`);
        if (!askedIds.delete(event.call.id)) above.push(...startRows(event.call, columns));
        return;
      case "tool_output":
        output = ((output ?? "") + event.text.slice(-TAIL)).slice(-TAIL);
        return;
      case "tool_result": {
        output = null;
        // A file's text that was read is for the model; a person sees that it was read.
        const quiet = event.result.name !== "run";
        afterCall = true;
        above.push(...resultRows(event.result, event.ms, { columns, quiet }));
        return begin("waiting for the model");
      }
      case "violation":
        endMessage();
        return say(`! ${event.violation.kind}: ${event.violation.message}`, "yellow");
      case "stop":
        return;
      case "end":
        return endMessage();
      case "wait":
        if (event.reason === "idle") {
          silent = { what: "", since: heard };
          return;
        }
        return say(event.message, "yellow");
      case "notice":
        return say(event.message, "yellow");
      case "outcome":
        endMessage();
        output = null;
        activity = null;
        if (event.outcome === "cancelled") say("Cancelled; what was done stays", "yellow");
        else if (event.outcome !== "done") say(event.message, "red");
        return;
      case "start":
      case "user":
        return;
    }
  }

  return {
    listen,
    say,
    add(rows) {
      closeProse();
      for (const each of rows) above.push(...wrapSpans(each, parts.columns()));
    },
    gap() {
      closeProse();
      const before = above.at(-1) ?? last;
      if (before?.some(({ text }) => text.trim() !== "")) above.push(row(""));
    },
    asked: (id) => void askedIds.add(id),
    take() {
      const taken = above;
      last = taken.at(-1) ?? last;
      above = [];
      return taken;
    },
    live() {
      const columns = parts.columns();
      return [
        ...prose.open(columns),
        ...(reasoning === "" ? [] : reasoningRows(reasoning, columns)),
        ...(call ? openCallRows(call, columns) : []),
        ...(output ? liveOutputRows(output, columns) : []),
      ];
    },
    activity() {
      if (!activity) return null;
      const sign = SPINNER[Math.floor(parts.now() / 100) % SPINNER.length]!;
      const whole = (since: number) => seconds(Math.floor((parts.now() - since) / 1000) * 1000);
      const quiet = silent ? ` · no bytes for ${short(whole(silent.since))}` : "";
      return `${sign} ${activity.what} ${short(whole(activity.since))}${quiet}`;
    },
  };
}

/** Seconds of a clock that is read while it runs: no hundredths. */
function short(text: string): string {
  return text.replace(/\.\d\d s$/, " s");
}

function reasoningRows(text: string, columns: number): Row[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-REASONING_ROWS).map((line) =>
    row(fit(`  ${escapeForDisplay(line)}`, columns), "dim")
  );
}

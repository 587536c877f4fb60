/**
 * `run --json`: one JSON object a line (SPEC 10), whose shapes are `cst-agent schema events`.
 *
 * The first line names the schema and its version, the last one is the outcome, whatever happens between. Within a
 * version, events and fields are only added.
 */
import type { AgentEvent, JsonObject } from "../vocab.ts";
import { exitCodeOf, explainError, outcomeOf, UserError } from "../errors.ts";
import type { World } from "./command.ts";
import { toJsonEvent } from "./events.ts";

/** The schema that the events follow. */
export const EVENT_SCHEMA = { name: "cst-agent.events", version: 1 } as const;

/** A call that runs is told again this often: that its reader has gone is noticed only by writing. */
const PROGRESS_MS = 1000;

/** The events of one run on standard output. */
export interface JsonLines {
  /** Writes the first line, once. */
  begin(): void;
  listen(event: AgentEvent): void;
  /** Writes the outcome of a run that ended by an error; nothing where the outcome was told. */
  fail(error: unknown): void;
  /** No more progress is told. */
  close(): void;
}

/** Writes events to the standard output of `world`. */
export function createJsonLines(world: Pick<World, "stdout" | "clock">): JsonLines {
  let begun = false;
  let over = false;
  let running = new AbortController();

  function write(object: JsonObject): void {
    world.stdout(`${JSON.stringify(object)}\n`);
  }

  function begin(): void {
    if (begun) return;
    begun = true;
    write({ type: "schema", schema: EVENT_SCHEMA.name, version: EVENT_SCHEMA.version });
  }

  async function tellProgress(id: string, signal: AbortSignal): Promise<void> {
    for (let seconds = 1;; seconds++) {
      await world.clock.sleep(PROGRESS_MS, signal);
      if (signal.aborted) return;
      write({ type: "tool_progress", id, seconds });
    }
  }

  function follow(event: AgentEvent): void {
    if (event.kind === "outcome") over = true;
    if (event.kind === "tool_start") {
      running = new AbortController();
      void tellProgress(event.call.id, running.signal);
    } else if (event.kind === "tool_result" || event.kind === "outcome") {
      running.abort();
    }
  }

  return {
    begin,
    listen(event) {
      const object = toJsonEvent(event);
      if (object) write(object);
      follow(event);
    },
    fail(error) {
      running.abort();
      begin();
      if (over) return;
      over = true;
      const outcome = outcomeOf(error);
      write({
        type: "outcome",
        outcome,
        exit: error instanceof UserError ? error.exit : exitCodeOf(outcome),
        message: explainError(error),
        text: "",
        steps: 0,
        usage: { input_tokens: 0, output_tokens: 0 },
        denied: 0,
      });
    },
    close: () => running.abort(),
  };
}

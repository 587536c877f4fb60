/** Scripted answers of a model for the tests of the terminal. */
import type { ScriptedAnswer } from "../../scripted_server.ts";

/** The events of a stream whose text comes in these pieces; `cut` leaves out its end. */
export function streamOf(pieces: readonly string[], cut = false): string {
  const events = pieces.map((content) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  );
  const finish = `data: ${
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
  }\n\ndata: [DONE]\n\n`;
  return events.join("") + (cut ? "" : finish);
}

/** An answer that says `text`, or the pieces of it with `ms` between them. */
export function says(text: string | readonly string[], ms = 0): ScriptedAnswer {
  const pieces = typeof text === "string" ? [text] : text;
  return { status: 200, body: streamOf(pieces), ...(ms > 0 ? { eventIntervalMs: ms } : {}) };
}

/** A frame that runs `command`. */
export function runs(command: string, id = "c1"): string {
  return `call ${id} run\narg command <<END\n${command}\nEND\nend\n`;
}

/** An answer that goes silent behind `text`. */
export function hangsAfter(text: string): ScriptedAnswer {
  return { status: 200, body: streamOf([text], true), holdOpenMs: 60_000 };
}

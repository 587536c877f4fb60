/** The chat on a terminal that can't move its cursor: lines in, lines out. */
import type { Approval, Question } from "../../agent/gate.ts";
import { EXIT, UserError } from "../../errors.ts";
import type { World } from "../command.ts";
import type { SessionChoice } from "../face.ts";
import { createRenderer } from "../render.ts";
import { choiceOf, choicesRow, questionRows } from "./approve.ts";
import { openDesk, type Wishes } from "./desk.ts";
import type { Row } from "./layout.ts";
import { expandMentions } from "./mentions.ts";

/** Talks line by line until the end of standard input. */
export async function runPlainChat(
  start: { readonly wishes: Wishes; readonly choice: SessionChoice },
  world: World,
): Promise<number> {
  const lines = readLines(world);
  const say = (rows: readonly Row[]) =>
    world.stdout(rows.map((row) => `${row.map(({ text }) => text).join("")}\n`).join(""));

  async function approve(question: Question): Promise<Approval> {
    say([...questionRows(question, 100), choicesRow(question, true)]);
    const offered = { always: question.decision.grant !== null, editable: false };
    for (;;) {
      const line = await lines.next();
      if (line.done) return { kind: "no", reason: "" };
      const choice = choiceOf(line.value.trim()[0] ?? "", offered);
      if (choice === "once" || choice === "always") return { kind: choice };
      if (choice === "no") return { kind: "no", reason: line.value.trim().slice(1).trim() };
      world.stdout("Answer with y, a or n (n WHY tells the model)\n");
    }
  }

  const desk = await openDesk(start.wishes, world, {
    choice: start.choice,
    listen: createRenderer(
      { prose: world.stdout, note: world.stdout, color: false },
      { quiet: false },
    ),
    approve,
  });
  try {
    for (;;) {
      world.stdout("> ");
      const line = await lines.next();
      if (line.done || world.signal.aborted || /^\/(quit|exit)\s*$/.test(line.value)) break;
      if (line.value.trim() === "") continue;
      const { text, notices } = await expandMentions(
        line.value,
        desk.settings.task.cwd,
        world.files,
      );
      for (const notice of notices) world.stdout(`${notice}\n`);
      try {
        await desk.opened.task.run(text, world.signal);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        world.stdout(`${error.message}\n`);
      }
      if (world.signal.aborted) break;
    }
    return world.signal.aborted ? EXIT.cancelled : EXIT.done;
  } finally {
    await desk.close();
  }
}

async function* readLines(world: World): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const bytes of world.readStdin()) {
    const lines = (held + decoder.decode(bytes, { stream: true })).split("\n");
    held = lines.pop()!;
    yield* lines;
  }
  if (held !== "") yield held;
}

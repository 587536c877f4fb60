/** Slash commands about the session and its likes. */
import { dirname } from "@std/path";
import { listSessions } from "../../session/find.ts";
import { planFold } from "../../session/plan_fold.ts";
import { readSession } from "../../session/verify.ts";
import { absolute } from "../command.ts";
import { transcriptOf } from "../transcript.ts";
import { htmlOf } from "../transcript_html.ts";
import { markdownOf } from "../transcript_markdown.ts";
import { fit, row } from "./layout.ts";
import type { Site } from "./site.ts";
import { costOf, tokens } from "./status_line.ts";

export async function undo(_: string, site: Site): Promise<void> {
  const paths = await site.desk.undo((text) => site.say(text, "yellow"));
  if (paths.length === 0) return site.say("There is nothing to undo");
  site.say(`Put back: ${paths.join(", ")}`, "green");
}

export function sessions(_: string, site: Site): void {
  const { sessionDir, task } = site.desk.settings;
  const found = listSessions(sessionDir, site.world.logFiles).sessions
    .filter(({ header }) => header.cwd === task.cwd).slice(0, 15);
  const now = site.desk.opened.session.id;
  site.add(
    found.map(({ id, ended, title }) => {
      const line = fit(
        `${id}  ${ended.slice(0, 16).replace("T", " ")}  ${title}`,
        site.columns() - 2,
      );
      return id === now ? row(`* ${line}`, "bold") : row(`  ${line}`);
    }),
  );
  if (found.length === 0) site.say("There is no session of this folder yet");
}

export async function resume(id: string, site: Site): Promise<void> {
  if (id === "") {
    return site.say(
      "Which one? /resume ID (the start of an ID is enough; /sessions lists them)",
      "yellow",
    );
  }
  await site.desk.switchTo({ kind: "named", id, repair: false });
  const { session } = site.desk.opened;
  site.say(`Goes on with ${session.id} (${session.turns().length} turns)`);
}

export async function fork(_: string, site: Site): Promise<void> {
  if (site.desk.opened.session.turns().length === 0) return site.say("Nothing was said here yet");
  const id = await site.desk.fork();
  site.say(`Goes on in the new session ${id}; the old one stays as it is`);
}

export function compact(_: string, site: Site): void {
  const { session } = site.desk.opened;
  const before = session.contextTokens();
  const record = planFold(session, site.desk.settings.contextLimit, { force: true });
  if (!record) return site.say("There is nothing old to shorten");
  session.append(record);
  const saved = Math.max(0, before - session.contextTokens());
  const count = record.calls.length;
  const what = count === 1 ? "One old result is" : `${count} old results are`;
  site.say(`${what} shown to the model in short (about ${tokens(saved)} tokens less)`);
}

export function cost(_: string, site: Site): void {
  const { session } = site.desk.opened;
  const usage = session.usage();
  const { provider } = site.desk.settings.task;
  const price = costOf(usage, provider.price);
  const share = Math.round(100 * session.contextTokens() / site.desk.settings.contextLimit);
  site.add([
    row(
      `  input    ${tokens(usage.inputTokens)} tokens (${
        tokens(usage.cachedTokens ?? 0)
      } from the server's cache)`,
    ),
    row(`  output   ${tokens(usage.outputTokens)} tokens`),
    row(
      `  context  ${tokens(session.contextTokens())} of ${
        tokens(site.desk.settings.contextLimit)
      } (${share} %)`,
    ),
    row(`  price    ${price === null ? "not known for this model" : `$${price.toFixed(4)}`}`),
  ]);
}

export async function exportSession(argument: string, site: Site): Promise<void> {
  const { session } = site.desk.opened;
  await session.sync();
  const { records } = readSession(session.path, site.world.logFiles);
  const name = argument || `${session.id}.md`;
  const path = absolute(name, site.desk.settings.task);
  const text = name.endsWith(".html")
    ? htmlOf(transcriptOf(records))
    : name.endsWith(".json")
    ? `${JSON.stringify({ records }, null, 2)}\n`
    : markdownOf(transcriptOf(records));
  await site.world.files.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await site.world.files.createSynced(path, new TextEncoder().encode(text), 0o600);
  site.say(`Written to "${path}"`);
}

export async function clear(_: string, site: Site): Promise<void> {
  await site.desk.switchTo({ kind: "new" });
  site.clear();
  site.say(`A new session: ${site.desk.opened.session.id}`, "dim");
}

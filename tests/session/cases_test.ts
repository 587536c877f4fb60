/** The shared session cases (area F): their neutral records as real sessions, with the damage they name. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Message, Turn } from "../../src/vocab.ts";
import { SessionError } from "../../src/errors.ts";
import { createProtocol } from "../../src/protocol/mod.ts";
import { createSession, openSession } from "../../src/session/log.ts";
import { type LiveSession, liveSession } from "../../src/session/conversation.ts";
import { createRedactor } from "../../src/session/redact.ts";
import { maskRecord } from "../../src/session/redact_values.ts";
import type { SessionRecord } from "../../src/session/records.ts";
import {
  header,
  message,
  partsWith,
  result,
  runCall,
  tempFolder,
  writeMessage,
} from "./samples.ts";

const CASES = new URL("../../../shared/cases/", import.meta.url);

/** A record of the cases' neutral shape. */
interface Neutral {
  readonly type: "user" | "assistant";
  readonly text: string;
}

function caseFile(name: string): string {
  return Deno.readTextFileSync(new URL(name, CASES));
}

interface Expected {
  readonly agent_env: { readonly [name: string]: string };
  readonly expect: { readonly history_turns: string[]; readonly session_file_mode: string };
}

function expectedOf(name: string): Expected {
  return JSON.parse(caseFile(`${name}/expected.json`)) as Expected;
}

/** The whole lines of a case; the damage is done to our own file. */
function neutral(name: string): Neutral[] {
  return caseFile(`${name}/session.jsonl`).split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Neutral];
    } catch {
      return [];
    }
  });
}

function ours({ type, text }: Neutral): SessionRecord[] {
  return type === "user" ? [{ kind: "user", text }] : [{ kind: "text", text }, message(text)];
}

function textOf(turn: Turn): string {
  return turn.text;
}

function write(records: readonly SessionRecord[]): string {
  const path = `${tempFolder()}/s.jsonl`;
  const { log } = createSession(path, header(), partsWith());
  for (const record of records) log.append(record);
  log.close();
  return path;
}

async function resume(path: string): Promise<{ session: LiveSession; notices: readonly string[] }> {
  const opened = await openSession(path, partsWith());
  return { session: liveSession(opened, writeMessage), notices: opened.notices };
}

/** The next request of a session in the protocol that sends the most structure. */
function request(session: LiveSession): readonly Message[] {
  return createProtocol("native-eos")!.history(session.turns());
}

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  async F01() {
    const expected = expectedOf("F01").expect;
    const { bytes } = JSON.parse(caseFile("F01/damage.json")) as { bytes: number };
    const last: Neutral = { type: "assistant", text: "third answer" };
    const path = write([...neutral("F01"), last].flatMap(ours).slice(0, -1));
    Deno.truncateSync(path, Deno.statSync(path).size - bytes);
    const { session, notices } = await resume(path);
    assertEquals(session.turns().map(textOf), expected.history_turns);
    assertEquals(notices.length, 1);
    session.append({ kind: "user", text: "next" });
    session.close();
    for (const line of Deno.readTextFileSync(path).trimEnd().split("\n")) JSON.parse(line);
  },
  async F02() {
    const path = write(neutral("F02").flatMap(ours));
    const lines = Deno.readTextFileSync(path).split("\n");
    Deno.writeTextFileSync(path, lines.with(2, lines[2]!.slice(0, 20)).join("\n"));
    await assertRejects(
      () => openSession(path, partsWith()),
      SessionError,
      "line 3 of the session",
    );
  },
  async F04() {
    const expected = expectedOf("F04").expect;
    const answer: Neutral = { type: "assistant", text: "second answer é字" };
    const path = write([...neutral("F04"), answer].flatMap(ours).slice(0, -1));
    const bytes = Deno.readFileSync(path);
    Deno.truncateSync(path, bytes.lastIndexOf(new TextEncoder().encode("字")[1]!) + 1);
    const { session, notices } = await resume(path);
    session.close();
    assertEquals(session.turns().map(textOf), expected.history_turns);
    assertEquals(notices.length, 1);
  },
  async F12() {
    const path = write([
      { kind: "user", text: "build it" },
      { kind: "call", call: runCall("c1") },
    ]);
    const { session } = await resume(path);
    session.append({ kind: "user", text: "go on" });
    session.close();
    const sent = request(session);
    assertEquals(sent.map(({ role }) => role).slice(0, 3), ["user", "assistant", "tool"]);
    assertEquals(sent.at(-1)?.role, "user");
    assert(String(sent[2]!.content).includes("interrupted: outcome unknown"));
    const again = await resume(path);
    again.session.close();
    assertEquals(request(again.session), sent);
  },
  async F14() {
    // A call with broken arguments is never a call here: it's recorded as a violation.
    const violation = { kind: "bad_json", message: "not valid JSON", at: 20, id: "c1" } as const;
    const failed = { ...message(""), complaint: "Error: not valid JSON" } as SessionRecord;
    const path = write([
      { kind: "user", text: "x" },
      { kind: "violation", violation },
      failed,
      { kind: "call", call: runCall("c1", 'echo "hi') },
      result("c1"),
      message(""),
      ...ours({ type: "assistant", text: "sorry" }),
    ]);
    const { session } = await resume(path);
    session.close();
    const sent = request(session);
    const calls = sent.flatMap(({ tool_calls }) => tool_calls ?? []);
    assertEquals(calls.map(({ function: { arguments: text } }) => JSON.parse(text)), [{
      command: 'echo "hi',
    }]);
    assertEquals(sent.flatMap(({ tool_call_id }) => tool_call_id ?? []), ["c1"]);
  },
  async F17() {
    const expected = expectedOf("F17");
    const key = Object.values(expected.agent_env)[0]!;
    const redactor = createRedactor([key]);
    const parts = { ...partsWith(), mask: (record: SessionRecord) => maskRecord(redactor, record) };
    const path = `${tempFolder()}/s.jsonl`;
    const opened = createSession(path, { ...header(), system: `Never ${key}` }, parts);
    const session = liveSession(opened, writeMessage);
    session.append({ kind: "user", text: `my key is ${key}` });
    session.append({ kind: "call", call: runCall("c1", "cat key.txt") });
    session.append(result("c1", caseFile("F17/before/key.txt")));
    session.append(message("ok"));
    session.close();
    const file = Deno.readTextFileSync(path);
    assertEquals([file.includes(key), JSON.stringify(session.turns()).includes(key)], [
      false,
      false,
    ]);
    assertEquals(file.split("[redacted]").length - 1, 3);
    const mode = (Deno.statSync(path).mode! & 0o777).toString(8).padStart(4, "0");
    assertEquals(mode, expected.expect.session_file_mode);
    const again = await resume(path);
    again.session.close();
    assertEquals(again.session.turns(), session.turns());
  },
};

Deno.test("the session cases end as they ask", async (t) => {
  if (!await Deno.stat(CASES).then(() => true, () => false)) {
    console.log("left out: the shared cases are not here");
    assertEquals(Deno.env.get("CI"), undefined, "the shared cases must be there in CI");
    return;
  }
  for (const [name, check] of Object.entries(CHECKS)) await t.step(name, check);
});

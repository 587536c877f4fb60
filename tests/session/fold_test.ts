import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Turn } from "../../src/vocab.ts";
import {
  closingRecords,
  createFold,
  foldRecords,
  interruptedResult,
} from "../../src/session/fold.ts";
import { createSession, openSession } from "../../src/session/log.ts";
import { liveSession } from "../../src/session/conversation.ts";
import type { NumberedRecord, SessionRecord } from "../../src/session/records.ts";
import {
  header,
  message,
  partsWith,
  result,
  runCall,
  sampleRecords,
  tempFolder,
  writeMessage,
} from "./samples.ts";

const HEADER: SessionRecord = { kind: "header", version: 1, ...header() };

function numbered(records: readonly SessionRecord[]): NumberedRecord[] {
  return records.map((record, index) => ({ ...record, n: index + 1 }));
}

function turnsOf(records: readonly SessionRecord[]): readonly Turn[] {
  return foldRecords(numbered([HEADER, ...records])).turns();
}

/** Closes what is open, as a resumed session does. */
function closed(records: readonly SessionRecord[]): SessionRecord[] {
  const open = foldRecords(numbered([HEADER, ...records])).open();
  return [...records, ...(open ? closingRecords(open, writeMessage) : [])];
}

Deno.test("a whole session folds to its turns and settings", () => {
  const fold = foldRecords(numbered([HEADER, ...sampleRecords()]));
  assertEquals(fold.settings(), { version: 1, ...header() });
  assertEquals(fold.open(), undefined);
  assertEquals(fold.turns(), [
    { kind: "user", text: "Fix é字😀 it" },
    {
      kind: "assistant",
      text: "Let me look\ncall c1 run\n…",
      prose: "Let me look",
      calls: [runCall("c1"), runCall("c2", "make test")],
      results: [
        { id: "c1", name: "run", exit: 0, output: "a\tb\r\nline\u0000 two\n" },
        { id: "c2", name: "run", exit: 0, output: "fine\n" },
      ],
    },
    { kind: "assistant", text: "Done é", calls: [], results: [] },
  ]);
  assertEquals(fold.usage(), { inputTokens: 200, outputTokens: 40 });
});

Deno.test("settings that change hold from there on", () => {
  const change = { protocol: "xml", provider: "openai", model: "n", system: "S" } as const;
  const fold = foldRecords(numbered([HEADER, { kind: "settings", ...change }]));
  assertEquals(fold.settings(), { version: 1, ...header(), ...change });
});

Deno.test("a call without result is closed as interrupted and keeps its place", () => {
  const records: SessionRecord[] = [
    { kind: "user", text: "build it" },
    { kind: "call", call: runCall("c1") },
    result("c1"),
    { kind: "call", call: runCall("c2") },
  ];
  const complaint =
    "The program was interrupted during your message; of it only the calls above are kept. Go on from there.";
  assertEquals(closed(records).slice(records.length), [
    { kind: "result", result: interruptedResult(runCall("c2")), ms: 0, note: "interrupted" },
    {
      kind: "message",
      kept: "call c1 run\nend\ncall c2 run\nend\n",
      how: "cut",
      finishReason: null,
      usage: null,
      complaint,
    },
  ]);
  const [, assistant] = turnsOf(closed(records));
  assert(assistant?.kind === "assistant");
  assertEquals(assistant.results.map(({ id, exit }) => [id, exit]), [["c1", 0], ["c2", 125]]);
  assertEquals(assistant.results[1]!.output.split("\n")[0], "interrupted: outcome unknown");
});

Deno.test("a message that ended in a violation, a cut or a cancel keeps what ran and what the model was told", () => {
  const violation = { kind: "bad_arg", message: "no value", at: 12 } as const;
  const cut = { ...message(""), how: "cut", finishReason: null, usage: null } as SessionRecord;
  const told = { ...cut, complaint: "Error: …" } as SessionRecord;
  const ran: SessionRecord[] = [{ kind: "call", call: runCall("c1") }, result("c1")];
  const turn = { kind: "assistant", text: "", calls: [], results: [], complaint: "Error: …" };
  const ranTurn = {
    ...turn,
    calls: [runCall("c1")],
    results: [{ id: "c1", name: "run", exit: 0, output: "ok\n" }],
  };
  const rows: [string, SessionRecord[], unknown[]][] = [
    ["violation", [{ kind: "violation", violation }, told], [turn]],
    ["violation after a call", [...ran, { kind: "violation", violation }, told], [ranTurn]],
    ["cancel", [...ran, told, { kind: "cancel", why: "esc" }], [ranTurn]],
    ["dropped", [{ ...cut, dropped: true } as SessionRecord], []],
    ["empty", [message("")], []],
    ["dropped, yet a call ran", [...ran, { ...told, dropped: true } as SessionRecord], [ranTurn]],
    ["provider error", [{ kind: "error", message: "refused" }], []],
  ];
  for (const [name, records, turns] of rows) {
    assertEquals(turnsOf(records) as unknown[], turns, name);
  }
});

Deno.test("a message of which nothing ran and nothing was said is asked again", () => {
  const violation = { kind: "bad_arg", message: "no value", at: 12 } as const;
  const records: SessionRecord[] = [{ kind: "user", text: "x" }, { kind: "violation", violation }];
  assertEquals(turnsOf(closed(records)), [{ kind: "user", text: "x" }]);
});

Deno.test("an unclosed message before the next user turn still answers every call", () => {
  const turns = turnsOf([{ kind: "call", call: runCall("c1") }, { kind: "user", text: "y" }]);
  assertEquals(turns, [
    {
      kind: "assistant",
      text: "",
      calls: [runCall("c1")],
      results: [interruptedResult(runCall("c1"))],
    },
    { kind: "user", text: "y" },
  ]);
});

Deno.test("a result without its call is never sent", () => {
  assertEquals(turnsOf([result("c9"), message("Hi")]), [
    { kind: "assistant", text: "Hi", calls: [], results: [] },
  ]);
});

/** Sessions as the agent writes them: user turns, messages with calls that each have a result. */
const text = fc.string({ unit: "binary", maxLength: 12 });
const messageRecords = fc.record({ outputs: fc.array(text, { maxLength: 3 }), kept: text }).map(
  ({ outputs, kept }): SessionRecord[] => [
    ...outputs.flatMap((output, index): SessionRecord[] => [
      { kind: "call", call: runCall(`c${index}`, output) },
      result(`c${index}`, output),
    ]),
    ...(kept === "" ? [] : [{ kind: "text", text: kept } as const]),
    message(kept),
  ],
);
const sessions = fc.array(
  fc.oneof(text.map((said): SessionRecord[] => [{ kind: "user", text: said }]), messageRecords),
  { maxLength: 6 },
).map((parts) => parts.flat());

Deno.test("an interrupted prefix and its closing fold to the turns before, and every call has its one result", () => {
  fc.assert(fc.property(sessions, fc.nat(), (records, at) => {
    const cut = at % (records.length + 1);
    const prefix = records.slice(0, cut);
    const turns = turnsOf(closed(prefix));
    const whole = turnsOf(records);
    const open = foldRecords(numbered([HEADER, ...prefix])).open();
    // What was closed before the interruption is untouched.
    const before = turnsOf(prefix);
    assertEquals(turns.slice(0, before.length), before);
    assertEquals(whole.slice(0, before.length), before);
    if (!open) assertEquals(turns, before);
    for (const turn of turns) {
      if (turn.kind !== "assistant") continue;
      assertEquals(turn.results.map(({ id }) => id), turn.calls.map(({ id }) => id));
    }
    // What ran before the interruption is what ran in the whole session, with the same results.
    const last = turns.at(-1);
    const twin = whole[turns.length - 1];
    if (open && last?.kind === "assistant" && twin?.kind === "assistant") {
      assertEquals(last.calls, twin.calls.slice(0, last.calls.length));
      const known = open.results.length;
      assertEquals(last.results.slice(0, known), twin.results.slice(0, known));
    }
    // Closing is done once.
    assertEquals(closed(closed(prefix)), closed(prefix));
  }));
});

Deno.test("a live session and the one read back from its file have the same turns at every record", async () => {
  const path = `${tempFolder()}/s.jsonl`;
  const live = liveSession(createSession(path, header(), partsWith()), writeMessage);
  for (const record of sampleRecords()) {
    live.append(record);
    const copy = `${path}.copy`;
    Deno.copyFileSync(path, copy);
    const opened = await openSession(copy, partsWith());
    opened.log.close();
    const read = foldRecords(opened.records);
    assertEquals(JSON.stringify(read.turns()), JSON.stringify(live.turns()));
    assertEquals(read.contextTokens(), live.contextTokens());
  }
  live.close();
});

Deno.test("a resumed session closes its message in the file, once", async () => {
  const path = `${tempFolder()}/s.jsonl`;
  const first = createSession(path, header(), partsWith());
  first.log.append({ kind: "user", text: "go" });
  first.log.append({ kind: "call", call: runCall("c1") });
  first.log.close();
  const resumed = liveSession(await openSession(path, partsWith()), writeMessage);
  resumed.close();
  const again = await openSession(path, partsWith());
  again.log.close();
  assertEquals(again.records.map(({ kind }) => kind), [
    "header",
    "user",
    "call",
    "result",
    "message",
  ]);
  assertEquals(foldRecords(again.records).turns(), resumed.turns());
  assertEquals(foldRecords(again.records).open(), undefined);
});

Deno.test("the tokens of the next request are the server's own, with estimates for what came after", () => {
  const fold = createFold();
  const steps: [SessionRecord, number][] = [
    [{ ...HEADER, system: "12345678" } as SessionRecord, 2],
    [{ kind: "user", text: "1234" }, 3],
    [{ kind: "call", call: runCall("c1") }, 3],
    [result("c1", "x".repeat(400)), 3],
    [message("kept"), 100 + 20 + 100],
    [{ kind: "user", text: "123456" }, 222],
    [message("12345678", false), 224],
  ];
  steps.forEach(([record, tokens], index) => {
    fold.push({ ...record, n: index + 1 });
    assertEquals(fold.contextTokens(), tokens);
  });
});

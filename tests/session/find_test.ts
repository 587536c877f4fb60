import { assert, assertEquals, assertThrows } from "@std/assert";
import { SessionError } from "../../src/errors.ts";
import {
  dataFolderOf,
  findSession,
  listSessions,
  newestSession,
  sessionPath,
} from "../../src/session/find.ts";
import { createSession } from "../../src/session/log.ts";
import { readSession, verifySession } from "../../src/session/verify.ts";
import type { SessionRecord } from "../../src/session/records.ts";
import { header, logFiles, runCall, sampleRecords, steppingClock, tempFolder } from "./samples.ts";

interface Made {
  readonly id: string;
  readonly cwd: string;
  readonly minute: number;
  readonly records?: readonly SessionRecord[];
}

function makeSession(folder: string, { id, cwd, minute, records }: Made): string {
  const path = sessionPath(folder, id);
  const clock = steppingClock(Date.UTC(2026, 11, 1, 2, minute));
  const { log } = createSession(path, header(id, cwd), { logFiles, clock });
  for (const record of records ?? sampleRecords()) log.append(record);
  log.close();
  return path;
}

Deno.test("the list has the newest first, with title, times and number of records from the two ends", () => {
  const folder = tempFolder();
  const long = "word ".repeat(40);
  makeSession(folder, { id: "a", cwd: "/p", minute: 5 });
  makeSession(folder, {
    id: "b",
    cwd: "/q",
    minute: 7,
    records: [{ kind: "user", text: long }, ...sampleRecords()],
  });
  makeSession(folder, { id: "c", cwd: "/p", minute: 6, records: [] });
  Deno.writeTextFileSync(`${folder}/d.jsonl`, "no session\n");
  Deno.writeTextFileSync(`${folder}/c.jsonl.broken`, "x");
  Deno.writeTextFileSync(`${folder}/e.jsonl`, "");
  const list = listSessions(folder, logFiles);
  assertEquals(list.unreadable, [`${folder}/d.jsonl`]);
  assertEquals(
    list.sessions.map(({ id, title, started, ended, records }) => [
      id,
      title,
      started.slice(14, 19),
      ended.slice(14, 19),
      records,
    ]),
    [
      ["b", `${"word ".repeat(16).slice(0, 79)}…`, "07:00", "07:10", 11],
      ["c", "", "06:00", "06:00", 1],
      ["a", "Fix é字😀 it", "05:00", "05:09", 10],
    ],
  );
  assertEquals(newestSession(list, "/p")?.id, "c");
  assertEquals(newestSession(list, "/elsewhere")?.id, "b");
  assertEquals(listSessions(`${folder}/none`, logFiles), {
    sessions: [],
    unreadable: [],
    refused: [],
  });
});

Deno.test("long records at both ends and a torn tail don't hide a session", () => {
  const folder = tempFolder();
  const path = makeSession(folder, {
    id: "a",
    cwd: "/p",
    minute: 5,
    records: [
      { kind: "settings", protocol: "xml", provider: "p", model: "m", system: "s".repeat(80_000) },
      { kind: "text", text: "x".repeat(200_000) },
    ],
  });
  const [info] = listSessions(folder, logFiles).sessions;
  assertEquals([info?.id, info?.title, info?.records], ["a", "", 0]);
  assertEquals(info?.ended, Deno.statSync(path).mtime?.toISOString());
  Deno.writeTextFileSync(path, `{"n":4,"ki`, { append: true });
  assertEquals(listSessions(folder, logFiles).sessions.length, 1);
  const longHeader = { ...header("b"), system: "s".repeat(300_000) };
  const made = createSession(sessionPath(folder, "b"), longHeader, {
    logFiles,
    clock: steppingClock(),
  });
  made.log.close();
  assertEquals(listSessions(folder, logFiles).sessions.map(({ id }) => id).sort(), ["a", "b"]);
});

Deno.test("an id or its start finds a session; an unknown one names the nearest", () => {
  const folder = tempFolder();
  const ids = ["20261201-020000-aaaaaa", "20261201-020000-abcdef", "20261202-090000-123456"];
  for (const [minute, id] of ids.entries()) makeSession(folder, { id, cwd: "/p", minute });
  assertEquals(findSession(folder, ids[0]!, logFiles), sessionPath(folder, ids[0]!));
  assertEquals(findSession(folder, "20261202", logFiles), sessionPath(folder, ids[2]!));
  const rows: [string, string][] = [
    ["20261201", `Cannot tell which session "20261201" is: it may be "${ids[0]}" or "${ids[1]}"`],
    [
      "20261202-090000-123457",
      `Cannot find the session "20261202-090000-123457": the nearest is "${ids[2]}"`,
    ],
    ["x-123456", `Cannot find the session "x-123456": the nearest is "${ids[2]}"`],
    ["../z", `Cannot find the session "../z": the nearest is "${ids[2]}"`],
  ];
  for (const [id, message] of rows) {
    assertEquals(
      assertThrows(() => findSession(folder, id, logFiles), SessionError).message,
      message,
    );
  }
  assertThrows(() => findSession(`${folder}/no`, "a", logFiles), SessionError, `there is none in`);
  assertEquals(dataFolderOf(`${folder}/a.jsonl`), `${folder}/a.data`);
});

Deno.test("a session is verified without its lock, and says what is open or damaged", () => {
  const folder = tempFolder();
  const path = makeSession(folder, {
    id: "a",
    cwd: "/p",
    minute: 1,
    records: [...sampleRecords(), { kind: "call", call: runCall("c7") }],
  });
  assertEquals(verifySession(path, logFiles), { records: 11, openCalls: ["c7"] });
  const bytes = Deno.readFileSync(path);
  bytes[bytes.length - 30]! ^= 1;
  Deno.writeFileSync(path, bytes);
  const view = readSession(path, logFiles);
  assertEquals(view.records.length, 10);
  assert(view.fault?.startsWith(`Cannot trust line 11 of the session "${path}": `), view.fault);
  assertThrows(() => readSession(`${folder}/none`, logFiles), SessionError, "doesn't exist");
});

Deno.test("an old file of every format that was ever written is readable", () => {
  const folder = new URL("../../fixtures/sessions/", import.meta.url);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assertEquals(names, ["v1.jsonl"]);
  const view = readSession(new URL("v1.jsonl", folder).pathname, logFiles);
  assertEquals(view.fault, undefined);
  assertEquals(view.records.map(({ kind }) => kind), [
    "header",
    "settings",
    "user",
    "call",
    "result",
    "call",
    "result",
    "violation",
    "text",
    "message",
    "folded",
    "cancel",
    "error",
    "user",
    "text",
    "message",
  ]);
});

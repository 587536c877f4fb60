import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { SessionError } from "../../src/errors.ts";
import { createSession, openSession } from "../../src/session/log.ts";
import { foldRecords } from "../../src/session/fold.ts";
import { readLines } from "../../src/session/lines.ts";
import { failingFiles, header, logFiles, partsWith, sampleRecords, tempFolder } from "./samples.ts";

/** A closed session with the sample records; its path and bytes. */
async function sampleSession(): Promise<{ path: string; bytes: Uint8Array<ArrayBuffer> }> {
  const path = `${tempFolder()}/s.jsonl`;
  const { log } = createSession(path, header(), partsWith());
  for (const record of sampleRecords()) log.append(record);
  await log.sync();
  log.close();
  return { path, bytes: Deno.readFileSync(path) };
}

function lineStarts(bytes: Uint8Array): number[] {
  const starts = [0];
  bytes.forEach((byte, at) => byte === 10 && starts.push(at + 1));
  return starts.slice(0, -1);
}

Deno.test("what is appended is read back, numbered from 1, in a file for its owner alone", async () => {
  const folder = `${tempFolder()}/state/sessions`;
  const path = `${folder}/s.jsonl`;
  const { log } = createSession(path, header(), partsWith());
  assertEquals(sampleRecords().map((record) => log.append(record)), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await log.sync();
  log.close();
  assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
  assertEquals(Deno.statSync(folder).mode! & 0o777, 0o700);
  const opened = await openSession(path, partsWith());
  opened.log.close();
  assertEquals(opened.notices, []);
  const [first, ...rest] = opened.records;
  assertEquals(first?.kind === "header" && first.version, 1);
  assertEquals(
    rest,
    sampleRecords().map((record, index) => ({
      n: index + 2,
      time: `2026-12-01T02:00:0${index + 1}.000Z`,
      ...record,
      crc: (rest[index] as unknown as { crc: string }).crc,
    })),
  );
});

Deno.test("a session goes on where it ended", async () => {
  const { path } = await sampleSession();
  const opened = await openSession(path, partsWith());
  assertEquals(opened.log.append({ kind: "user", text: "And now?" }), 11);
  opened.log.close();
  const again = readLines(Deno.readFileSync(path));
  assertEquals([again.records.length, again.fault], [11, undefined]);
});

Deno.test("a last record cut at any byte is moved away, announced once, and the next stands alone", async () => {
  const { path, bytes } = await sampleSession();
  const last = lineStarts(bytes).at(-1)!;
  for (let cut = last + 1; cut < bytes.length; cut++) {
    Deno.writeFileSync(path, bytes.subarray(0, cut));
    Deno.writeFileSync(`${path}.broken`, new Uint8Array());
    const opened = await openSession(path, partsWith());
    assertEquals(opened.records.length, 9);
    assertEquals(opened.notices, [
      `The last record of the session was not written to its end and is cut off (line 10, ${
        cut - last
      } bytes): "${path}.broken" keeps it`,
    ]);
    opened.log.append({ kind: "user", text: "next" });
    opened.log.close();
    assertEquals(Deno.readFileSync(`${path}.broken`).subarray(0, -1), bytes.subarray(last, cut));
    const again = await openSession(path, partsWith());
    again.log.close();
    assertEquals([again.records.length, again.notices], [10, []]);
  }
});

Deno.test("a flipped bit anywhere is an error that names its line", async () => {
  const { path, bytes } = await sampleSession();
  const starts = lineStarts(bytes);
  // Without the very last byte the last line has no end: a torn one, see above.
  for (let at = 0; at < bytes.length - 1; at += 2) {
    const damaged = bytes.slice();
    damaged[at]! ^= 1 << (at % 8);
    Deno.writeFileSync(path, damaged);
    const line = starts.findLastIndex((start) => start <= at) + 1;
    const error = await assertRejects(() => openSession(path, partsWith()), SessionError);
    // Another version number than ours reads as a newer format, whatever the checksum says.
    const other = line === 1 && error.message.includes("it is of format");
    if (!other) assertStringIncludes(error.message, `line ${line} of the session`);
    assertEquals(Deno.readFileSync(path), damaged);
  }
});

Deno.test("repair keeps what is before the damage and moves the rest away", async () => {
  const { path, bytes } = await sampleSession();
  const third = lineStarts(bytes)[2]!;
  const damaged = bytes.slice();
  damaged[third + 20]! ^= 1;
  Deno.writeFileSync(path, damaged);
  const opened = await openSession(path, partsWith(), { repair: true });
  opened.log.close();
  assertEquals(opened.records.length, 2);
  assertEquals(opened.notices.length, 1);
  assertEquals(Deno.readFileSync(path), bytes.subarray(0, third));
  assertEquals(Deno.readFileSync(`${path}.broken`), damaged.subarray(third));
});

Deno.test("a missing, doubled or foreign line is noticed", async () => {
  const { path, bytes } = await sampleSession();
  const lines = new TextDecoder().decode(bytes).split(/(?<=\n)/);
  const rows: [string, string[], string][] = [
    ["missing", lines.toSpliced(4, 1), "line 5"],
    ["doubled", lines.toSpliced(4, 0, lines[4]!), "line 6"],
    ["swapped", lines.toSpliced(4, 2, lines[5]!, lines[4]!), "line 5"],
    ["without a seal", lines.toSpliced(4, 1, `{"n":5,"kind":"字字字字字字字"}\n`), "line 5"],
    ["blank", lines.toSpliced(4, 0, "\n"), "line 5"],
    ["headless", lines.slice(1), "the file doesn't begin with a header"],
  ];
  for (const [name, changed, words] of rows) {
    Deno.writeTextFileSync(path, changed.join(""));
    const error = await assertRejects(() => openSession(path, partsWith()), SessionError);
    assert(error.message.includes(words), `${name}: ${error.message}`);
  }
});

Deno.test("a file of a newer format is refused, also with repair, and left as it is", async () => {
  const { path, bytes } = await sampleSession();
  const text = new TextDecoder().decode(bytes).replace(`"version":1`, `"version":9`);
  Deno.writeTextFileSync(path, text);
  for (const repair of [false, true]) {
    const error = await assertRejects(
      () => openSession(path, partsWith(), { repair }),
      SessionError,
    );
    assertEquals(
      error.message,
      `Cannot read the session "${path}": it is of format 9 and this program reads up to 1: use a newer one`,
    );
  }
  assertEquals(Deno.readTextFileSync(path), text);
});

Deno.test("a write that fails or falls short leaves whole records and ends the log", async () => {
  for (const throws of [true, false]) {
    for (let at = 1; at <= 10; at++) {
      for (const taken of [0, 1, 17, 60]) {
        const path = `${tempFolder()}/s.jsonl`;
        const parts = partsWith(failingFiles({ at, taken, throws }));
        const start = () => createSession(path, header(), parts);
        if (at === 1) {
          assertThrows(start, SessionError, "Cannot write the session");
          assertEquals(Deno.readFileSync(path).length, 0);
          continue;
        }
        const { log } = start();
        const records = sampleRecords();
        for (const record of records.slice(0, at - 2)) log.append(record);
        assertThrows(
          () => log.append(records[at - 2]!),
          SessionError,
          `Cannot write the session "${path}"`,
        );
        // The disk has room again: what wasn't recorded still stops everything after it.
        assertThrows(() => log.append(records[at - 2]!), SessionError);
        await assertRejects(() => log.sync(), SessionError);
        log.close();
        const read = readLines(Deno.readFileSync(path));
        assertEquals([read.records.length, read.fault], [at - 1, undefined]);
      }
    }
  }
});

Deno.test("the first sync brings the name of a new file to the disk too, later ones need not", async () => {
  const path = `${tempFolder()}/s.jsonl`;
  const synced: string[] = [];
  const parts = {
    ...partsWith(),
    logFiles: {
      ...logFiles,
      syncFolderOf: (name: string) => {
        synced.push(name);
        return logFiles.syncFolderOf(name);
      },
    },
  };
  const { log } = createSession(path, header(), parts);
  assertEquals(synced, []);
  await log.sync();
  log.append({ kind: "user", text: "x" });
  await log.sync();
  log.close();
  const again = (await openSession(path, parts)).log;
  again.append({ kind: "user", text: "y" });
  await again.sync();
  again.close();
  assertEquals(synced, [path]);
});

Deno.test("a failed sync ends the log", async () => {
  const path = `${tempFolder()}/s.jsonl`;
  let fails = false;
  const { log } = createSession(path, header(), {
    ...partsWith(),
    logFiles: {
      ...logFiles,
      create: (name) => {
        const file = logFiles.create(name);
        const syncData = () => fails ? Promise.reject(new Error("EIO")) : file.syncData();
        return { ...file, syncData };
      },
    },
  });
  fails = true;
  log.append({ kind: "user", text: "x" });
  await assertRejects(() => log.sync(), SessionError, "Cannot bring the session");
  assertThrows(() => log.append({ kind: "user", text: "y" }), SessionError);
  log.close();
});

Deno.test("a second writer gets a clear error, and the file is free when the first closes", async () => {
  const path = `${tempFolder()}/s.jsonl`;
  const { log } = createSession(path, header(), partsWith());
  await assertRejects(
    () => openSession(path, partsWith()),
    SessionError,
    `Cannot use the session "${path}": another process is writing to it`,
  );
  log.close();
  (await openSession(path, partsWith())).log.close();
});

Deno.test("folders and files that can't be used give the cause", async () => {
  const folder = tempFolder();
  Deno.writeTextFileSync(`${folder}/file`, "");
  const rows: [string, string][] = [
    [`${folder}/file/s.jsonl`, `Cannot start a session "${folder}/file": `],
    [`${folder}/file`, `Cannot start a session "${folder}/file": it exists already`],
  ];
  for (const [path, words] of rows) {
    assertThrows(() => createSession(path, header(), partsWith()), SessionError, words);
  }
  await assertRejects(
    () => openSession(`${folder}/none`, partsWith()),
    SessionError,
    "doesn't exist",
  );
  await assertRejects(
    () => openSession(`${folder}/file`, partsWith()),
    SessionError,
    "it is empty",
  );
});

Deno.test("every prefix of a session opens, or says why not", async () => {
  const { path, bytes } = await sampleSession();
  const starts = lineStarts(bytes);
  for (let cut = 0; cut < bytes.length; cut += 7) {
    Deno.writeFileSync(path, bytes.subarray(0, cut));
    const whole = starts.filter((start) => start <= cut).length - 1;
    if (whole < 1) {
      await assertRejects(() => openSession(path, partsWith()), SessionError);
      continue;
    }
    const opened = await openSession(path, partsWith());
    opened.log.close();
    assertEquals(opened.records.length, whole);
    foldRecords(opened.records);
  }
});

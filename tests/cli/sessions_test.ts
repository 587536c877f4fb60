import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SessionError, UsageError } from "../../src/errors.ts";
import { sessionsCommand } from "../../src/cli/sessions.ts";
import type { World } from "../../src/cli/command.ts";
import { dataFolderOf, dataNameOf } from "../../src/session/find.ts";
import { createSession, openSession } from "../../src/session/log.ts";
import { createFiles } from "../../src/system/files.ts";
import { readSnapshot } from "../../src/tools/journal.ts";
import { commitChanges } from "../../src/tools/transaction.ts";
import {
  header,
  logFiles,
  message,
  partsWith,
  result,
  runCall,
  sampleRecords,
  tempFolder,
} from "../session/samples.ts";

const FIXTURE = new URL("../../fixtures/sessions/v1.jsonl", import.meta.url);
const ID = "20261201-020000-0a1b2c";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function worldIn(cwd: string): { world: World; said: { out: string; err: string } } {
  const said = { out: "", err: "" };
  const world = {
    files: createFiles(),
    logFiles,
    clock: partsWith().clock,
    env: {},
    cwd,
    stdout: (text: string) => void (said.out += text),
    stderr: (text: string) => void (said.err += text),
  } as unknown as World;
  return { world, said };
}

async function run(folder: string, ...argv: string[]): Promise<Ran> {
  const { world, said } = worldIn("/home/ada/calc");
  const code = await sessionsCommand([...argv, "--session-dir", folder], world);
  return { code, ...said };
}

/** A folder with the fixture and a newer session of elsewhere. */
function folderOfTwo(): string {
  const folder = tempFolder();
  Deno.copyFileSync(FIXTURE, `${folder}/${ID}.jsonl`);
  const { log } = createSession(`${folder}/20261202-z.jsonl`, header("20261202-z"), {
    logFiles,
    clock: { now: () => Date.UTC(2026, 11, 2) },
  });
  log.append({ kind: "user", text: "clear \u001b[2J screen" });
  log.close();
  return folder;
}

Deno.test("list shows the newest first, without control characters, or as JSON, or of this folder only", async () => {
  const folder = folderOfTwo();
  assertEquals((await run(folder, "list")).out.split("\n"), [
    "20261202-z  2026-12-02 00:00      2 records  project  clear \\u{1b}[2J screen",
    `${ID}  2026-12-01 02:00     16 records  calc  The tests fail: mend them. Größe 字 😀`,
    "",
  ]);
  assertEquals((await run(folder, "--here")).out.split("\n").length, 2);
  const [first] = (await run(folder, "list", "--json")).out.split("\n");
  assertEquals((JSON.parse(first!) as { records: number }).records, 2);
  const empty = await run(`${folder}/none`, "list");
  assertEquals([empty.code, empty.err], [0, `There is no session in "${folder}/none"\n`]);
});

Deno.test("show and export take the newest of this folder, and tell all that happened", async () => {
  const folder = folderOfTwo();
  const { code, out } = await run(folder, "show");
  assertEquals(code, 0);
  for (
    const words of [
      `# Session ${ID}`,
      "- Tokens: 1852 in, 137 out",
      "> Look before you leap.",
      "**run** (exit 2, 412 ms)",
      "'grep' '-n' 'minus' 'calc.c'",
      "**run** (exit 126, not permitted)",
      "> Violation (bad_arg): ",
      "> The model was told: Error (bad_arg)",
      "> Cancelled (esc)",
      "> Error: Cannot reach",
      "I have **mended** it:",
    ]
  ) assertStringIncludes(out, words);
  assertEquals((await run(folder, "export")).out, out);
});

Deno.test("a page holds nothing that runs, and everything that was said", async () => {
  const folder = tempFolder();
  const path = `${folder}/evil.jsonl`;
  const evil = `</pre><script>alert("1")</script><img src=x onerror='a'>&amp;\u0000\ud800`;
  const { log } = createSession(
    path,
    { ...header("evil"), model: evil, cwd: evil },
    partsWith(),
  );
  log.append({ kind: "user", text: evil });
  log.append({ kind: "call", call: { ...runCall("c1", evil), name: evil } });
  log.append(result("c1", `${evil}\n`.repeat(20)));
  log.append({ kind: "text", text: evil });
  log.append(message(evil));
  log.append({ kind: "error", message: evil });
  log.close();
  const { out } = await run(folder, "export", "evil", "--format", "html");
  const tags = new Set(Array.from(out.matchAll(/<\/?([a-z]+)/g), ([, name]) => name!));
  assertEquals([...tags].sort(), [
    "article",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "h",
    "head",
    "html",
    "meta",
    "p",
    "pre",
    "section",
    "span",
    "style",
    "summary",
    "time",
    "title",
  ]);
  assertEquals(/on\w+='|src=x(?! onerror=&)/.test(out), false);
  assertEquals(out.match(/&lt;script&gt;alert\(&quot;1&quot;\)/g)?.length, 27);
  assertStringIncludes(out, "Content-Security-Policy");
});

Deno.test("JSON holds the records and the turns they fold to; a file is written anew, for its owner alone", async () => {
  const folder = folderOfTwo();
  const path = `${folder}/out.json`;
  assertEquals((await run(folder, "export", ID, "--format", "json", "-o", path)).out, "");
  const { records, turns } = JSON.parse(Deno.readTextFileSync(path)) as Record<string, unknown[]>;
  assertEquals([records?.length, turns?.length], [16, 4]);
  assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
  await assertRejects(() => run(folder, "export", ID, "-o", path), Error, "it exists already");
  await assertRejects(
    () => run(folder, "export", ID, "--format", "pdf"),
    UsageError,
    "md, html and json",
  );
});

Deno.test("verify says whole or names the line; a damaged session is shown up to there", async () => {
  const folder = folderOfTwo();
  const path = `${folder}/${ID}.jsonl`;
  assertEquals((await run(folder, "verify", ID)).out, `"${path}" is whole: 16 records\n`);
  Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace("make test", "make best"));
  const { code, err } = await run(folder, "verify", ID);
  assertEquals(code, 1);
  assertStringIncludes(
    err,
    `Cannot trust line 4 of the session "${path}": its checksum doesn't fit`,
  );
  const shown = await run(folder, "show", ID);
  assertEquals([shown.code, shown.out.includes("Größe"), shown.out.includes("make")], [
    1,
    true,
    false,
  ]);
  assertStringIncludes(shown.err, "shown up to there");
});

Deno.test("wrong words are usage errors that help", async () => {
  const folder = tempFolder();
  await assertRejects(() => run(folder, "exprot"), UsageError, "did you mean export?");
  await assertRejects(() => run(folder, "show", "a", "b"), UsageError, "one session at a time");
  await assertRejects(() => run(folder, "show"), SessionError, "There is no session in");
  assertStringIncludes((await run(folder, "--help")).out, "sessions list | show");
});

Deno.test("undo puts back the edits of one message after another, and the session tells the model", async () => {
  const folder = tempFolder();
  const files = createFiles();
  const path = `${folder}/u.jsonl`;
  const store = dataFolderOf(path);
  const { log } = createSession(path, header("u"), partsWith());
  log.append({ kind: "user", text: "write" });
  /** One message with edits of the same file, as the tools keep them. */
  async function editMessage(...texts: string[]): Promise<void> {
    for (const [k, text] of texts.entries()) {
      const n = log.append({ kind: "call", call: { ...runCall(`c${k}`), name: "write_file" } });
      const target = `${folder}/file.txt`;
      const before = await readSnapshot(files, target);
      const after = { bytes: new TextEncoder().encode(text), mode: 0o644 } as const;
      const change = { path: "file.txt", target, before, after };
      await commitChanges(files, [change], { store, callId: dataNameOf({ n, id: `c${k}` }) });
      log.append(result(`c${k}`));
    }
    log.append(message("…"));
  }
  await editMessage("one");
  await editMessage("two", "three");
  for (const record of sampleRecords().slice(1)) log.append(record);
  log.close();
  const rows: [number, string | undefined][] = [[0, "one"], [0, undefined], [1, undefined]];
  for (const [code, text] of rows) {
    assertEquals((await run(folder, "undo", "u")).code, code);
    const now = await Deno.readTextFile(`${folder}/file.txt`).catch(() => undefined);
    assertEquals(now, text);
  }
  const opened = await openSession(path, partsWith());
  opened.log.close();
  const last = opened.records.at(-1);
  assert(last?.kind === "user" && last.text.includes("file.txt are as they were before"));
});

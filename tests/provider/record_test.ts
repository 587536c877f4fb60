import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ProviderError } from "../../src/errors.ts";
import { createRecorder, type RecorderOptions } from "../../src/provider/record.ts";
import { createReplayClient } from "../../src/provider/replay.ts";
import { createFiles } from "../../src/system/files.ts";
import { openRecordingFolder } from "../../src/system/recording_folder.ts";
import { FileError } from "../../src/system/system.ts";
import type { ScriptedAnswer } from "../scripted_server.ts";
import { BODY, chunk, drain, withServer } from "./client_world.ts";

const signal = new AbortController().signal;
const QUIET: RecorderOptions = { redact: (text) => text, onFailure() {} };

async function inTempFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("A replay of a recording gives the same deltas and the same end, cuts and oddities too", async () => {
  const script: ScriptedAnswer[] = [
    { status: 200, body: chunk("é你😀", "stop") + "data: [DONE]\n\n", cuts: [50, 51, 52] },
    { status: 200, body: chunk("par") },
    { status: 200, body: chunk("par", "length") },
    { status: 200, body: '{"error":{"message":"no"}}' },
    { status: 200, body: chunk("x", "stop") + "no field\n\ndata: [DONE]\n\n" },
  ];
  await inTempFolder(async (folder) => {
    const live: unknown[] = [];
    const recorder = createRecorder(openRecordingFolder(`${folder}/rec`), QUIET);
    await withServer(script, { recorder }, async (client) => {
      for (const _ of script) live.push(await drain(await client.openStream(BODY, signal)));
    });
    const replay = await createReplayClient(createFiles(), `${folder}/rec`);
    const again: unknown[] = [];
    for (const _ of script) again.push(await drain(await replay.openStream(BODY, signal)));
    assertEquals(again, live);
    await assertRejects(() => replay.openStream(BODY, signal), ProviderError, "has only 5 replies");
  });
});

Deno.test("A stream that was stopped is recorded as far as it was read", async () => {
  const script: ScriptedAnswer[] = [{ status: 200, body: chunk("a"), holdOpenMs: 60_000 }];
  await inTempFolder(async (folder) => {
    const recorder = createRecorder(openRecordingFolder(folder), QUIET);
    await withServer(script, { recorder }, async (client) => {
      const stream = await client.openStream(BODY, signal);
      await stream.next();
      stream.stop();
    });
    assertEquals(await Deno.readTextFile(`${folder}/0001.sse`), chunk("a"));
  });
});

Deno.test("The request is recorded beside the reply, without the key; files belong to their owner alone", async () => {
  // A quote looks otherwise once it's written as JSON.
  const key = 'sk-"secret';
  const good = { status: 200, body: chunk("a", "stop") };
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/0041.sse`, "");
    const recorder = createRecorder(openRecordingFolder(folder), {
      ...QUIET,
      redact: (text) => text.replaceAll(key, "***"),
    });
    const body = { ...BODY, messages: [{ role: "user", content: `my key is ${key}` }] };
    await withServer([good], { recorder, key }, async (client, server) => {
      await drain(await client.openStream(body, signal));
      const written = await Deno.readTextFile(`${folder}/0042.request.json`);
      assertEquals(JSON.parse(written), {
        url: `${server.url}/chat/completions`,
        body: { ...body, messages: [{ role: "user", content: "my key is ***" }] },
      });
    });
    const names = [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
    assertEquals(names, ["0041.sse", "0042.request.json", "0042.sse"]);
    assertEquals((await Deno.stat(`${folder}/0042.sse`)).mode! & 0o777, 0o600);
  });
});

Deno.test("A disk that doesn't take the recording is told once; the reply comes all the same", async () => {
  const failures: string[] = [];
  const folder = {
    names: () => [],
    create: () => {
      throw new Error("no space left");
    },
  };
  const recorder = createRecorder(folder, {
    redact: (text) => text,
    onFailure: (message) => failures.push(message),
  });
  const good: ScriptedAnswer = { status: 200, body: chunk("a", "stop"), repeat: true };
  await withServer([good], { recorder }, async (client) => {
    for (let i = 0; i < 2; i++) {
      assertEquals((await drain(await client.openStream(BODY, signal))).end.how, "complete");
    }
  });
  assertEquals(failures, ["Recording stopped: no space left"]);
});

Deno.test("A folder that can't be is an error that names it", async () => {
  assertThrows(
    () => openRecordingFolder("/dev/null/x"),
    FileError,
    'Cannot record to "/dev/null/x"',
  );
  await inTempFolder(async (folder) => {
    await assertRejects(
      () => createReplayClient(createFiles(), folder),
      ProviderError,
      "No recorded reply",
    );
    await assertRejects(
      () => createReplayClient(createFiles(), `${folder}/none`),
      ProviderError,
      `Cannot read the recording "${folder}/none"`,
    );
  });
});

Deno.test("Cancelling ends a replay too", async () => {
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/0001.sse`, chunk("a"));
    const replay = await createReplayClient(createFiles(), folder);
    const { end } = await drain(await replay.openStream(BODY, AbortSignal.abort()));
    assertEquals([end.how, end.cause], ["cut", "cancelled"]);
  });
});

import { assertEquals } from "@std/assert";
import { parseCommandLine } from "../../../src/cli/args.ts";
import { CHAT_SPEC } from "../../../src/cli/chat/chat.ts";
import { holdTalk } from "../../../src/cli/chat/talk.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { createLogFiles } from "../../../src/system/log_file.ts";
import type { GroupRequest } from "../../../src/system/system.ts";
import { type Stage, withStage } from "../agent_world.ts";
import { runs, says } from "./answers.ts";

const WHOLE_END = {
  exit: 0,
  signal: null,
  reason: "exited",
  backgroundLeft: false,
  ms: 1,
} as const;

/** Talks on a made-up terminal: `keys` are what is typed; `onWrite` sees what is drawn, `onCommand` what is run. */
async function talkOn(stage: Stage, parts: {
  readonly keys: AsyncIterable<Uint8Array>;
  readonly onWrite: (text: string) => void;
  readonly onCommand: (request: GroupRequest) => void;
}): Promise<number> {
  const parsed = parseCommandLine(
    [...stage.flags, "--provider=custom", "--model=m", "--sandbox=off"],
    CHAT_SPEC,
  );
  return await holdTalk(
    { wishes: { parsed, permissionWords: ["--allow-run"] }, choice: { kind: "new" } },
    {
      files: createFiles(),
      logFiles: createLogFiles(),
      processes: {
        runGroup(request) {
          parts.onCommand(request);
          return Promise.resolve(WHOLE_END);
        },
        killAll() {},
      },
      clock: createClock(),
      env: { PATH: "/usr/bin:/bin", HOME: stage.cwd },
      cwd: stage.cwd,
      readStdin: () => parts.keys,
      stdout() {},
      stderr() {},
      terminal: { stdin: true, stdout: true, stderr: true },
      signal: new AbortController().signal,
    },
    () => ({
      size: () => ({ columns: 80, rows: 24 }),
      keys: () => parts.keys,
      write: parts.onWrite,
      gone: new AbortController().signal,
      suspend() {},
      onResize() {},
      onResume() {},
      restore() {},
    }),
  );
}

Deno.test("What is said in front of a call is on the screen before its process is started", async () => {
  const said = ["I look.", "Again."];
  const answers = [says(`I look.\n${runs("make test")}`), says(`Again.\n${runs("make")}`)];
  await withStage([...answers, says("It is fine.")], async (stage) => {
    const keys = new TransformStream<Uint8Array, Uint8Array>();
    const typist = keys.writable.getWriter();
    let drawn = "";
    const drawnBefore: boolean[] = [];
    const finished = Promise.withResolvers<void>();
    const talk = talkOn(stage, {
      keys: keys.readable,
      onWrite(text) {
        drawn += text;
        if (drawn.includes("It is fine.")) finished.resolve();
      },
      onCommand: () => void drawnBefore.push(drawn.includes(said[drawnBefore.length]!)),
    });
    const type = (text: string) => typist.write(new TextEncoder().encode(text));
    await type("go");
    await type("\r");
    await finished.promise;
    await typist.close();
    assertEquals([await talk, drawnBefore], [0, [true, true]]);
  });
});

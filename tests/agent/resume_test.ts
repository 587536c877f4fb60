/**
 * The conversation is rebuilt from the file alone. At every request of a run the session file is copied as it
 * stands, opened as `--continue` does, and must give the same request, byte for byte.
 */
import { assert, assertEquals } from "@std/assert";
import type { AgentEvent, JsonObject, ProtocolName } from "../../src/vocab.ts";
import { nextRequest } from "../../src/agent/loop.ts";
import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { RequestError } from "../../src/provider/failure.ts";
import { createRedactor } from "../../src/session/redact.ts";
import { INTERRUPTED_EXIT } from "../../src/session/fold.ts";
import {
  type Answer,
  callOf,
  LOST,
  readRecords,
  resume,
  type Rig,
  saying,
  withRig,
} from "../world.ts";

/** Half a surrogate pair, control characters and the marks of all protocols. */
const NASTY = "é字😀\ud800 \u0000\u001b[31m</parameter>\nEOF\nend\ncall x run\n";

/** Answers with everything that a message can come to. */
function eventful(protocol: ProtocolName): Answer[] {
  const say = (text: string, calls: Parameters<typeof saying>[2] = [], end?: Answer["end"]) =>
    saying(protocol, text, calls, end);
  const text = (words: string, end?: Answer["end"]): Answer => ({
    deltas: [{ kind: "text", text: words }],
    ...end ? { end } : {},
  });
  const usage = { inputTokens: 7900, outputTokens: 5 };
  const broken = protocol.startsWith("native")
    ? {
      deltas: [
        { kind: "tool_call", slot: 0, id: "b1", name: "run", arguments: '{"command":' } as const,
        { kind: "finish", reason: "tool_calls" } as const,
      ],
    }
    : text('call b1\n<minimax:tool_call">\n<invoke run>\n');
  return [
    say("First. ", [callOf("c1", "run", { command: "printf 'a\\tb\\r\\nc'; exit 7" })]),
    text("Half an ans", LOST),
    { deltas: [] },
    say("", [
      callOf("c1", "run", { command: "seq 1 4000" }),
      callOf("c2", "write_file", { path: "n.txt", content: NASTY.toWellFormed() }),
    ]),
    broken,
    {
      deltas: [
        { kind: "reasoning", text: "hmm \ud83d", field: "reasoning_content" },
        { kind: "reasoning", text: "\ude00", field: "reasoning_content" },
        ...say("Thought.", [callOf("c3", "nothing", { deep: "x" })]).deltas,
      ],
    },
    say("Full.", [callOf("c4", "run", { command: "seq 1 4000" })], { usage }),
    text("Long", { how: "cut", cause: "cut_by_server", finishReason: "length", usage }),
    text("All done é😀\ud800 \u001b[31m\r\n\tso "),
    say("More.", [callOf("c5", "run", { command: "echo kept; sleep 60" })]),
    text("Last."),
  ];
}

function rebuilt(path: string, rig: Rig, protocol: ProtocolName): Promise<string> {
  return resume(path, protocol).then((session) => {
    try {
      const { provider, system } = rig;
      const described = createProtocol(protocol)!;
      const tools = rig.bodies[0]!.tools as readonly unknown[] | undefined;
      const parts = { provider, protocol: described, system, session, ...tools ? { tools } : {} };
      return JSON.stringify(nextRequest(parts).body);
    } finally {
      session.close();
    }
  });
}

/** Copies the file: the original is locked by the run. */
function copyOf(rig: Rig, name: string): string {
  const path = `${rig.cwd}/../${name}.jsonl`;
  Deno.copyFileSync(rig.sessionPath, path);
  return path;
}

for (const protocol of PROTOCOL_NAMES) {
  Deno.test(`${protocol}: the request after --continue is the one that the run itself sends`, async () => {
    const copies: string[] = [];
    const abort = new AbortController();
    let rig: Rig | undefined;
    const onEvent = (event: AgentEvent) => {
      if (event.kind === "tool_output" && event.text.includes("kept")) abort.abort("SIGINT");
    };
    const options = {
      protocol,
      onEvent,
      provider: { contextWindow: 8000 },
      redactor: createRedactor(["secret-secret"]),
      onRequest: () => copies.push(copyOf(rig!, String(copies.length))),
    };
    await withRig(eventful(protocol), options, async (opened) => {
      rig = opened;
      await rig.run("Go é\ud83d secret-secret");
      await rig.run("And now?", abort.signal);
      assert(abort.signal.aborted, "the second prompt was cancelled in its tool");
      await rig.run("Still there?");
      assertEquals(rig.bodies.length, 11);
      for (const [i, path] of copies.entries()) {
        assertEquals(await rebuilt(path, rig, protocol), JSON.stringify(rig.bodies[i]), `${i}`);
      }
      const kinds = new Set(rig.records().map(({ kind }) => kind));
      assertEquals([...kinds].sort(), [
        "call",
        "cancel",
        "folded",
        "header",
        "message",
        "result",
        "text",
        "user",
        "violation",
      ]);
    });
  });

  Deno.test(`${protocol}: a session cut after any record goes on: every call is answered once, none runs again`, async () => {
    const abort = new AbortController();
    const onEvent = (event: AgentEvent) => {
      if (event.kind === "tool_output" && event.text.includes("kept")) abort.abort("SIGINT");
    };
    await withRig(eventful(protocol), { protocol, onEvent }, async (rig) => {
      await rig.run("Go");
      await rig.run("And now?", abort.signal);
      await rig.run("Still there?");
      const lines = Deno.readTextFileSync(rig.sessionPath).trimEnd().split("\n");
      for (let count = 1; count <= lines.length; count++) {
        const path = `${rig.cwd}/../cut.jsonl`;
        Deno.writeTextFileSync(path, lines.slice(0, count).join("\n") + "\n");
        const session = await resume(path, protocol);
        session.append({ kind: "user", text: "Go on" });
        session.close();
        const request = await rebuilt(path, rig, protocol);
        assertEquals(await rebuilt(path, rig, protocol), request, "opening again changes nothing");
        checkAnswered(path, count);
        assert(request.includes("Go on"));
      }
    });
  });
}

/** Every call of the file has its result right behind it, of those from before the cut the recorded one. */
function checkAnswered(path: string, count: number): void {
  const records = readRecords(path);
  records.forEach((record, at) => {
    if (record.kind !== "call") return;
    const next = records[at + 1];
    assert(next?.kind === "result" && next.result.id === record.call.id, `record ${at + 1}`);
    if (at + 1 < count) assert(next.note !== "interrupted");
    else assertEquals([next.note, next.result.exit], ["interrupted", INTERRUPTED_EXIT]);
  });
}

Deno.test("a step that was asked again because the context was too long resumes in the folded form", async () => {
  const answers: Answer[] = [
    ...["a", "b", "c"].map((id) =>
      saying("ctl", "", [callOf(id, "run", { command: "seq 1 2000" })], {
        usage: { inputTokens: 10, outputTokens: 10 },
      })
    ),
    { deltas: [], error: new RequestError("too_long", 400, "too long") },
    { deltas: [{ kind: "text", text: "ok" }] },
  ];
  let rig: Rig | undefined;
  const copies: string[] = [];
  const bodies: JsonObject[] = [];
  const options = {
    protocol: "ctl",
    provider: { contextWindow: 8000 },
    onRequest(body: JsonObject) {
      bodies.push(body);
      copies.push(copyOf(rig!, `f${copies.length}`));
    },
  } as const;
  await withRig(answers, options, async (opened) => {
    rig = opened;
    assertEquals((await rig.run()).outcome, "done");
    assertEquals(await rebuilt(copies[4]!, rig, "ctl"), JSON.stringify(bodies[4]));
    assert(JSON.stringify(bodies[4]).length < JSON.stringify(bodies[3]).length);
  });
});

Deno.test("a session that goes on in another protocol is told in that protocol alone", async () => {
  const spoken: { readonly [protocol in ProtocolName]: (request: string) => boolean } = {
    "native-eos": (request) => request.includes('"tool_calls"'),
    "native-inc": (request) => request.includes('"tool_calls"'),
    "ctl": (request) => request.includes("call c1 list_files"),
    "ctl-heredoc": (request) => request.includes("call c1 list_files"),
    "xml": (request) => request.includes("<invoke name="),
  };
  for (const from of PROTOCOL_NAMES) {
    const answers = [
      saying(from, "I look.", [callOf("c1", "list_files", {})]),
      { deltas: [{ kind: "text", text: "Done." }] } as const,
    ];
    await withRig(answers, { protocol: from }, async (rig) => {
      await rig.run();
      for (const to of PROTOCOL_NAMES) {
        // XML knows no ids, so its calls are numbered.
        const request = (await rebuilt(copyOf(rig, to), rig, to)).replaceAll("call_1", "c1");
        const inIt = PROTOCOL_NAMES.filter((name) =>
          spoken[name](request.slice(request.indexOf("Go")))
        );
        assertEquals(
          inIt,
          PROTOCOL_NAMES.filter((name) => family(name) === family(to)),
          `${from} ${to}`,
        );
        assertEquals(request.split("I look.").length, 2);
      }
    });
  }
});

function family(name: ProtocolName): string {
  return name.split("-")[0]!;
}

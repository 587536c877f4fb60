import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ToolCall } from "../../src/vocab.ts";
import { createRedactor } from "../../src/session/redact.ts";
import { callOf, type Rig, type RigOptions, saying, withRig } from "../world.ts";

const ANSWER = { deltas: [{ kind: "text", text: "ok" }] } as const;

/** Runs one call; gives its result and all that was recorded of it. */
async function settled(
  call: ToolCall,
  options: RigOptions,
  prepare: (rig: Rig) => void = () => {},
): Promise<{ exit: number; output: string; notes: unknown[]; starts: number }> {
  let seen: { exit: number; output: string; notes: unknown[]; starts: number } | undefined;
  const protocol = "native-eos";
  await withRig([saying(protocol, "", [call]), ANSWER], { protocol, ...options }, async (rig) => {
    prepare(rig);
    await rig.run();
    const results = rig.records().flatMap((record) => record.kind === "result" ? [record] : []);
    assertEquals(rig.records().filter(({ kind }) => kind === "call").length, 1);
    assertEquals(results.length, 1);
    const { exit, output } = results[0]!.result;
    seen = {
      exit,
      output: output.replaceAll(rig.cwd, "HERE"),
      notes: results.map(({ note }) => note),
      starts: rig.events.filter(({ kind }) => kind === "tool_start").length,
    };
  });
  return seen!;
}

Deno.test("a call that can't run is answered with an exit and a sentence, and recorded once", async (t) => {
  const rows: {
    readonly title: string;
    readonly call: ToolCall;
    readonly flags?: readonly string[];
    readonly exit: number;
    readonly says: string;
    readonly note?: string;
  }[] = [
    {
      title: "unknown tool",
      call: callOf("c1", "shell", { command: "true" }),
      exit: 127,
      says: 'There is no tool "shell"; the tools are run, read_file,',
    },
    {
      title: "missing argument",
      call: callOf("c1", "write_file", { path: "a" }),
      exit: 2,
      says: 'The call was not run: argument "content" is missing.',
    },
    {
      title: "ill-typed argument",
      call: callOf("c1", "run", { command: 5 }),
      exit: 2,
      says: 'argument "command" must be a string, not 5',
    },
    {
      title: "unknown argument",
      call: callOf("c1", "run", { command: "true", shell: "zsh" }),
      exit: 2,
      says: 'there is no argument "shell"',
    },
    {
      title: "run without a flag",
      call: callOf("c1", "run", { command: "touch x" }),
      flags: [],
      exit: 126,
      says: "--allow-run",
      note: "denied",
    },
    {
      title: "a program that isn't listed",
      call: callOf("c1", "run", { command: "ls; touch x" }),
      flags: ["--allow-run=ls"],
      exit: 126,
      says: "--allow-run=touch",
      note: "denied",
    },
    {
      title: "a write outside of the working directory",
      call: callOf("c1", "write_file", { path: "../outside.txt", content: "x" }),
      flags: [],
      exit: 126,
      says: "--allow-write=",
      note: "denied",
    },
    {
      title: "a read outside of the working directory",
      call: callOf("c1", "read_file", { path: "/etc/passwd" }),
      flags: [],
      exit: 126,
      says: "--allow-read=/etc/passwd",
      note: "denied",
    },
    {
      title: "what is denied has no flag that allows it",
      call: callOf("c1", "write_file", { path: "keep.txt", content: "x" }),
      flags: ["-A", "--deny-write=keep.txt"],
      exit: 126,
      says: "Refused: ",
      note: "denied",
    },
    {
      title: "the agent's own files",
      call: callOf("c1", "write_file", { path: "../sessions/s.jsonl", content: "x" }),
      exit: 126,
      says: "Refused: ",
      note: "denied",
    },
  ];
  for (const { title, call, flags = ["-A"], exit, says, note } of rows) {
    await t.step(title, async () => {
      const seen = await settled(call, { flags });
      assertStringIncludes(seen.output, says);
      assert(seen.output.endsWith("\n"));
      assertEquals([seen.exit, seen.notes, seen.starts], [exit, [note], 1], seen.output);
    });
  }
});

Deno.test("a denial names no flag where none allows it", async () => {
  const call = callOf("c1", "write_file", { path: "keep.txt", content: "x" });
  const { output } = await settled(call, { flags: ["-A", "--deny-write=keep.txt"] });
  assert(!output.includes("(allowed by"), output);
});

Deno.test("what a person answers decides: once, no with a reason, another command", async (t) => {
  const call = callOf("c1", "run", { command: "echo asked" });
  const asked = (approval: Awaited<ReturnType<NonNullable<RigOptions["approve"]>>>) =>
    settled(call, { flags: [], approve: () => Promise.resolve(approval) });
  await t.step("once", async () => {
    assertEquals((await asked({ kind: "once" })).output, "asked\n");
  });
  await t.step("no", async () => {
    const { exit, output } = await asked({ kind: "no", reason: "not today" });
    assertEquals([exit, output], [126, "The user refused this call: not today\n"]);
  });
  await t.step("another command runs and is recorded as what ran", async () => {
    const answers = [saying("native-eos", "", [call]), ANSWER];
    const approve = () => Promise.resolve({ kind: "edit", command: "echo other" } as const);
    await withRig(answers, { protocol: "native-eos", flags: [], approve }, async (rig) => {
      await rig.run();
      const records = rig.records().flatMap((record) => record.kind === "call" ? [record] : []);
      assertEquals([records[0]!.call.arguments.command, records[0]!.ran], [
        "echo asked",
        "echo other",
      ]);
      assertStringIncludes(JSON.stringify(rig.bodies[1]), "other\\\\n".replace("\\\\", "\\"));
    });
  });
});

Deno.test("an edit of a file that may be neither read nor written is one question; a deny rule for reading holds", async () => {
  const call = callOf("c1", "edit_file", { path: "/tmp/nowhere.txt", old: "a", new: "b" });
  for (const [flags, exit] of [[[], 1], [["--deny-read=/tmp/nowhere.txt"], 126]] as const) {
    const asked: string[] = [];
    const result = await settled(call, {
      flags,
      approve({ access }) {
        asked.push(access.kind);
        return Promise.resolve({ kind: "once" });
      },
    });
    assertEquals([asked, result.exit], [["write"], exit]);
  }
});

Deno.test("a command that a person edited is judged again: a deny rule holds, an allowed one is printed anew", async (t) => {
  const call = callOf("c1", "run", { command: "echo asked | wc -c" });
  const edited = (command: string, flags: readonly string[]) =>
    settled(call, { flags, approve: () => Promise.resolve({ kind: "edit", command }) });
  await t.step("denied", async () => {
    const { exit, output } = await edited("rm -rf x", ["--deny-run=rm"]);
    assertEquals(exit, 126);
    assertStringIncludes(output, 'The user changed the command to "rm -rf x". Refused: ');
    assertEquals(output.includes("(allowed by"), false);
  });
  await t.step("denied behind a wrapper", async () => {
    assertEquals((await edited("env sh -c 'rm x'", ["--deny-run=rm"])).exit, 126);
  });
  await t.step("allowed", async () => {
    assertEquals((await edited("echo  'a b'", ["--allow-run=echo"])).output, "a b\n");
  });
  await t.step("neither: the person who wrote it has permitted it", async () => {
    assertEquals((await edited("printf x", ["--allow-run=echo"])).output, "x");
  });
});

Deno.test("an accepted command of a scoped list is recorded as it was printed anew", async () => {
  const call = callOf("c1", "run", { command: "echo $HOME  'a b'" });
  const answers = [saying("native-eos", "", [call]), ANSWER];
  await withRig(answers, { protocol: "native-eos", flags: ["--allow-run=echo"] }, async (rig) => {
    await rig.run();
    const [record] = rig.records().flatMap((record) => record.kind === "call" ? [record] : []);
    assert(record!.ran !== undefined && record!.ran.includes("'a b'"), record!.ran);
  });
});

Deno.test("long output is capped for the model and exact in its frame; secrets are masked everywhere", async () => {
  const seen = await settled(callOf("c1", "run", { command: "seq 1 3000" }), { outputCap: 4001 });
  assert(new TextEncoder().encode(seen.output).length <= 4001 + 200);
  assertStringIncludes(seen.output, "bytes");
  const redactor = createRedactor(["key-12345678"]);
  await withRig(
    [
      saying("ctl", "My key-12345678.", [callOf("c1", "run", { command: "echo key-12345678" })]),
      { deltas: [{ kind: "text", text: "It is key-1234" }, { kind: "text", text: "5678" }] },
    ],
    { protocol: "ctl", redactor },
    async (rig) => {
      const end = await rig.run("Use key-12345678");
      assertEquals(end.text, "It is [redacted]");
      const all = [Deno.readTextFileSync(rig.sessionPath), rig.events, rig.bodies];
      assertEquals(JSON.stringify(all).includes("key-12345678"), false);
    },
  );
});

Deno.test("output is cut at whole characters whatever the cap", async () => {
  for (const outputCap of [4001, 4002, 4003]) {
    const command = "i=0; while [ $i -lt 900 ]; do printf '字😀é'; i=$((i+1)); done";
    const { output } = await settled(callOf("c1", "run", { command }), { outputCap });
    assert(output.isWellFormed());
    assert(!output.includes("\ufffd"), output.slice(0, 100));
  }
});

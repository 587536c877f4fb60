import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { Confirmed, Delta, JsonObject, ToolCall } from "../../src/vocab.ts";
import { createTextReading, type Language } from "../../src/agent/reading.ts";
import { evalStarvationCommand } from "../../src/cli/eval_starvation.ts";
import { evalTruncationCommand } from "../../src/cli/eval_truncation.ts";
import { replayCommand } from "../../src/cli/replay.ts";
import { checkPrefixes, Unfaithful } from "../../src/eval/prefixes.ts";
import { executableAt, measureRecording, measureScript } from "../../src/eval/truncation.ts";
import { truncationCsv } from "../../src/eval/truncation_table.ts";
import { DEFAULT_LIMITS, type Transducer } from "../../src/protocol/protocol.ts";
import { runCommand } from "../cli/io.ts";
import { sharedData } from "../shared_data.ts";

const CALLS: readonly ToolCall[] = [
  { id: "a", name: "run", arguments: { command: "ls" }, values: "text" },
  { id: "b", name: "run", arguments: { command: 'echo "ö{[\\" é' }, values: "text" },
];

/** A reader that is wrong in one way: what it makes of all that has come so far. */
function wrongLanguage(read: (text: string, isEnd: boolean) => readonly Confirmed[]): Language {
  return {
    createTransducer(): Transducer {
      let raw = "";
      return {
        push(delta: Delta) {
          if (delta.kind === "text") raw += delta.text;
          return read(raw, false);
        },
        end: () => read(raw, true),
        pending: 0,
        keptText: "",
      };
    },
  };
}

function ready(args: JsonObject): Confirmed {
  return { kind: "ready", call: { id: "a", name: "run", arguments: args, values: "json" }, at: 0 };
}

/** The text with runs of spaces as one. */
function squeeze(text: string): string {
  return text.replace(/ +/g, " ");
}

function check(language: Language, text: string) {
  return checkPrefixes({
    bytes: new TextEncoder().encode(text),
    framing: 0,
    open: () => createTextReading(language, DEFAULT_LIMITS, { eager: true }),
  });
}

Deno.test("the check finds a reader that repairs what a cut left open", () => {
  const repairing = wrongLanguage((text, isEnd) =>
    isEnd && text.startsWith("{") ? [ready({ repaired: text })] : []
  );
  assertThrows(() => check(repairing, '{"a":1}'), Unfaithful, "S1 fails on the prefix of 1 bytes");
});

Deno.test("the check finds a reader that takes text back", () => {
  const whole = wrongLanguage((text) => text === "abc" ? [{ kind: "text", text: "abc" }] : []);
  assertEquals(check(whole, "abc").prefixes, 3);
  const hasty = wrongLanguage((text) => [{ kind: "text", text: text.length < 3 ? "?" : "!" }]);
  assertThrows(() => check(hasty, "abc"), Unfaithful, "S2 fails");
  let reads = 0;
  const fickle = wrongLanguage(() => [{ kind: "text", text: `${reads++}` }]);
  assertThrows(() => check(fickle, "abc"), Unfaithful, "S2 fails");
});

Deno.test("the check finds a reader that depends on how its input was cut", () => {
  const language: Language = {
    createTransducer(): Transducer {
      let pushes = 0;
      return {
        push: () => ++pushes === 2 ? [ready({})] : [],
        end: () => [],
        pending: 0,
        keptText: "",
      };
    },
  };
  assertThrows(() => check(language, "abcd"), Unfaithful, "S2 fails on the prefix of 2 bytes");
});

Deno.test("calls become executable one by one in CTL and JSON objects, at the end in the others", () => {
  const rows = measureScript("two", { text: "Né {\n", calls: CALLS });
  assertEquals(rows.map((row) => [row.way, row.calls, row.reencoded]), [
    ["ctl", 2, true],
    ["ctl-heredoc", 2, true],
    ["json-object", 2, true],
    ["json-whole", 2, true],
    ["xml", 2, true],
  ]);
  assertEquals(rows.map((row) => executableAt(row, 75)), [1, 1, 1, 0, 0]);
  assertEquals(rows.map((row) => executableAt(row, 100)), [2, 2, 2, 2, 2]);
  assertEquals(truncationCsv(rows).split("\n").length, 7);
});

Deno.test("a recording whose calls stand in its text is read in the protocol of these", () => {
  const said = "Look:\ncall c1 run\narg command ls\nend\ncall c2 run\narg command pwd\nend\n";
  const chunks = said.match(/[^]{1,5}/g)!.map((content) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
  );
  const rows = measureRecording(
    "r",
    new TextEncoder().encode(chunks.join("") + "data: [DONE]\n\n"),
  );
  assertEquals(rows.map((row) => [row.way, row.reencoded, row.calls]), [
    ["ctl", true, 2],
    ["ctl-heredoc", true, 2],
    ["json-object", true, 2],
    ["json-whole", true, 2],
    ["xml", true, 2],
    ["ctl", false, 2],
  ]);
  assertEquals(executableAt(rows.at(-1)!, 75), 1);
});

Deno.test("eval starvation prints both tables and writes CSV and a chart", async () => {
  const cwd = await Deno.makeTempDir();
  const argv = ["--csv", "a.csv", "--svg", "a.svg"];
  const { stdout } = await runCommand(evalStarvationCommand, argv, { cwd });
  assertMatch(squeeze(stdout), /^ctl .* 2 .* 8$/m);
  assertMatch(
    squeeze(stdout),
    /^json-whole 31934 0 0 0 0 0 0 0 0 0 8$/m,
  );
  assertMatch(squeeze(stdout), /^\d{6} prefixes tried/m);
  assertMatch(await Deno.readTextFile(`${cwd}/a.csv`), /^way,bytes,percent,executable,pending\n/);
  assertMatch(await Deno.readTextFile(`${cwd}/a.svg`), /^<svg [^]*<\/svg>\n$/);
  await Deno.remove(cwd, { recursive: true });
});

const corpus = sharedData("corpus/sse/");

if (corpus) {
  Deno.test("no prefix of a recorded stream has a call that the whole stream hasn't", async () => {
    const cwd = await Deno.makeTempDir();
    // The longest recording has no call and is left to the command line.
    const folders = [...Deno.readDirSync(corpus)].map((entry) => entry.name).sort()
      .filter((name) => name !== "gpustack");
    const paths = folders.map((name) => new URL(name, corpus).pathname);
    const argv = [...paths, "--csv", "c.csv", "--svg", "c.svg"];
    const { stdout } = await runCommand(evalTruncationCommand, argv, { cwd });
    assertEquals(stdout.includes("Left out"), false);
    console.log(stdout.trimEnd().split("\n").at(-1));
    assertMatch(squeeze(stdout), /^\d{7} prefixes tried, \d{6} of them read afresh and cut/m);
    assertMatch(squeeze(stdout), /^native-eos recorded .* 0 0 0 0 100 100 %$/m);
    await Deno.remove(cwd, { recursive: true });
  });

  Deno.test("replay --cuts prints the table of one recording", async () => {
    const path = new URL("sglang/kimi-k2-instruct-multipletoolcall.sse", corpus).pathname;
    const { stdout } = await runCommand(replayCommand, [path, "--cuts"]);
    assertMatch(squeeze(stdout), /^\/.*\.sse ctl re-encoded 125 2 /m);
    assertMatch(squeeze(stdout), /^\/.*\.sse native-inc recorded 5433 2 /m);
  });
}

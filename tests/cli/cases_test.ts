/** The public bug reports of areas A, B, F, H and J as a person meets them: the whole agent against a server that plays them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calls, says, withStage } from "./agent_world.ts";
import {
  cases,
  checkExpected,
  checkRequest,
  play,
  type Played,
  PROTOCOLS,
  toolMessages,
  troubles,
  typed,
} from "./case_player.ts";

/** Cases whose expectations say all, under both native protocols. */
const PLAIN = [
  ["A01"],
  ["A02"],
  ["A04"],
  ["A06"],
  ["A07"],
  ["A09"],
  ["A11"],
  ["A12", "stream.sse"],
  ["A12", "stream_event.sse"],
  ["A14"],
  ["A14", "http_variant.json"],
  ["A19"],
  ["A21"],
  ["A22"],
  ["A22", "http_variant.json"],
  ["A26"],
  ["A29"],
  ["B02"],
  ["B04"],
  ["B07"],
  ["B09"],
  ["B10"],
  ["B12"],
  ["B14"],
  ["B15"],
  ["B20"],
  ["B32"],
  ["B34"],
  ["H02"],
  ["H05"],
  ["J08"],
] as const;

/** Cases with a test of their own: below, in program_test.ts and bad_input_test.ts (a process of its own), in tests/session/cases_test.ts. */
const ELSEWHERE = [
  ..."A16 A17 B05 B17 B19 B22 B24 B25 B27 B29 B30 F17 H03 H07 J01".split(" "),
  ..."F09 H08 H10 H12 H13 H15 H20 J03".split(" "),
  ..."F01 F02 F04 F12 F14".split(" "),
];

/** What some cases ask for besides. */
const MORE: { readonly [id: string]: (played: Played) => void } = {
  A14: ({ stage }) => assertEquals(stage.server.requests.length, 1),
  A19: ({ ran }) => assertEquals(typed(ran, "wait").map(({ seconds }) => seconds), [2, 2]),
  A22: ({ stage }) => assertEquals([...Deno.readDirSync(stage.cwd)], []),
  A26: ({ ran }) => assertStringIncludes(String(ran.events.at(-1)!.message), "bytes"),
  B20: ({ messages }) => checkRequest(messages(2)),
  B09: ({ messages }) => checkRequest(messages(2)),
  B15: ({ ran }) => assertStringIncludes(String(troubles(ran)[0]!.output), '"content" is missing'),
  B12: ({ messages }) => assertStringIncludes(JSON.stringify(messages(2)), "bad_json"),
  J08: ({ ran }) =>
    assertEquals(typed(ran, "end")[0]!.usage, { input_tokens: 10, output_tokens: 3 }),
  H05: ({ ran }) =>
    assertEquals([ran.events.at(-1)!.outcome, ran.stdout.includes("503")], ["done", true]),
};

if (cases) {
  const folder = cases;
  for (const protocol of PROTOCOLS) {
    for (const [id, file] of PLAIN) {
      Deno.test(`${protocol}: the agent does what report ${id}${file ? ` (${file})` : ""} asks for`, () =>
        play(id, { protocol, ...file ? { file } : {} }, (played) => {
          checkExpected(played);
          MORE[id]?.(played);
        }));
    }

    Deno.test(`${protocol}: A16: a web page is an error that names it, a plain completion is used`, async () => {
      await play("A16", { protocol }, ({ ran }) => {
        assertEquals([ran.exit, ran.events.at(-1)!.outcome], [4, "provider_error"]);
        assertStringIncludes(String(ran.events.at(-1)!.message), "text/html");
      });
      await play("A16", { protocol, file: "http_variant.json" }, ({ ran }) => {
        assertEquals([ran.exit, ran.events.at(-1)!.text], [0, "plain"]);
      });
    });

    Deno.test(`${protocol}: B05: arguments that are several objects run none of them`, () =>
      play("B05", { protocol }, ({ ran, messages }) => {
        assertEquals([typed(ran, "tool_start"), troubles(ran).length], [[], 1]);
        checkRequest(messages(2));
      }));

    Deno.test(`${protocol}: B15: an empty text that is given is written`, () =>
      play("B15", { protocol, file: "stream_empty.sse" }, ({ stage }) => {
        assertEquals(Deno.readTextFileSync(`${stage.cwd}/keep.txt`), "");
      }));

    for (const id of ["B17", "B19"]) {
      Deno.test(`${protocol}: ${id}: what is wrong in JSON is run nowhere and told`, () =>
        play(id, { protocol }, ({ ran, messages }) => {
          assertEquals([ran.exit, typed(ran, "tool_start").length, troubles(ran).length], [
            0,
            0,
            1,
          ]);
          checkRequest(messages(2));
        }));
    }

    Deno.test(`${protocol}: B24, B25: reasoning goes back to the server that wants it, to no other`, async () => {
      const assistant = (played: Played) =>
        played.messages(2).find(({ role }) => role === "assistant")!;
      const flags = ["-A", "--provider=deepseek"];
      const env = { DEEPSEEK_API_KEY: "sk-0123456789" };
      await play("B24", { protocol, flags, env }, (played) => {
        const message = assistant(played);
        assertEquals(message.reasoning_content, "look at the file");
        assertEquals((message.tool_calls as unknown[]).length, 1);
      });
      await play("B25", { protocol }, (played) => {
        const message = assistant(played);
        assertEquals([message.reasoning_content, message.reasoning], [undefined, undefined]);
        assertEquals(
          typed(played.ran, "reasoning").map(({ text }) => text).join(""),
          "look at the file",
        );
      });
    });

    Deno.test(`${protocol}: B27: a turn that only calls goes out with null`, () =>
      play("B27", { protocol }, ({ ran, messages }) => {
        assertEquals(ran.exit, 0);
        assertEquals(messages(2).find(({ role }) => role === "assistant")!.content ?? null, null);
      }));

    Deno.test(`${protocol}: B29: ids that come again are made new, the pairs stay together`, () =>
      play("B29", { protocol }, ({ messages }) => {
        checkRequest(messages(3));
        const contents = toolMessages(messages(3)).map(({ content }) => String(content));
        assertEquals(contents.map((text) => /(one|two)\.txt/.exec(text)?.[1]), ["one", "two"]);
      }));

    Deno.test(`${protocol}: B30: two calls with one id in a message have two results`, () =>
      play("B30", { protocol }, ({ messages }) => {
        checkRequest(messages(2));
        const contents = toolMessages(messages(2)).map(({ content }) => String(content));
        assertEquals(contents.map((text) => /AAA|BBB/.exec(text)?.[0]), ["AAA", "BBB"]);
      }));
  }

  Deno.test("no report of areas A, B, F, H and J is left out", () => {
    const all = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
      /^[ABFHJ]\d/.test(name)
    );
    assertEquals(new Set([...PLAIN.map(([id]) => id), ...ELSEWHERE]), new Set(all));
  });

  Deno.test("B22: output is cut at whole characters, and the next request is well-formed", async () => {
    const command = Deno.readTextFileSync(new URL("B22/cmd.sh", folder));
    for (const cap of [4001, 4002, 4003]) {
      await withStage([calls(["run", { command }]), says("ok")], async (stage) => {
        const argv = ["--json", "--protocol=native-eos", "-A", `--tool-out-cap=${cap}`, "Go"];
        const { events } = await stage.run(argv);
        const [result] = events.filter(({ type }) => type === "tool_result");
        const sent = JSON.stringify(stage.server.requests[1]!.body);
        assert(String(result!.output).isWellFormed() && !sent.includes("\ufffd"));
        assert(!/\\ud[89a-f]/i.test(sent));
        assertStringIncludes(sent, "🌍");
      });
    }
  });

  Deno.test("A17: silence is a cut, asked again, in the end an error", () =>
    play("A17", { flags: ["-A", "--idle-timeout=1"] }, ({ ran, stage }) => {
      const last = ran.events.at(-1)!;
      assertEquals([last.outcome, stage.server.requests.length], ["provider_error", 4]);
      assertStringIncludes(String(last.message), "sent nothing for 1 s");
    }));

  Deno.test("F17: the key is in no session and no event, also when a command prints it", () =>
    play("F17", { env: { CST_API_KEY: "fake-key-000-000" } }, ({ ran, stage, messages }) => {
      const seen = [ran.stdout, ran.stderr, Deno.readTextFileSync(stage.sessionPath())];
      assertEquals(seen.map((text) => text.includes("fake-key-000-000")), [false, false, false]);
      assertStringIncludes(JSON.stringify(messages(2)), "[redacted]");
      assertEquals(Deno.statSync(stage.sessionPath()).mode! & 0o777, 0o600);
    }));

  Deno.test("H03: a session that isn't there is an error event, and nothing is sent", () =>
    play("H03", { flags: ["-A", "--session=00000000-none"] }, ({ ran, stage }) => {
      assertEquals(ran.events.map(({ type }) => type), ["schema", "outcome"]);
      const { outcome, exit, message } = ran.events[1]!;
      assertEquals([outcome, exit, ran.exit], ["session_error", 3, 3]);
      assertStringIncludes(String(message), "00000000-none");
      assertStringIncludes(ran.stderr, String(message));
      assertEquals(stage.server.requests.length, 0);
    }));

  Deno.test("H07: a refused call is counted, named with its flag, and has its own exit code", () =>
    play("H07", { flags: [] }, ({ ran, stage }) => {
      const last = ran.events.at(-1)!;
      assertEquals([last.outcome, last.denied, ran.exit], ["refused", 1, 6]);
      const [result] = typed(ran, "tool_result");
      assertEquals(result!.exit, 126);
      assertStringIncludes(String(result!.output), "--allow-run=touch");
      assertEquals([...Deno.readDirSync(stage.cwd)], []);
    }));

  Deno.test("J01: the first line names the schema and its version", () =>
    play("J01", {}, ({ ran }) => {
      assertEquals(ran.events[0], { type: "schema", schema: "cst-agent.events", version: 1 });
    }));
}

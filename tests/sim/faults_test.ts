import { assertEquals, assertThrows } from "@std/assert";
import { ConfigError } from "../../src/errors.ts";
import type { ProtocolName } from "../../src/vocab.ts";
import { type FaultRule, parseFaults, PUBLISHED_FAULTS } from "../../src/sim/faults.ts";
import { parsePlan } from "../../src/sim/plan.ts";
import type { SimOptions } from "../../src/sim/options.ts";
import { type Answer, ask, withSim } from "./ask.ts";

const CONTENT = "one\ntwo\narg x 5\nthree\n";
const plan = parsePlan(
  JSON.stringify({
    steps: [
      {
        text: "First.",
        calls: [
          { name: "write_file", arguments: { path: "a.txt", content: CONTENT } },
          { name: "run", arguments: { command: "cat a.txt" } },
        ],
      },
      { text: "Done." },
    ],
  }),
  "plan.json",
);
const user = { role: "user", content: "Do it" };

/** The answer of a model on which `rule` strikes, and the faults that its log names. */
async function struck(
  rule: FaultRule,
  protocol: ProtocolName,
  more: Partial<SimOptions> & { messages?: readonly unknown[] } = {},
): Promise<{ answer: Answer; notes: string[] }> {
  const faults = { repair: 1, giveUpAfter: 3, rules: [rule] };
  const native = protocol.startsWith("native") ? { tools: [{}] } : {};
  let got: { answer: Answer; notes: string[] } | undefined;
  await withSim({ plan, protocol, faults, ...more }, async (sim) => {
    const answer = await ask(sim, more.messages ?? [user], native);
    const notes = sim.log.flatMap((entry) => entry.kind === "fault" ? [entry.note] : []);
    got = { answer, notes };
  });
  return got!;
}

Deno.test("a miscounted length is too small or too large, and only headers are touched", async () => {
  for (const tooSmall of [0, 1]) {
    const rule: FaultRule = { kind: "miscounted_length", rate: 1, tooSmall };
    const { answer, notes } = await struck(rule, "ctl");
    const declared = Number(/^arg content (\d+)$/m.exec(answer.text)?.[1]);
    assertEquals(tooSmall === 1 ? declared < 22 : declared > 22, true, String(declared));
    assertEquals(answer.text.includes(CONTENT), true);
    assertEquals(notes, [`argument "content": ${declared} bytes declared, 22 written`]);
  }
});

Deno.test("a broken tag is a spoiled opening in xml and an indented closing line in ctl-heredoc", async () => {
  const xml = await struck({ kind: "broken_tag", rate: 1 }, "xml");
  assertEquals(xml.answer.text.includes('<minimax:tool_call">'), true);
  assertEquals(xml.notes, ['opening tag written as <minimax:tool_call">']);
  const heredoc = await struck({ kind: "broken_tag", rate: 1 }, "ctl-heredoc");
  const tag = /arg content <<(\w+)\n/.exec(heredoc.answer.text)?.[1];
  assertEquals(heredoc.answer.text.includes(`\n  ${tag}\n`), true, heredoc.answer.text);
  assertEquals(heredoc.answer.text.includes(`\n${tag}\n`), false);
});

Deno.test("an unescaped newline makes the arguments of a native call no JSON", async () => {
  const { answer, notes } = await struck({ kind: "unescaped_newline", rate: 1 }, "native-inc");
  assertThrows(() => JSON.parse(answer.calls[0]!.arguments), SyntaxError);
  assertEquals(
    answer.calls[0]!.arguments.replace("\n", "\\n"),
    JSON.stringify({ path: "a.txt", content: CONTENT }),
  );
  assertEquals(JSON.parse(answer.calls[1]!.arguments), { command: "cat a.txt" });
  assertEquals(notes, ["newline in JSON left unescaped"]);
});

Deno.test("an invented result stands between the first call and the others", async () => {
  for (const protocol of ["ctl", "ctl-heredoc", "xml"] as const) {
    const { answer } = await struck({ kind: "invented_result", rate: 1 }, protocol);
    const at = answer.text.indexOf("That went well.");
    assertEquals(answer.text.indexOf("write_file") < at, true);
    assertEquals(answer.text.indexOf("cat a.txt") > at, true);
  }
  const { answer } = await struck({ kind: "invented_result", rate: 1 }, "native-eos");
  assertEquals(answer.text, "First.\nresult s1c1 exit=0 3\nok\nend\nThat went well.\n");
  assertEquals(answer.calls.map((call) => call.name), ["write_file", "run"]);
});

Deno.test("truncation, a dropped connection and a stall cut after the tokens that the rule names", async () => {
  const rows = [
    ["truncation", { text: "First.\ncall ", finish: "length", done: true, broken: false }],
    ["dropped_connection", { text: "First.\ncall ", finish: null, done: false, broken: true }],
    ["stall", { text: "First.\ncall ", finish: null, done: false, broken: true }],
  ] as const;
  for (const [kind, expected] of rows) {
    const rule: FaultRule = { kind, rate: 1, afterTokens: 3, seconds: 0.05 };
    const { answer, notes } = await struck(rule, "ctl");
    const { text, finish, done, broken } = answer;
    assertEquals({ text, finish, done, broken }, expected, kind);
    assertEquals(notes.length, 1);
  }
});

Deno.test("a rate limit and a server error refuse the request by status", async () => {
  const limited = await struck({ kind: "rate_limit", rate: 1, seconds: 7 }, "ctl");
  assertEquals([limited.answer.status, limited.notes], [429, ["status 429"]]);
  const failed = await struck({ kind: "server_error", rate: 1 }, "ctl");
  assertEquals([failed.answer.status, failed.notes], [500, ["status 500"]]);
});

Deno.test("an empty reply has neither text nor calls", async () => {
  const { answer } = await struck({ kind: "empty_reply", rate: 1 }, "native-eos");
  const { text, calls, finish, done } = answer;
  assertEquals({ text, calls, finish, done }, { text: "", calls: [], finish: "stop", done: true });
});

Deno.test("a call in the wrong protocol stands in the text", async () => {
  for (const protocol of ["native-eos", "native-inc", "ctl", "ctl-heredoc"] as const) {
    const { answer } = await struck({ kind: "wrong_protocol", rate: 1 }, protocol);
    assertEquals([answer.text.includes("<minimax:tool_call>"), answer.calls], [true, []]);
  }
  const { answer } = await struck({ kind: "wrong_protocol", rate: 1 }, "xml");
  assertEquals(answer.text.includes("call s1c1 write_file\n"), true);
});

Deno.test("two calls share one id", async () => {
  const native = await struck({ kind: "duplicate_id", rate: 1 }, "native-inc");
  assertEquals(native.answer.calls.map((call) => call.id), ["s1c1", "s1c1"]);
  const { answer } = await struck({ kind: "duplicate_id", rate: 1 }, "ctl");
  assertEquals(answer.text.match(/^call .*$/gm), ["call s1c1 write_file", "call s1c1 run"]);
});

Deno.test("a complaint cures the fault with the chance that is set, and too many make the model give up", async () => {
  const rule: FaultRule = { kind: "broken_tag", rate: 1 };
  const complaint = [{ role: "assistant", content: "First." }, { role: "user", content: "Bad." }];
  const rows: [string, number, number, boolean, string][] = [
    ["no complaint yet", 1, 0, true, "First."],
    ["repaired", 1, 1, false, "First."],
    ["never repaired", 0, 1, true, "First."],
    ["given up", 1, 3, false, "I give up: 3 of my messages in a row were not understood."],
  ];
  for (const [title, repair, times, broken, start] of rows) {
    const faults = { repair, giveUpAfter: 3, rules: [rule] };
    const messages = [user, ...Array.from({ length: times }, () => complaint).flat()];
    const { answer } = await struck(rule, "xml", { faults, messages });
    assertEquals(
      [answer.text.includes('tool_call">'), answer.text.startsWith(start)],
      [broken, true],
      title,
    );
  }
});

Deno.test("a retry draws anew, and the same seed draws the same", async () => {
  const statuses = async (seed: string) => {
    const seen: number[] = [];
    const faults = { repair: 1, giveUpAfter: 3, rules: [{ kind: "server_error", rate: 0.5 }] };
    await withSim({ plan, seed, faults: faults as SimOptions["faults"] }, async (sim) => {
      for (let i = 0; i < 12; i++) seen.push((await ask(sim, [user])).status);
    });
    return seen;
  };
  const first = await statuses("a");
  assertEquals(new Set(first), new Set([200, 500]));
  assertEquals(await statuses("a"), first);
});

Deno.test("the published rates are those of the table, to within chance", async () => {
  const seen = { miscounted: 0, tags: 0 };
  const rounds = 200;
  await withSim({ plan, faults: PUBLISHED_FAULTS }, async (sim) => {
    for (let i = 0; i < rounds; i++) {
      const ctl = await ask(sim, [user], { model: "sim-ctl" });
      if (!ctl.text.includes("arg content 22\n")) seen.miscounted++;
      const xml = await ask(sim, [user], { model: "sim-xml" });
      if (xml.text.includes('tool_call">')) seen.tags++;
    }
  });
  // The seed is fixed, so this can't flicker; four standard deviations are allowed.
  assertEquals(Math.abs(seen.miscounted / rounds - 28 / 33) < 0.11, true, `${seen.miscounted}`);
  assertEquals(Math.abs(seen.tags / rounds - 21 / 68) < 0.14, true, `${seen.tags}`);
});

Deno.test("parseFaults() names the rule that is wrong", () => {
  const rows = [
    ["[", 'Cannot read the faults "f.json": it is not JSON'],
    ['{"rate":1}', 'Cannot read the faults "f.json": unknown field "rate"'],
    [
      '{"rules":[{"kind":"stall","rate":2}]}',
      'Cannot read rule 1 of "f.json": "rate" is a share from 0 to 1',
    ],
    [
      '{"rules":[{"kind":"stall","rate":1,"protocols":["clt"]}]}',
      'Cannot read rule 1 of "f.json": "protocols" is a list of native-eos, native-inc, ctl,',
    ],
    [
      '{"rules":[{"kind":"stall","rate":1,"protocols":"ctl"}]}',
      'Cannot read rule 1 of "f.json": "protocols" is a list of native-eos, native-inc, ctl,',
    ],
  ] as const;
  for (const [text, message] of rows) {
    assertThrows(() => parseFaults(text, "f.json"), ConfigError, message);
  }
});

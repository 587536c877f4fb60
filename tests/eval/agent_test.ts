import { assert, assertEquals } from "@std/assert";
import type { JsonObject, ProtocolName } from "../../src/vocab.ts";
import { createRunAgent } from "../../src/cli/eval_agent.ts";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { type AgentTask, attempt, type Bench } from "../../src/eval/attempt.ts";
import { type Fixture, readFixture } from "../../src/eval/fixture.ts";
import type { Row } from "../../src/eval/row.ts";
import type { FaultPlan, FaultRule } from "../../src/sim/faults.ts";
import { writeText } from "../../src/system/folders.ts";
import { withWorld } from "./bench.ts";

/** A task of three messages with two calls that must each run once and in order. */
const PLAN: {
  steps: { text: string; calls?: { name: string; arguments: JsonObject }[] }[];
} = {
  steps: [
    {
      text: "I write the file and look at it.",
      calls: [
        {
          name: "write_file",
          arguments: { path: "list.txt", content: "one\ntwo\nthree\nfour\nfive\n" },
        },
        { name: "run", arguments: { command: "cat list.txt >> log.txt" } },
      ],
    },
    {
      text: "One line more.",
      calls: [
        {
          name: "apply_patch",
          arguments: {
            patch: "--- a/list.txt\n+++ b/list.txt\n@@ -1,3 +1,4 @@\n one\n two\n+2½\n three\n",
          },
        },
        { name: "run", arguments: { command: "cat list.txt >> log.txt" } },
      ],
    },
    { text: "The list has six lines." },
  ],
};
const CHECK = `set -e
[ "$(wc -l < list.txt)" -eq 6 ]
[ "$(wc -l < log.txt)" -eq 11 ]
`;

/** One run of the real agent: its row and the calls that were started, in order. */
interface Ran {
  readonly row: Row;
  readonly calls: readonly { name: string; arguments: JsonObject }[];
}

/** Gives `use` a way to run the task with faults; waits of the agent are cut short, so that retries cost nothing. */
async function withAgent(
  use: (
    run: (protocol: ProtocolName, faults: FaultPlan, seed?: string) => Promise<Ran>,
  ) => Promise<void>,
): Promise<void> {
  await withWorld(async (test) => {
    const clock = {
      ...test.world.clock,
      sleep: (ms: number, signal?: AbortSignal) =>
        test.world.clock.sleep(ms >= 100 && ms < 60_000 ? 1 : ms, signal),
    };
    await writeText(`${test.folder}/list/TASK.md`, "Make a list\n");
    await writeText(`${test.folder}/list/check.sh`, CHECK);
    await writeText(`${test.folder}/list/plan.json`, JSON.stringify(PLAN));
    const fixture: Fixture = await readFixture(`${test.folder}/list`);
    await use(async (protocol, faults, seed = "1") => {
      const calls: { name: string; arguments: JsonObject }[] = [];
      const agent = createRunAgent({ ...test.world, clock });
      const bench: Bench = {
        ...test.bench,
        out: `${test.folder}/out`,
        sim: { ...test.bench.sim, faults, seed },
        runAgent: (task: AgentTask) =>
          agent({
            ...task,
            listen(event) {
              if (event.kind === "tool_start") {
                calls.push({ name: event.call.name, arguments: event.call.arguments });
              }
              task.listen(event);
            },
          }),
      };
      const { row } = await attempt(
        { protocol, model: "sim", fixture: "list", rep: 1 },
        fixture,
        bench,
      );
      return { row, calls };
    });
  });
}

const PLANNED = PLAN.steps.flatMap((step) => step.calls ?? []);

/** Whatever went wrong, what ran is what was planned, in order, nothing twice. */
function assertNoWrongEffect(ran: Ran, title: string): void {
  assertEquals(ran.calls, PLANNED.slice(0, ran.calls.length), title);
}

Deno.test("the agent passes in all five protocols when the model makes no mistake", async () => {
  await withAgent(async (run) => {
    for (const protocol of PROTOCOL_NAMES) {
      const ran = await run(protocol, { repair: 1, giveUpAfter: 6, rules: [] });
      assertEquals([ran.row.outcome, ran.row.message, ran.row.steps, ran.row.violations], [
        "pass",
        "",
        3,
        {},
      ], protocol);
      assertEquals(ran.calls.length, 4);
      assertNoWrongEffect(ran, protocol);
    }
  });
});

/** One fault, and where it can be told apart from none. */
interface Case {
  readonly rule: Omit<FaultRule, "rate">;
  readonly protocols: readonly ProtocolName[];
  /** How runs end when every message has the fault until it's complained about. */
  readonly cured: string;
  /** How runs end when complaints don't help; absent where nobody complains. */
  readonly uncured?: string;
}

const EAGER_AND_NOT: readonly ProtocolName[] = ["native-eos", "native-inc", "ctl-heredoc"];
const CASES: readonly Case[] = [
  { rule: { kind: "invented_result" }, protocols: PROTOCOL_NAMES, cured: "pass" },
  {
    rule: { kind: "miscounted_length", tooSmall: 1 },
    protocols: ["ctl"],
    cured: "pass",
    uncured: "violations",
  },
  {
    rule: { kind: "miscounted_length", tooSmall: 0 },
    protocols: ["ctl"],
    cured: "pass",
    uncured: "violations",
  },
  {
    rule: { kind: "broken_tag" },
    protocols: ["ctl-heredoc", "xml"],
    cured: "pass",
    uncured: "violations",
  },
  {
    rule: { kind: "unescaped_newline" },
    protocols: ["native-eos", "native-inc"],
    cured: "pass",
    uncured: "violations",
  },
  {
    rule: { kind: "wrong_protocol" },
    protocols: PROTOCOL_NAMES,
    cured: "pass",
    uncured: "violations",
  },
  { rule: { kind: "duplicate_id" }, protocols: EAGER_AND_NOT, cured: "pass" },
  { rule: { kind: "truncation", afterTokens: 12 }, protocols: EAGER_AND_NOT, cured: "pass" },
  { rule: { kind: "empty_reply" }, protocols: EAGER_AND_NOT, cured: "empty" },
  {
    rule: { kind: "dropped_connection", afterTokens: 5 },
    protocols: EAGER_AND_NOT,
    cured: "server",
  },
  {
    rule: { kind: "stall", afterTokens: 5, seconds: 0.05 },
    protocols: ["ctl-heredoc"],
    cured: "server",
  },
  { rule: { kind: "rate_limit", seconds: 1 }, protocols: ["ctl-heredoc"], cured: "server" },
  { rule: { kind: "server_error" }, protocols: ["ctl-heredoc"], cured: "server" },
];

Deno.test("a fault on every message ends as it should, and nothing wrong ever runs", async () => {
  await withAgent(async (run) => {
    for (const { rule, protocols, cured, uncured } of CASES) {
      for (const protocol of protocols) {
        for (const [repair, expected] of [[1, cured], [0, uncured]] as const) {
          if (expected === undefined) continue;
          const rules = [{ ...rule, rate: 1 }];
          const ran = await run(protocol, { repair, giveUpAfter: 9, rules });
          const title = `${rule.kind}, ${protocol}, repair ${repair}: ${JSON.stringify(ran.row)}`;
          assertNoWrongEffect(ran, title);
          assertEquals(endOf(ran.row), expected, title);
        }
      }
    }
  });
});

Deno.test("all faults at once, now and then, never make anything wrong run", async () => {
  await withAgent(async (run) => {
    const rules = CASES.map(({ rule }): FaultRule => ({ ...rule, rate: 0.1 }));
    for (const protocol of PROTOCOL_NAMES) {
      for (const seed of ["a", "b", "c"]) {
        const ran = await run(protocol, { repair: 0.7, giveUpAfter: 9, rules }, seed);
        const title = `${protocol}, seed ${seed}: ${JSON.stringify(ran.row)}`;
        assertNoWrongEffect(ran, title);
        assert(["pass", "violations", "empty", "server"].includes(endOf(ran.row)), title);
      }
    }
  });
});

/** The outcome, or for an agent error what it was about. */
function endOf(row: Row): string {
  if (row.outcome !== "agent_error") return row.outcome;
  if (/violation|in a row/i.test(row.message)) return "violations";
  if (/answered nothing/.test(row.message)) return "empty";
  return row.exit === 4 || row.exit === 75 ? "server" : row.message;
}

import { assertEquals } from "@std/assert";
import { writeText } from "../../src/system/folders.ts";
import { type AgentEnd, type AgentTask, attempt } from "../../src/eval/attempt.ts";
import { readFixture } from "../../src/eval/fixture.ts";
import type { Row, RunKey } from "../../src/eval/row.ts";
import { DONE, withBench } from "./bench.ts";

const key: RunKey = { protocol: "ctl", model: "x:y", fixture: "yes", rep: 1 };

/** A row without its times. */
function timeless(row: Row): Partial<Row> {
  const { wallS: _w, modelS: _m, toolS: _t, firstActionMs: _f, overlapS: _o, ...rest } = row;
  return rest;
}

const nothing = {
  ...key,
  calls: 0,
  early: 0,
  waitMs: 0,
  violations: {},
  forms: {},
};

Deno.test("attempt() has five outcomes", async () => {
  const write = (text: string) => async (task: AgentTask): Promise<AgentEnd> => {
    await writeText(`${task.cwd}/done.txt`, text);
    return DONE;
  };
  const used = { steps: 2, inputTokens: 100, outputTokens: 10, cost: 0.0002 };
  const unused = { steps: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
  const rows: [(task: AgentTask) => Promise<AgentEnd>, Partial<Row>][] = [
    [write("yes"), { ...used, outcome: "pass", exit: 0, message: "" }],
    [write("no"), { ...used, outcome: "fail", exit: 0, message: "" }],
    [
      () => Promise.resolve({ ...DONE, outcome: "agent_error", exit: 1, message: "Four in a row" }),
      { ...used, outcome: "agent_error", exit: 1, message: "Four in a row" },
    ],
    [
      () => Promise.reject(new Error("No server")),
      { ...unused, outcome: "agent_error", exit: null, message: "No server" },
    ],
  ];
  for (const [agent, expected] of rows) {
    await withBench(agent, async ({ bench, fixture }) => {
      const { row } = await attempt(key, fixture, bench);
      assertEquals(timeless(row), { ...nothing, ...expected });
    });
  }
  const waits = async (task: AgentTask): Promise<AgentEnd> => {
    await new Promise((resolve) => task.signal.addEventListener("abort", resolve));
    return { ...DONE, outcome: "timeout", exit: 124, message: "Time is over" };
  };
  await withBench(waits, async ({ bench, fixture }) => {
    const { row } = await attempt(key, fixture, { ...bench, timeoutMs: 20 });
    const expected = { ...used, outcome: "timeout", exit: 124, message: "Time is over" };
    assertEquals(timeless(row), { ...nothing, ...expected } as Partial<Row>);
  });
});

Deno.test("a check that never ends is stopped: the run is a timeout that says so", async () => {
  const agent = () => Promise.resolve(DONE);
  await withBench(agent, async ({ bench, fixture }) => {
    const short = { ...bench, check: { ...bench.check, timeoutMs: 300 } };
    const endless = { ...fixture, check: "sleep 1000\n" };
    const before = await attempt(key, endless, short);
    assertEquals([before.row.outcome, before.row.exit, before.row.message], [
      "timeout",
      null,
      "The check ran longer than 0.3 s before anything was done",
    ]);
    const later = { ...fixture, check: "test -f .again && sleep 1000; touch .again; exit 1\n" };
    const after = await attempt(key, later, short);
    assertEquals([after.row.outcome, after.row.exit, after.row.message], [
      "timeout",
      0,
      "The check ran longer than 0.3 s",
    ]);
  });
});

Deno.test("a fixture that can't be copied is a row, so that the matrix goes on", async () => {
  await withBench(() => Promise.resolve(DONE), async ({ bench, fixture }) => {
    const { row } = await attempt(key, { ...fixture, path: `${fixture.path}/nowhere` }, bench);
    assertEquals([row.outcome, row.message.startsWith("No such file")], ["agent_error", true]);
  });
});

Deno.test("attempt() does not run the agent on a fixture that is green already", async () => {
  let runs = 0;
  const agent = () => {
    runs++;
    return Promise.resolve(DONE);
  };
  await withBench(agent, async ({ bench, fixture }) => {
    const green = { ...fixture, check: "exit 0\n" };
    const { row } = await attempt(key, green, bench);
    assertEquals([row.outcome, row.message, runs], [
      "unexpected_green_fixture",
      "The check passes before anything was done",
      0,
    ]);
  });
});

Deno.test("attempt() keeps check, plan and task from the agent, and the fixture from changes", async () => {
  let seen: string[] = [];
  const agent = async (task: AgentTask) => {
    seen = Array.from(Deno.readDirSync(task.cwd), (entry) => entry.name).sort();
    // A check that the agent writes itself counts for nothing.
    await writeText(`${task.cwd}/check.sh`, "exit 0\n");
    return DONE;
  };
  await withBench(agent, async ({ bench, folder }) => {
    await writeText(`${folder}/yes/sub/file.txt`, "text\n");
    const { row } = await attempt(key, await readFixture(`${folder}/yes`), bench);
    assertEquals([seen, row.outcome], [["sub"], "fail"]);
    const left = Array.from(Deno.readDirSync(`${folder}/yes`), (entry) => entry.name).sort();
    assertEquals(left, ["TASK.md", "check.sh", "plan.json", "sub"]);
  });
});

Deno.test("attempt() gives a simulated run its own server", async () => {
  let answer = "";
  const agent = async (task: AgentTask) => {
    const response = await fetch(`${task.baseUrl}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: task.provider, stream: true, messages: [] }),
    });
    answer = await response.text();
    return DONE;
  };
  await withBench(agent, async ({ bench, fixture }) => {
    await attempt({ ...key, model: "sim" }, fixture, bench);
    assertEquals([answer.includes('"content":"Done"'), answer.includes('"model":"sim"')], [
      true,
      true,
    ]);
  });
});

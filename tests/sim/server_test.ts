import { assertEquals } from "@std/assert";
import { parsePlan } from "../../src/sim/plan.ts";
import { ask, withSim } from "./ask.ts";

const plan = parsePlan(
  JSON.stringify({
    steps: [
      {
        text: "First.",
        calls: [
          { name: "run", arguments: { command: "make test" } },
          { name: "write_file", arguments: { path: "é.txt", content: "a\nb\n" } },
        ],
      },
      {
        when: "exit=[1-9]",
        text: "That failed.",
        calls: [{ name: "run", arguments: { command: "make clean", timeout_s: 5 } }],
      },
      { text: "Done." },
    ],
  }),
  "plan.json",
);
const user = { role: "user", content: "Do it" };
const native = { tools: [{ type: "function" }] };

Deno.test("startSim() answers a request with tools by native calls, finish reason and usage", async () => {
  await withSim({ plan }, async (sim) => {
    assertEquals(await ask(sim, [user], native), {
      status: 200,
      text: "First.",
      calls: [
        { id: "s1c1", name: "run", arguments: '{"command":"make test"}' },
        { id: "s1c2", name: "write_file", arguments: '{"path":"é.txt","content":"a\\nb\\n"}' },
      ],
      finish: "tool_calls",
      usage: { prompt_tokens: 14, completion_tokens: 21, total_tokens: 35 },
      done: true,
      broken: false,
    });
  });
});

Deno.test("startSim() speaks the text protocol that it is told to", async () => {
  const rows = [
    ["ctl", "call s1c2 write_file\narg path 6\né.txt\narg content 4\na\nb\n"],
    ["ctl-heredoc", "call s1c2 write_file\narg path é.txt\narg content <<"],
    ["xml", '<invoke name="write_file">'],
  ] as const;
  for (const [protocol, expected] of rows) {
    await withSim({ plan, protocol }, async (sim) => {
      const { text, calls, finish } = await ask(sim, [user]);
      assertEquals([text.includes(expected), calls, finish], [true, [], "stop"], text);
    });
    await withSim({ plan }, async (sim) => {
      const { text } = await ask(sim, [user], { model: `sim-${protocol}` });
      assertEquals(text.includes(expected), true, text);
    });
  }
});

Deno.test("startSim() finds its place in the plan from the history alone", async () => {
  const said = { role: "assistant", content: "First." };
  const one = "result s1c1 exit=2 9\nresult x\n\nend\n";
  const two = "result s1c2 exit=0 3\nok\n\nend\n";
  const rows: [string, unknown[], string][] = [
    ["nothing yet", [], "First.\n"],
    ["one of two results", [said, { role: "user", content: one }], "First.\n"],
    ["both, the first failed", [said, { role: "user", content: one + two }], "That failed.\n"],
    ["both well", [said, { role: "user", content: two + two }], "Done."],
    ["the answer was given", [
      said,
      { role: "user", content: two + two },
      { role: "assistant", content: "Done." },
      { role: "user", content: "And now?" },
    ], "Done."],
  ];
  await withSim({ plan, protocol: "ctl" }, async (sim) => {
    for (const [title, history, expected] of rows) {
      const { text } = await ask(sim, [user, ...history]);
      assertEquals(text.startsWith(expected), true, `${title}: ${text}`);
    }
    const { text } = await ask(sim, [user, said, { role: "user", content: one }]);
    assertEquals([text.includes("s1c1"), text.includes("s1c2")], [false, true]);
  });
});

Deno.test("startSim() says the same whatever the size of its writes, inside a character too", async () => {
  const texts: string[] = [];
  for (const chunk of [0, 1, 7, 4096]) {
    await withSim({ plan, protocol: "ctl", chunk }, async (sim) => {
      texts.push((await ask(sim, [user])).text);
    });
  }
  assertEquals(new Set(texts).size, 1);
});

Deno.test("startSim() refuses what it does not serve with an error a client can read", async () => {
  await withSim({ plan }, async (sim) => {
    const get = await fetch(`${sim.url}/nothing`);
    assertEquals([get.status, await get.json()], [
      404,
      { error: { message: "No such path: GET /v1/nothing", type: "sim" } },
    ]);
    const post = await fetch(`${sim.url}/chat/completions`, { method: "POST", body: "{}" });
    assertEquals([post.status, await post.json()], [
      400,
      { error: { message: 'The request has no "messages"', type: "sim" } },
    ]);
  });
});

Deno.test("startSim() holds back the end of a stream until it is told to go on", async () => {
  const order: string[] = [];
  const hold = async () => {
    order.push("held");
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("released");
  };
  await withSim({ plan, protocol: "ctl", hold }, async (sim) => {
    const { finish } = await ask(sim, [user]);
    order.push(finish ?? "");
    const kinds = sim.log.map((entry) => entry.kind).filter((kind, i, all) => kind !== all[i - 1]);
    assertEquals(kinds, ["request", "bytes", "held", "released", "bytes", "end"]);
  });
  assertEquals(order, ["held", "released", "stop"]);
});

import { assertEquals } from "@std/assert";
import type { Confirmed, ToolCall } from "../../src/vocab.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { createDecoder } from "../../src/provider/chat_completions.ts";
import { parsePlan } from "../../src/sim/plan.ts";
import type { SimOptions } from "../../src/sim/options.ts";
import { FILE_TOOLS } from "../../src/tools/mod.ts";
import { withSim } from "./ask.ts";

const plan = parsePlan(
  JSON.stringify({
    steps: [{
      text: "Two files.",
      calls: [
        { name: "write_file", arguments: { path: "ü 😀.txt", content: "a\tb\nend\nEOF\n" } },
        { name: "read_file", arguments: { path: "ü 😀.txt", start_line: 2 } },
      ],
    }],
  }),
  "plan.json",
);

/** What an agent that speaks `name` reads of the model's first message. */
async function readMessage(name: string, options: Partial<SimOptions>): Promise<Confirmed[]> {
  const protocol = createProtocol(name)!;
  const { system, tools } = protocol.describe(FILE_TOOLS.map((tool) => tool.spec));
  const decoder = createDecoder();
  const transducer = protocol.createTransducer(DEFAULT_LIMITS);
  const confirmed: Confirmed[] = [];
  await withSim({ plan, ...options }, async (sim) => {
    const response = await fetch(`${sim.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "sim",
        stream: true,
        messages: [
          { role: "system", content: `You work in a folder.\n\n${system}\n\nBe brief.` },
          ...protocol.history([{ kind: "user", text: "Do it" }]),
        ],
        ...(tools ? { tools } : {}),
      }),
    });
    for await (const bytes of response.body!) {
      for (const delta of decoder.push(bytes)) confirmed.push(...transducer.push(delta));
    }
    for (const delta of decoder.end()) confirmed.push(...transducer.push(delta));
  });
  return [...confirmed, ...transducer.end("complete")];
}

Deno.test("the model knows the protocol by the prompt, and its calls are read as they were planned", async () => {
  for (const name of PROTOCOL_NAMES) {
    for (const chunk of [0, 1, 100]) {
      const confirmed = await readMessage(name, { chunk });
      const calls = confirmed.flatMap((it): ToolCall[] => it.kind === "ready" ? [it.call] : []);
      const line = name.startsWith("native") ? 2 : "2";
      assertEquals(calls.map((call) => [call.name, call.arguments]), [
        ["write_file", { path: "ü 😀.txt", content: "a\tb\nend\nEOF\n" }],
        ["read_file", { path: "ü 😀.txt", start_line: line }],
      ], `${name}, ${chunk} bytes a write`);
      assertEquals(confirmed.filter((it) => it.kind === "violation"), []);
    }
  }
});

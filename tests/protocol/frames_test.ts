import { assertEquals } from "@std/assert";
import { textHistory, writeResultFrame } from "../../src/protocol/frames.ts";
import type { AssistantTurn, ToolResult } from "../../src/vocab.ts";

function result(id: string, output: string, exit = 0): ToolResult {
  return { id, name: "run", exit, output };
}

function assistant(text: string, more: Partial<AssistantTurn> = {}): AssistantTurn {
  return { kind: "assistant", text, calls: [], results: [], ...more };
}

Deno.test("writeResultFrame() is exact to the byte", () => {
  const frames: [ToolResult, string][] = [
    [result("c1", ""), "result c1 exit=0 0\n\nend\n"],
    [result("c1", "ok\n", 2), "result c1 exit=2 3\nok\n\nend\n"],
    [result("c1", "é\r\n\0😀", 127), "result c1 exit=127 9\né\r\n\0😀\nend\n"],
    [result("c1", "\ud800"), "result c1 exit=0 3\n\ufffd\nend\n"],
  ];
  for (const [value, frame] of frames) assertEquals(writeResultFrame(value), frame);
});

Deno.test("textHistory() puts all frames and then the complaint into one user message", () => {
  const turn = assistant("call …", {
    results: [result("c1", "a\n"), result("c2", "b")],
    complaint: "Please repeat c3.",
  });
  assertEquals(textHistory([{ kind: "user", text: "Go" }, turn], (t) => t.text), [
    { role: "user", content: "Go" },
    { role: "assistant", content: "call …" },
    {
      role: "user",
      content: "result c1 exit=0 2\na\n\nend\nresult c2 exit=0 1\nb\nend\n\nPlease repeat c3.",
    },
  ]);
});

Deno.test("textHistory() joins user messages in a row and leaves empty messages out", () => {
  const turns = [
    { kind: "user" as const, text: "One" },
    assistant("", { complaint: "Nothing came." }),
    { kind: "user" as const, text: "Two\n" },
    assistant("Done."),
    { kind: "user" as const, text: "Three" },
  ];
  assertEquals(textHistory(turns, (t) => t.text), [
    { role: "user", content: "One\n\nNothing came.\n\nTwo\n" },
    { role: "assistant", content: "Done." },
    { role: "user", content: "Three" },
  ]);
});

Deno.test("textHistory() keeps reasoning beside the text for the provider", () => {
  const turn = assistant("Done.", { reasoning: "Hm.", reasoningField: "reasoning_content" });
  assertEquals(textHistory([turn, assistant("x", { reasoning: "inline" })], (t) => t.text), [
    {
      role: "assistant",
      content: "Done.",
      reasoning: { text: "Hm.", field: "reasoning_content" },
    },
    { role: "assistant", content: "x" },
  ]);
});

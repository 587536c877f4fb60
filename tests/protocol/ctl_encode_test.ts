import { assertEquals } from "@std/assert";
import { createCtlProtocol } from "../../src/protocol/ctl.ts";
import { writeFrame } from "../../src/protocol/ctl_encode.ts";
import { trimHeader } from "../../src/protocol/ctl_header.ts";
import type { JsonObject, ToolCall } from "../../src/vocab.ts";

function call(args: JsonObject, id = "c1"): ToolCall {
  return { id, name: "run", arguments: args, values: "text" };
}

const FORMS: [title: string, args: JsonObject, lines: string[]][] = [
  ["a line stands on its line", { a: " make -j2 " }, ["arg a  make -j2 "]],
  ["lines are a heredoc", { a: "x\n\ny\n" }, ["arg a <<EOF", "x", "", "y", "EOF"]],
  ["a tag that occurs is avoided", { a: "EOF\nEOF1\n" }, ["arg a <<EOF2", "EOF", "EOF1", "EOF2"]],
  ["a part of a line is no tag", { a: "xEOF\n" }, ["arg a <<EOF", "xEOF", "EOF"]],
  ["no newline at the end: counted", { a: "x\ny" }, ["arg a 3", "x", "y"]],
  ["digits: counted", { a: "40" }, ["arg a 2", "40"]],
  ["a heredoc's opening: counted", { a: "<<EOF" }, ["arg a 5", "<<EOF"]],
  ["blanks: counted", { a: " " }, ["arg a 1", " "]],
  ["nothing", { a: "" }, ["arg a 0"]],
  ["a line that is too long: counted", { a: "x".repeat(65_536) }, [
    "arg a 65536",
    "x".repeat(65_536),
  ]],
  ["what is no string is JSON", { a: 5, b: true, c: { d: null } }, [
    "arg a 1",
    "5",
    "arg b true",
    'arg c {"d":null}',
  ]],
];

for (const [title, args, lines] of FORMS) {
  Deno.test(`writeFrame() for ctl-heredoc: ${title}`, () => {
    assertEquals(
      writeFrame(call(args), "ctl-heredoc"),
      ["call c1 run", ...lines, "end", ""].join("\n"),
    );
  });
}

Deno.test("writeFrame() for ctl counts every value", () => {
  assertEquals(
    writeFrame(call({ a: "é\n", b: "x", c: "" }), "ctl"),
    "call c1 run\narg a 3\né\n\narg b 1\nx\narg c 0\nend\n",
  );
});

Deno.test("encode() keeps prose from being read as a frame or as reasoning", () => {
  const protocol = createCtlProtocol("ctl-heredoc");
  assertEquals(protocol.encode("call c1 run\n<think>x\ncallback", [call({})]), [
    { kind: "text", text: " call c1 run\n <think>x\ncallback\ncall c1 run\nend\n" },
  ]);
});

Deno.test("history() writes the frames of a turn that was spoken in a protocol without them", () => {
  const protocol = createCtlProtocol("ctl-heredoc");
  const turn = {
    kind: "assistant" as const,
    calls: [call({ command: "ls" })],
    results: [{ id: "c1", name: "run", exit: 0, output: "a\n" }],
  };
  const frame = "call c1 run\narg command ls\nend\n";
  const answer = { role: "user" as const, content: "result c1 exit=0 2\na\n\nend\n" };
  for (const text of ["I look.", `I look.\n${frame}`]) {
    assertEquals(protocol.history([{ ...turn, text }]), [
      { role: "assistant", content: `I look.\n${frame}` },
      answer,
    ]);
  }
});

Deno.test("trimHeader() takes time in proportion to the line", () => {
  const line = "call " + " ".repeat(2_000_000) + "x";
  assertEquals(trimHeader(line), line);
  assertEquals(trimHeader(line.slice(0, -1)), "call");
});

import { assertEquals } from "@std/assert";
import { createCtlProtocol } from "../../src/protocol/ctl.ts";
import { writeFrames } from "../../src/protocol/ctl_encode.ts";
import { trimHeader } from "../../src/protocol/ctl_header.ts";
import { drive, readyCalls } from "./drive.ts";
import type { JsonObject, ToolCall } from "../../src/vocab.ts";

function call(args: JsonObject, id = "c1"): ToolCall {
  return { id, name: "run", arguments: args, values: "text" };
}

const FORMS: [title: string, args: JsonObject, lines: string[]][] = [
  ["a line stands on its line", { a: " make -j2 " }, ["arg a  make -j2 "]],
  ["lines are a heredoc", { a: "x\n\ny\n" }, ["arg a <<EOF1", "x", "", "y", "EOF1"]],
  ["every heredoc has its tag", { a: "x\n", b: "y\n" }, [
    ...["arg a <<EOF1", "x", "EOF1"],
    ...["arg b <<EOF2", "y", "EOF2"],
  ]],
  ["a tag that occurs is avoided", { a: "EOF1\n", b: "EOF3\n" }, [
    ...["arg a <<EOF2", "EOF1", "EOF2"],
    ...["arg b <<EOF4", "EOF3", "EOF4"],
  ]],
  ["a part of a line is no tag", { a: "xEOF1\n" }, ["arg a <<EOF1", "xEOF1", "EOF1"]],
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
  Deno.test(`writeFrames() for ctl-heredoc: ${title}`, () => {
    assertEquals(
      writeFrames([call(args)], "ctl-heredoc"),
      ["call c1 run", ...lines, "end", ""].join("\n"),
    );
  });
}

Deno.test("writeFrames() for ctl counts every value", () => {
  assertEquals(
    writeFrames([call({ a: "é\n", b: "x", c: "" })], "ctl"),
    "call c1 run\narg a 3\né\n\narg b 1\nx\narg c 0\nend\n",
  );
});

Deno.test("a closing line that is spoiled, whichever, leaves its call and those after it unconfirmed", () => {
  const protocol = createCtlProtocol("ctl-heredoc");
  const calls = ["c1", "c2", "c3"].map((id) =>
    call({ old: `${id}\n`, new: "b\n", all: "c\n" }, id)
  );
  const lines = writeFrames(calls, "ctl-heredoc").split("\n");
  const closings = lines.flatMap((line, i) => /^EOF\d+$/.test(line) ? [i] : []);
  assertEquals(closings.length, 9);
  closings.forEach((at, n) => {
    const spoiled = lines.with(at, `  ${lines[at]}`).join("\n");
    const { events } = drive(protocol, [{ kind: "text", text: spoiled }]);
    const whole = calls.slice(0, Math.floor(n / 3));
    assertEquals(readyCalls(events).map(({ id, arguments: args }) => [id, args]), [
      ...whole.map((it) => [it.id, it.arguments]),
    ]);
    assertEquals(events.filter((it) => it.kind === "violation").length, 1);
  });
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

import { assertEquals } from "@std/assert";
import { writeComplaint } from "../../src/protocol/complaint.ts";
import type { ToolCall } from "../../src/vocab.ts";

const DONE: ToolCall[] = ["c1", "c2"].map((id) => ({
  id,
  name: "run",
  arguments: {},
  values: "text",
}));

Deno.test("writeComplaint() names what has run, what hasn't and why the message was cut", () => {
  assertEquals(
    writeComplaint({
      cut: "the length limit was reached",
      violation: { kind: "call_eof", message: 'call "c3" has no end', at: 9, id: "c3" },
      done: DONE,
    }),
    "Your last message was cut off: the length limit was reached. " +
      'Your last message could not be read to its end (call_eof): call "c3" has no end. ' +
      'The call "c3" was not run. These calls of it have run, with the results above, and ' +
      "must not be repeated: c1 (run), c2 (run). " +
      "Write the failed call and what followed it again.",
  );
});

Deno.test("writeComplaint() about a cut alone asks the model to go on", () => {
  assertEquals(
    writeComplaint({ cut: "the connection was lost", done: [] }),
    "Your last message was cut off: the connection was lost. " +
      "No call of that message was run. Go on from there.",
  );
});

Deno.test("writeComplaint() doesn't end a sentence twice", () => {
  const violation = { kind: "bad_xml", message: "Send it again.", at: 0 } as const;
  assertEquals(
    writeComplaint({ violation, done: [] }),
    "Your last message could not be read to its end (bad_xml): Send it again. " +
      "No call of that message was run. Write its calls again.",
  );
});

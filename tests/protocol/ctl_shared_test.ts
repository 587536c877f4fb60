/** Small inputs restated from public reports (area C), those in CTL, read where they lie. */
import { assert, assertEquals } from "@std/assert";
import { createProtocol } from "../../src/protocol/mod.ts";
import { sharedData } from "../shared_data.ts";
import { assertSplitInvariant } from "../split.ts";
import { drive, readyCalls, textDeltas } from "./drive.ts";

interface ExpectedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: { readonly [key: string]: string | { readonly heredoc_lines: string[] } };
}

const CASES = sharedData("cases/");

function readText(id: string, file: string): string {
  return Deno.readTextFileSync(new URL(`${id}/${file}`, CASES));
}

function readExpected(id: string) {
  return JSON.parse(readText(id, "expected.json")).expect;
}

/** The value as the protocol reads it: a heredoc always ends in a newline (SPEC 2.3). */
function valueOf(value: ExpectedCall["arguments"][string]): string {
  return typeof value === "string"
    ? value
    : value.heredoc_lines.map((line) => line + "\n").join("");
}

function assertCalls(text: string, expected: readonly ExpectedCall[]): void {
  for (const name of ["ctl", "ctl-heredoc"]) {
    const protocol = createProtocol(name)!;
    const { events } = drive(protocol, textDeltas([text]));
    assertEquals(
      readyCalls(events),
      expected.map(({ id, name, arguments: args }) => ({
        id: id ?? "c1",
        name,
        arguments: Object.fromEntries(Object.entries(args).map(([k, v]) => [k, valueOf(v)])),
        values: "text",
      })),
    );
    assertSplitInvariant(text, (slices) => drive(protocol, textDeltas(slices)).events);
  }
}

const FILES = [["C02", "ctl.txt"], ["C05", "text.txt"], ["C25", "text.txt"], ["C27", "text.txt"]];

for (const [id, file] of FILES) {
  Deno.test(`case ${id}: the calls are those expected`, () => {
    if (CASES === undefined) return;
    const expected = readExpected(id!);
    assertCalls(readText(id!, file!), (expected.ctl ?? expected).calls);
  });
}

Deno.test("case C27: quotes stand in the header only and the body is literal", () => {
  if (CASES === undefined) return;
  assertCalls(readText("C27", "quoted.txt"), [
    { name: "write_file", arguments: { path: "t.txt", content: "$HOME `id`\n" } },
  ]);
});

Deno.test("case C12: a fenced frame is a call (docs/decisions/ctl_fenced_frame.md)", () => {
  if (CASES === undefined) return;
  const { events } = drive(createProtocol("ctl")!, textDeltas([readText("C12", "text.txt")]));
  assertEquals(readyCalls(events).map((call) => call.arguments), [{
    command: "touch canary.txt",
  }]);
  assertEquals(events.at(-1)!.kind, "stop");
});

Deno.test("case C15: an invented result is neither read nor kept", () => {
  if (CASES === undefined) return;
  const text = readText("C15", "text.txt");
  assertCalls(text, readExpected("C15").calls);
  const { events, keptText } = drive(createProtocol("ctl")!, textDeltas([text]));
  assertEquals(events.at(-1)!.kind, "stop");
  assertEquals(keptText, "call c1 shell\narg command git rev-parse HEAD\nend\n");
});

Deno.test("case C23: a draft in reasoning is no call in CTL either", () => {
  if (CASES === undefined) return;
  const frame = "call c1 shell\narg command echo real >> n.txt\nend\n";
  const draft = frame.replace("real", "draft");
  const expected = readExpected("C23").calls;
  assert(expected.length === 1);
  assertCalls(`<think>Maybe\n${draft}is right.</think>\n${frame}`, expected);
});

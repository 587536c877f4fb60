/** Public bug reports restated as inputs, areas B (native calls) and C (calls as text): what runs and what is a violation. */
import { assert, assertEquals } from "@std/assert";
import type { AgentEvent, Json } from "../../src/vocab.ts";
import { createStreamReading } from "../../src/agent/reading.ts";
import { createProtocol } from "../../src/protocol/mod.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { sharedData } from "../shared_data.ts";

interface CaseCall {
  readonly name: string;
  readonly arguments: Record<string, Json>;
  readonly id?: string;
}

interface Expect {
  readonly calls?: readonly CaseCall[];
  readonly text?: string;
  readonly text_contains?: string;
  readonly tool_errors?: readonly { readonly kind: string }[];
  readonly either?: readonly Expect[];
}

interface Case {
  readonly kind: string;
  readonly protocol?: string;
  readonly expect: Expect;
}

const cases = sharedData("cases/");

function readCase(id: string): Case {
  return JSON.parse(Deno.readTextFileSync(new URL(`${id}/expected.json`, cases!))) as Case;
}

function read(protocol: string, id: string, file: string): readonly AgentEvent[] {
  const reading = createStreamReading(createProtocol(protocol)!, DEFAULT_LIMITS);
  const bytes = Deno.readFileSync(new URL(`${id}/${file}`, cases!));
  const events = [...bytes].flatMap((byte) => [...reading.push(new Uint8Array([byte]))]);
  return [...events, ...reading.end()];
}

function callsOf(events: readonly AgentEvent[]): CaseCall[] {
  return events.flatMap((event) => event.kind === "ready" ? [event.call] : [])
    .map(({ name, arguments: args, id }) => ({ name, arguments: args, id }));
}

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => event.kind === "text" ? event.text : "").join("");
}

function kindsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => event.kind === "violation" ? [event.violation.kind] : []);
}

/** Where SPEC or docs/decisions settle what the case leaves open: the kind of the violation, or none. */
const SETTLED: Readonly<Record<string, string>> = {
  B05: "bad_json",
  B12: "bad_json",
  B14: "bad_json",
  B17: "bad_json",
  B19: "bad_json",
  B20: "bad_json",
  B34: "bad_json",
  C17: "bad_call",
  C18: "bad_xml",
  C22: "bad_xml",
  C28: "bad_xml",
};

const STREAMS: Readonly<Record<string, string>> = { B17: "r0.sse", B19: "r0.sse", B20: "r0.sse" };
const NATIVE = ["B02", "B04", "B05", "B07", "B09", "B10", "B12", "B14", "B17", "B19", "B20", "B34"];

for (const id of cases ? NATIVE : []) {
  for (const protocol of ["native-eos", "native-inc"]) {
    Deno.test(`${protocol}, report ${id}`, () => {
      const { expect } = readCase(id);
      const events = read(protocol, id, STREAMS[id] ?? "stream.sse");
      const settled = SETTLED[id];
      if (settled !== undefined) {
        assertEquals([callsOf(events), kindsOf(events)], [[], [settled]]);
      } else {
        const calls = callsOf(events);
        assertEquals(
          calls,
          (expect.calls ?? []).map((call, i) => ({ ...call, id: call.id ?? calls[i]?.id ?? "" })),
        );
        assertEquals(kindsOf(events), []);
        if (expect.text !== undefined) assertEquals(textOf(events), expect.text);
      }
    });
  }
}

if (cases) {
  Deno.test("native, report B15: a call that lost an argument is confirmed as it is", () => {
    const [lost] = callsOf(read("native-inc", "B15", "stream.sse"));
    assertEquals(Object.keys(lost!.arguments), ["path"]);
    const [empty] = callsOf(read("native-inc", "B15", "stream_empty.sse"));
    assertEquals(empty!.arguments.content, "");
  });

  Deno.test("native, report B30: two calls with one id are two calls with two ids", () => {
    const ids = callsOf(read("native-inc", "B30", "r0.sse")).map((call) => call.id);
    assertEquals(ids, ["x", "x-2"]);
  });

  Deno.test("native, report B32: a reply of reasoning alone has neither text nor call", () => {
    const events = read("native-eos", "B32", "stream.sse");
    assertEquals([textOf(events), callsOf(events), kindsOf(events)], ["", [], []]);
  });
}

for (const { name: id } of cases ? Deno.readDirSync(cases) : []) {
  if (!/^C\d+$/.test(id)) continue;
  const { protocol, expect } = readCase(id);
  if (protocol !== "minimax-xml") continue;
  Deno.test(`xml, report ${id}`, () => {
    const events = read("xml", id, "stream.sse");
    const settled = SETTLED[id];
    if (settled !== undefined) {
      assertEquals([callsOf(events), kindsOf(events)], [[], [settled]]);
      return;
    }
    assertEquals(
      callsOf(events).map(({ name, arguments: args }) => ({ name, arguments: args })),
      (expect.calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args })),
    );
    assertEquals(kindsOf(events), []);
    assert(textOf(events).includes(expect.text_contains ?? ""));
  });
}

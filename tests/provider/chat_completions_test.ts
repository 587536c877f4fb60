import { assert, assertEquals } from "@std/assert";
import type { Delta } from "../../src/vocab.ts";
import { assertSplitInvariant } from "../split.ts";
import { type Decoded, decodeSlices, sumUp } from "./decoded.ts";

const streams = new URL("../../fixtures/streams/sse/", import.meta.url);

type Expected = Partial<Decoded> & { readonly extra?: unknown };

const NOTHING: Decoded = {
  text: "",
  reasoning: "",
  calls: [],
  finish: null,
  usage: null,
  error: null,
  done: false,
  shape: "events",
  notes: [],
};

for (const entry of [...Deno.readDirSync(streams)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  if (!entry.name.endsWith(".sse")) continue;
  const name = entry.name.slice(0, -".sse".length);
  Deno.test(`A stream decodes as expected, whatever the cuts: ${name}`, () => {
    const bytes = Deno.readFileSync(new URL(entry.name, streams));
    const { extra, ...expected } = JSON.parse(
      Deno.readTextFileSync(new URL(`${name}.expected.json`, streams)),
    ) as Expected;
    const { deltas, facts } = decodeSlices([bytes]);
    assertEquals(sumUp(deltas, facts), { ...NOTHING, ...expected });
    assertEquals(firstExtra(deltas), extra);
    assertSplitInvariant(bytes, (slices) => {
      const decoded = decodeSlices(slices);
      return [...decoded.deltas, decoded.facts];
    }, { stride: 1 + Math.floor(bytes.length / 400), random: 30 });
  });
}

function firstExtra(deltas: readonly Delta[]): unknown {
  return deltas.map((delta) => delta.kind === "tool_call" ? delta.extra : undefined).find((it) =>
    it
  );
}

/** What a stream said; an error message may be cut short itself. */
function saidBy(bytes: Uint8Array): string[] {
  const { deltas } = decodeSlices([bytes]);
  return deltas.filter((delta) => delta.kind !== "error").map((delta) => JSON.stringify(delta));
}

Deno.test("What every prefix of a stream says, the whole says first: nothing is taken back", () => {
  let prefixes = 0;
  for (const { name } of Deno.readDirSync(streams)) {
    if (!name.endsWith(".sse")) continue;
    const body = Deno.readFileSync(new URL(name, streams));
    const whole = saidBy(body);
    for (let length = 0; length <= body.length; length++, prefixes++) {
      const said = saidBy(body.subarray(0, length));
      assertEquals(said, whole.slice(0, said.length), `${name}, prefix of ${length} bytes`);
    }
  }
  assert(prefixes > 20_000, `only ${prefixes} prefixes were tried`);
});

Deno.test("Random bytes give facts, never an exception", () => {
  let state = 7;
  for (let round = 0; round < 200; round++) {
    const bytes = new Uint8Array(200).map(() =>
      (state = (state * 1103515245 + 12345) >>> 0) >>> 24
    );
    const { facts } = decodeSlices([bytes]);
    assert(["events", "json", "other"].includes(facts.shape));
    assertEquals(facts.finishReason, null);
  }
});

Deno.test("The details of reasoning are kept as they came, for servers that want them back", () => {
  const body = Deno.readFileSync(new URL("reasoning_details_alone.sse", streams));
  assertEquals(decodeSlices([body]).deltas.filter((delta) => delta.kind === "reasoning"), [
    {
      kind: "reasoning",
      text: "hm",
      field: "reasoning_details",
      details: [{ type: "reasoning.text", text: "hm" }],
    },
    {
      kind: "reasoning",
      text: "",
      field: "reasoning_details",
      details: [{ type: "reasoning.encrypted", data: "eA==" }],
    },
  ]);
});

Deno.test("A JSON body tells its error whatever stands before it, in an array too", () => {
  const rows: readonly (readonly [body: string, error: string])[] = [
    [
      '\n  {"object":"list"',
      'The server sent JSON that is no chat completion: "{"object":"list""',
    ],
    ['[{"error":{"code":400,"message":"No such model"}}]\n', "No such model (400)"],
  ];
  for (const [body, error] of rows) {
    assertSplitInvariant(new TextEncoder().encode(body), (slices) => {
      const { deltas, facts } = decodeSlices(slices);
      assertEquals(facts.error?.message, error);
      return deltas;
    });
  }
});

import { assertEquals } from "@std/assert";
import type { Confirmed, StreamEnd } from "../../src/vocab.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { xml } from "../../src/protocol/xml.ts";
import { sharedData } from "../shared_data.ts";
import { chunksOf, joinEvents } from "../split.ts";

/** What lies beside a text, as far as it's compared. */
interface Expected {
  readonly dialect: string;
  readonly malformed: boolean;
  readonly raw?: readonly { readonly name: string; readonly parameters: Record<string, string> }[];
}

/** Texts whose sources take them as calls, or as several, where SPEC 3.1 takes none. */
const NOT_CALLS: Readonly<Record<string, string>> = {
  "mlx-lm-bare-invokes": "without a block",
  "mlx-lm-big-integers": "without a block",
  "openclaw-call-inside-think": "inside reasoning",
};

/** A value as SPEC 3.1 reads it: a newline at its beginning is layout, and with it one at the end. */
function withoutLayout(value: string): string {
  return value.replace(/^\n([^]*?)\n?$/, "$1");
}

function read(slices: readonly string[], how: StreamEnd): readonly Confirmed[] {
  const transducer = xml.createTransducer(DEFAULT_LIMITS);
  const events = slices.flatMap((text) => [...transducer.push({ kind: "text", text })]);
  return joinEvents([...events, ...transducer.end(how)]);
}

function callsOf(events: readonly Confirmed[]) {
  return events.flatMap((event) =>
    event.kind === "ready" ? [{ name: event.call.name, parameters: event.call.arguments }] : []
  );
}

const corpus = sharedData("corpus/xml/");

for (const { name } of corpus ? Deno.readDirSync(corpus) : []) {
  if (!name.endsWith(".txt")) continue;
  const title = name.slice(0, -4);
  Deno.test(`xml, collected text: ${title}`, () => {
    const text = Deno.readTextFileSync(new URL(name, corpus));
    const expected = JSON.parse(
      Deno.readTextFileSync(new URL(`${title}.expected.json`, corpus)),
    ) as Expected;
    const events = read([text], "complete");
    assertEquals(read(chunksOf(text, 1), "complete"), events);
    assertEquals(callsOf(read([text], "cut")), []);
    const runs = !expected.malformed && expected.dialect === "minimax-m2" && !(title in NOT_CALLS);
    const raw = (runs ? expected.raw ?? [] : []).map(({ name, parameters }) => ({
      name,
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([key, value]) => [key, withoutLayout(value)]),
      ),
    }));
    if (title !== "vllm-unknown-tool-rejected") assertEquals(callsOf(events), raw);
    const tagged = /<\/?(?:minimax:tool_call|invoke[\s>]|\|?DSML|[｜|])|\]<\]/.test(text);
    const mention = title === "sugarcraft-prose-mentions-invoke";
    const inReasoning = events.every((event) => event.kind === "reasoning");
    if (tagged && !mention && !inReasoning && callsOf(events).length === 0) {
      assertEquals(events.at(-1)?.kind, "violation", "a silent final answer");
    }
  });
}

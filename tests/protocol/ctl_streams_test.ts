import { assert, assertEquals } from "@std/assert";
import { createCtlProtocol } from "../../src/protocol/ctl.ts";
import type { Confirmed, StreamEnd } from "../../src/vocab.ts";
import { assertSplitInvariant } from "../split.ts";
import { drive, textDeltas } from "./drive.ts";
import { assertFaithful } from "./faithful.ts";

const FOLDER = new URL("../../fixtures/streams/ctl/", import.meta.url);
const protocol = createCtlProtocol("ctl-heredoc");

interface Stream {
  readonly name: string;
  readonly text: string;
  readonly how: StreamEnd;
  readonly events: readonly Confirmed[];
}

function readStream(name: string): Stream {
  const bytes = Deno.readFileSync(new URL(`${name}/text.txt`, FOLDER));
  const lines = Deno.readTextFileSync(new URL(`${name}/confirmed.jsonl`, FOLDER)).trimEnd();
  const events = lines.split("\n").map((line) => JSON.parse(line));
  const { how } = events.pop();
  return { name, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), how, events };
}

const streams = [...Deno.readDirSync(FOLDER)].map(({ name }) => readStream(name));

Deno.test("there are at least thirty streams", () => assert(streams.length >= 30));

for (const { name, text, how, events } of streams) {
  Deno.test(`ctl stream ${name} confirms what is written beside it, however it is cut`, () => {
    assertEquals(drive(protocol, textDeltas([text]), { how }).events, events);
    assertSplitInvariant(text, (slices) => drive(protocol, textDeltas(slices), { how }).events);
  });

  Deno.test(`ctl stream ${name} is confirmation-faithful on every prefix`, () => {
    const ends = events.flatMap((event) => event.kind === "ready" ? [event.at] : []);
    const bytesOf = (units: number) => new TextEncoder().encode(text.slice(0, units)).length;
    assertFaithful(
      protocol,
      textDeltas([text]),
      (units) => ends.filter((at) => at <= bytesOf(units)).length,
    );
  });
}

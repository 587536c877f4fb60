import { assertEquals } from "@std/assert";
import type { AgentEvent, Json } from "../../src/vocab.ts";
import { createStreamReading } from "../../src/agent/reading.ts";
import { createProtocol } from "../../src/protocol/mod.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { sharedData } from "../shared_data.ts";

interface ManifestCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly choice?: number;
}

interface Recording {
  readonly file: string;
  readonly calls: readonly ManifestCall[];
  /** The server stopped the model, reported an error or never said that it had ended. */
  readonly cut: boolean;
}

const corpus = sharedData("corpus/");

function readManifest(place: URL): Recording[] {
  const [head, ...lines] = Deno.readTextFileSync(new URL("manifest.tsv", place)).trimEnd()
    .split("\n").map((line) => line.split("\t"));
  return lines.map((cells) => {
    const cell = (name: string) => cells[head!.indexOf(name)]!;
    const finish = cell("finish_reason");
    const calls = JSON.parse(cell("expected_calls")) as ManifestCall[];
    return {
      file: cell("file"),
      calls: calls.filter((call) => !call.choice),
      cut: finish === "length" || finish === "content_filter" || cell("error") !== "" ||
        (finish === "" && cell("done") !== "1"),
    };
  });
}

/** What the arguments mean, by the words of the manifest's README; undefined if they mean nothing. */
function meaning(text: string): Json | undefined {
  if (text === "" || text === "null") return {};
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "string" ? JSON.parse(value) as Json : value;
  } catch {
    return undefined;
  }
}

function read(protocol: string, bytes: Uint8Array): readonly AgentEvent[] {
  const reading = createStreamReading(createProtocol(protocol)!, DEFAULT_LIMITS);
  return [...reading.push(bytes), ...reading.end()];
}

function callsOf(events: readonly AgentEvent[]) {
  return events.flatMap((event) => event.kind === "ready" ? [event.call] : [])
    .map(({ id, name, arguments: args }) => ({ id, name, arguments: args as Json | undefined }));
}

for (const { file, calls, cut } of corpus ? readManifest(corpus) : []) {
  Deno.test(`exactly the manifest's calls are confirmed: ${file}`, () => {
    const bytes = Deno.readFileSync(new URL(file, corpus!));
    const meant = calls.map((call, i) => ({
      id: call.id || `call_${i + 1}`,
      name: call.name,
      arguments: meaning(call.arguments),
    }));
    const bad = meant.findIndex((call) => call.arguments === undefined);
    const whole = bad < 0 ? meant : [];
    const atEnd = read("native-eos", bytes);
    assertEquals(callsOf(atEnd), cut ? [] : whole);
    const one = read("native-inc", bytes);
    // Of a cut message the last call can't be known to be complete.
    const known = cut ? meant.slice(0, -1) : meant;
    assertEquals(callsOf(one), known.slice(0, bad < 0 ? known.length : bad));
    for (const events of [atEnd, one]) {
      const ran = callsOf(events).length;
      const violations = events.filter((event) => event.kind === "violation").length;
      assertEquals(violations, ran < calls.length ? 1 : 0);
    }
  });
}

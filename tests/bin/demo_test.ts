import { assertEquals, assertMatch } from "@std/assert";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { readLines } from "../../src/session/lines.ts";
import { freshBinary, runIn, withBarePlace, withSim } from "./binary.ts";

const fixture = new URL("../../fixtures/mini_calc", import.meta.url).pathname;

for (const protocol of PROTOCOL_NAMES) {
  Deno.test(`The binary mends mini_calc in ${protocol} with sh, make and cc alone`, async () => {
    const binary = await freshBinary();
    if (binary === undefined) return;
    await withBarePlace(["sh", "make", "cc"], async (place) => {
      for await (const { name } of Deno.readDir(fixture)) {
        if (name === "plan.json") continue;
        await Deno.copyFile(`${fixture}/${name}`, `${place.work}/${name}`);
      }
      const check = () => runIn(place, "/bin/sh", ["check.sh"]);
      assertEquals((await check()).code !== 0, true);
      await withSim(binary, fixture, async (url) => {
        const ended = await runIn(place, binary, [
          "Make the tests pass",
          "--provider=sim",
          `--base-url=${url}`,
          `--protocol=${protocol}`,
          "--allow-run=make",
        ]);
        assertEquals(ended.stdout, "The tests pass: subtraction now goes from left to right.\n");
        assertEquals(ended.code, 0, ended.stderr);
      });
      const after = await check();
      assertEquals([after.code, after.stdout], [0, "all tests pass\n"], after.stderr);
      assertEquals(await storyOf(`${place.home}/.local/state/cst-agent/sessions`), STORY);
    });
  });
}

/** Every call before its result, the final text last. */
const STORY = [
  "header",
  "user",
  "call run",
  "result run 2",
  "call read_file",
  "result read_file 0",
  "text",
  "message",
  "call apply_patch",
  "result apply_patch 0",
  "call run",
  "result run 0",
  "text",
  "message",
  "text",
  "message",
];

async function storyOf(sessions: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(sessions)) if (isFile) names.push(name);
  assertEquals(names.length, 1);
  assertMatch(names[0]!, /\.jsonl$/);
  const { records, fault } = readLines(await Deno.readFile(`${sessions}/${names[0]}`));
  assertEquals(fault, undefined);
  return records.map((record) => {
    if (record.kind === "call") return `call ${record.call.name}`;
    if (record.kind !== "result") return record.kind;
    return `result ${record.result.name} ${record.result.exit}`;
  });
}

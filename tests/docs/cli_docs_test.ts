import { assertEquals } from "@std/assert";
import { collectSpecs, writePages } from "../../scripts/write_cli_docs.ts";

Deno.test("docs/cli.md and the man page say what --help says (else: deno task cli-docs)", async () => {
  for (const [path, text] of await writePages()) {
    assertEquals(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url)), text, path);
  }
});

Deno.test("Every command that cst-agent --help lists is described", async () => {
  const specs = (await collectSpecs()).map(({ name }) => name.split(" ")[0]);
  const help = await Deno.readTextFile(new URL("../../src/cli/help.ts", import.meta.url));
  const listed = [...help.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map((match) => match[1]!);
  assertEquals(listed.filter((name) => name !== "eval" && !specs.includes(name)), []);
  assertEquals(listed.length > 8, true);
});

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ProviderError, UsageError } from "../../src/errors.ts";
import { replayCommand } from "../../src/cli/replay.ts";
import { sharedData } from "../shared_data.ts";
import { runCommand } from "./io.ts";

const corpus = sharedData("corpus/");

function walk(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) =>
    entry.isDirectory ? walk(new URL(`${entry.name}/`, folder)) : [new URL(entry.name, folder)]
  );
}

if (corpus) {
  Deno.test("replay prints the same for every chunk size", async () => {
    const paths = walk(new URL("sse/", corpus)).map((url) => url.pathname)
      .filter((path) => Deno.statSync(path).size < 40_000);
    for (const path of paths) {
      const whole = await runCommand(replayCommand, [path]);
      for (const chunk of ["1", "4096"]) {
        assertEquals(await runCommand(replayCommand, [path, "--chunk", chunk]), whole, path);
      }
    }
  });

  Deno.test("replay refuses bodies that are no stream", async () => {
    for (const { pathname } of walk(new URL("nonsse/", corpus))) {
      if (pathname.endsWith(".tsv")) continue;
      const error = await assertRejects(
        () => runCommand(replayCommand, [pathname]),
        ProviderError,
        "Cannot replay",
      );
      assertEquals(error.exit, 4);
    }
  });
}

Deno.test("replay reads a stream in the protocol that it was spoken in", async () => {
  const folder = await Deno.makeTempDir();
  const say = (delta: unknown) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
  const end = "data: [DONE]\n\n";
  const text = say({ content: "call c1 run\narg command ls\nend\n" }) + end;
  const native = say({
    tool_calls: [{ index: 0, id: "c1", function: { name: "run", arguments: "{}" } }],
  }) + end;
  await Deno.writeTextFile(`${folder}/text.sse`, text);
  await Deno.writeTextFile(`${folder}/native.sse`, native);
  const ran = await runCommand(replayCommand, ["text.sse", "native.sse"], { cwd: folder });
  assertMatch(ran.stdout, /"form":"inline".*"ready".*\n.*"end".*\n.*"call".*\n.*"ready"/s);
  assertEquals(ran.stderr, "text.sse\nnative.sse\n");
  const wrong = await runCommand(replayCommand, ["native.sse", "--protocol", "xml"], {
    cwd: folder,
  });
  assertMatch(wrong.stdout, /"type":"violation","kind":"bad_call"/);
  const missing = () => runCommand(replayCommand, ["no.sse"], { cwd: folder });
  await assertRejects(missing, UsageError, "it doesn't exist");
  await assertRejects(() => runCommand(replayCommand, []), UsageError, "No file to replay");
  await Deno.remove(folder, { recursive: true });
});

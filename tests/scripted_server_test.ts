import { assert, assertEquals } from "@std/assert";
import { readCaseScript, startScriptedServer } from "./scripted_server.ts";
import { sharedData } from "./shared_data.ts";

const cases = sharedData("cases/");

if (cases) {
  Deno.test("Every script of the shared cases is understood", () => {
    let scripts = 0;
    for (const { name: id, isDirectory } of Deno.readDirSync(cases)) {
      if (!isDirectory) continue;
      const folder = new URL(`${id}/`, cases);
      for (const { name } of Deno.readDirSync(folder)) {
        if (!/^http.*\.json$/.test(name)) continue;
        assert(readCaseScript(folder, name).length > 0, `${id}/${name}`);
        scripts++;
      }
    }
    assert(scripts > 10, `only ${scripts} scripts were found`);
  });
}

Deno.test("A script plays one answer a request, by what the request says, and then it is over", async () => {
  const server = startScriptedServer([
    {
      status: 200,
      body: "yes",
      onlyIf: (body) => body.messages.length === 1,
      otherwise: { status: 400, body: "no" },
    },
    { status: 200, body: "second", cuts: [1, 2] },
  ]);
  async function post(messages: unknown[]): Promise<[number, string]> {
    const body = new Blob([JSON.stringify({ messages })]);
    const response = await fetch(`${server.url}/chat/completions`, { method: "POST", body });
    return [response.status, await response.text()];
  }
  assertEquals(await post([]), [400, "no"]);
  assertEquals(await post([]), [200, "second"]);
  assertEquals((await post([]))[0], 418);
  assertEquals(server.requests.length, 3);
  await server.close();
});

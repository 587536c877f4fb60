import { assertEquals, assertMatch } from "@std/assert";
import { startScriptedServer } from "../scripted_server.ts";
import { withHome } from "./program.ts";

interface Line {
  readonly name: string;
  readonly ok: boolean;
  readonly words: string;
}

const linesOf = (stdout: string): Line[] =>
  stdout.trim().split("\n").map((line) => JSON.parse(line) as Line);

Deno.test("doctor says that all is well, and leaves nothing behind", async () => {
  const server = startScriptedServer([]);
  try {
    await withHome(server.url, async ({ run, top }) => {
      const { exit, stdout } = await run(["doctor", "--json", "--session-dir", `${top}/sessions`]);
      assertEquals(
        linesOf(stdout).map(({ name, ok }) => [name, ok]),
        ["runtime", "terminal", "sandbox", "key", "server", "sessions"].map((name) => [name, true]),
      );
      assertEquals(exit, 0);
      assertEquals([...Deno.readDirSync(`${top}/sessions`)], []);
    });
  } finally {
    await server.close();
  }
});

Deno.test("doctor names a missing key, a server that doesn't answer and a folder that can't be written", async () => {
  await withHome("http://127.0.0.1:1/v1", async ({ run, top }) => {
    Deno.writeTextFileSync(`${top}/file`, "");
    const { exit, stdout } = await run(
      ["doctor", "--json", "--provider", "deepseek", "--session-dir", `${top}/file/sessions`],
    );
    const bad = linesOf(stdout).filter(({ ok }) => !ok);
    assertEquals(bad.map(({ name }) => name), ["key", "server", "sessions"]);
    assertEquals(
      bad[0]!.words,
      "DEEPSEEK_API_KEY is not set (or choose another server: --provider)",
    );
    assertMatch(bad[1]!.words, /^127\.0\.0\.1:1 cannot be reached: /);
    assertEquals(exit, 3);
  });
});

Deno.test("doctor says whether a key is there, never what it is", async () => {
  await withHome("http://127.0.0.1:1/v1", async ({ run }) => {
    const env = { DEEPSEEK_API_KEY: "sk-very-secret", OPENAI_API_KEY: "sk-other-secret" };
    const { stdout, stderr } = await run(["doctor", "--provider", "deepseek"], { env });
    assertMatch(stdout, /ok {2}key {8}DEEPSEEK_API_KEY is set; also set: OPENAI_API_KEY\n/);
    assertEquals(`${stdout}${stderr}`.includes("secret"), false);
  });
});

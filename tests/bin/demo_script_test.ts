import { assertEquals, assertStringIncludes } from "@std/assert";
import { withBarePlace } from "./binary.ts";

const root = new URL("../../", import.meta.url).pathname;

Deno.test("deno task demo shows check.sh red, the agent at work, check.sh green, calls before their results", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "demo", "--protocol=native-inc", "--delay=0"],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  const shown = new TextDecoder().decode(stdout);
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  assertEquals(shown.split("\n").filter((line) => /^(→|session)/.test(line)), [
    "→ red",
    "→ exit 0",
    "→ green",
    "session: header → user → call run → result 2 → call read_file → result 0 → text → message → " +
    "call apply_patch → result 0 → call run → result 0 → text → message → text → message",
  ]);
});

Deno.test("without make or a C compiler deno task demo says so before it begins", async () => {
  await withBarePlace(["sh"], async ({ env: { PATH } }) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "scripts/demo.ts"],
      cwd: root,
      env: { PATH, NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    assertEquals([code, decoder.decode(stdout)], [1, ""]);
    assertStringIncludes(decoder.decode(stderr), "there is no make and no cc here");
  });
});

Deno.test("deno task demo ends with a failure when the agent can't work", async () => {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "demo", "--protocol=no-such", "--delay=0"],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(code, 1);
});

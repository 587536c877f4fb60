import { assertEquals } from "@std/assert";

Deno.test("six tasks at once end right, and a long one holds neither memory nor files", async () => {
  const script = new URL("../../scripts/soak_load.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", script, "6", "60"],
    stdin: "null",
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
});

import { assertEquals } from "@std/assert";

/** Runs the soak in a process of its own: in this one, other tests use memory at the same time. */
async function soak(runs: number, ...kinds: string[]): Promise<void> {
  const script = new URL("../../scripts/soak_processes.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, String(runs), ...kinds],
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assertEquals(code, 0, said);
  assertEquals(said.split("\n").length - 2, kinds.length, said);
}

Deno.test("commands that are hard to end do end, leave nothing and cost no memory", async () => {
  await soak(
    2,
    "background",
    "ignores-term",
    "double-fork",
    "yes",
    "binary",
    "reads-stdin",
    "setsid",
  );
});

Deno.test("a command that prints a gigabyte costs no memory", async () => {
  await soak(1, "gigabyte");
});

/** A stranger without a key: what --help says about a first try, done. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { STEADY } from "../../src/sim/options.ts";
import { FIRST_PLAN } from "../../src/sim/first_plan.ts";
import { startSim } from "../../src/sim/server.ts";
import { createClock } from "../../src/system/clock.ts";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { type Home, withHome } from "./program.ts";

/** Runs `test` where a simulated model plays its first plan. */
async function withFirstTry(test: (home: Home, baseUrl: string) => Promise<void>): Promise<void> {
  const sim = startSim({
    plan: FIRST_PLAN,
    ...STEADY,
    clock: createClock(),
  });
  try {
    await withHome("", (home) => test(home, sim.url));
  } finally {
    await sim.stop();
  }
}

Deno.test("the try without a key that --help shows ends with a task done", async () => {
  await withFirstTry(async (home, baseUrl) => {
    const { stdout: help } = await home.run(["--help"]);
    const [, server, line] = /\n {2}cst-agent (sim [^(]*?) *\(.*\n {2}cst-agent (.*)\n$/.exec(
      help,
    )!;
    assertEquals(server, "sim --port 8080");
    const words = line!.replace("http://127.0.0.1:8080/v1", baseUrl).match(/"[^"]*"|\S+/g)!;
    const argv = words.map((word) => word.replaceAll('"', ""));
    const done = await home.run(argv, { env: { CST_PROTOCOL: "", CST_MODEL: "" } });
    assertEquals([done.exit, done.stdout], [
      0,
      '"hello-from-cst-agent.txt" is written and has 2 lines. A real model would do what you say.\n',
    ]);
    assertStringIncludes(done.stderr, "● run wc -l hello-from-cst-agent.txt\n  ✓ exit 0 · ");
  });
});

Deno.test("the first try works in every protocol; without the permission it says which flag is missing", async () => {
  await withFirstTry(async (home, baseUrl) => {
    for (const protocol of PROTOCOL_NAMES) {
      const argv = ["--provider=sim", `--base-url=${baseUrl}`, `--protocol=${protocol}`, "try"];
      const { exit, stdout, stderr } = await home.run(argv);
      assertEquals([exit, stdout], [
        6,
        '"hello-from-cst-agent.txt" is written; the command was refused, since nothing allows it.\n',
      ]);
      assertStringIncludes(stderr, "(allowed by --allow-run=wc)\n");
      assertStringIncludes(stderr, 'To go on: cst-agent --continue "go on"');
      assertEquals((await home.run([...argv, "--allow-run=wc"])).exit, 0);
    }
  });
});

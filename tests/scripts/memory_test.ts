import { assertEquals } from "@std/assert";
import { peakMemory, treeMemory } from "../../scripts/bench/memory.ts";

Deno.test({
  name:
    "the memory of a tree is the sum over a program and what it started, and its peak outlives it",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", "sleep 30 & read line; kill $!; wait"],
      stdin: "piped",
      stdout: "null",
    }).spawn();
    const peak = peakMemory(child.pid, child.status);
    let now = treeMemory(child.pid);
    while (now.processes < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      now = treeMemory(child.pid);
    }
    // Both run from shared pages, which PSS divides and RSS doesn't.
    assertEquals([now.pssKb > 0, now.rssKb > now.pssKb], [true, true]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await child.stdin.close();
    const { pssKb, rssKb, processes } = await peak;
    assertEquals([processes, pssKb > 0, rssKb > pssKb], [2, true, true]);
    assertEquals(treeMemory(child.pid), { pssKb: 0, rssKb: 0, processes: 0 });
  },
});

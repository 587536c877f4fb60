import { assert, assertEquals } from "@std/assert";
import { soak, type Soaked } from "../../scripts/soak_processes.ts";

function check(seen: readonly Soaked[], maxPeak: number): void {
  for (const { kind, faults, growth, peak } of seen) {
    assertEquals({ kind, faults }, { kind, faults: [] });
    assert(growth < 50 && peak < maxPeak, `${kind} grew by ${growth} MB, at most by ${peak} MB`);
  }
}

Deno.test("commands that are hard to end do end, leave nothing and cost no memory", async () => {
  const kinds = [
    "background",
    "ignores-term",
    "double-fork",
    "yes",
    "binary",
    "reads-stdin",
    "setsid",
  ];
  check(await soak(2, kinds), 100);
});

Deno.test("a command that prints a gigabyte costs no memory", async () => {
  check(await soak(1, ["gigabyte"]), 100);
});

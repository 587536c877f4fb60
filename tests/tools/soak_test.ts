import { assert, assertEquals } from "@std/assert";
import { soak } from "../../scripts/soak_processes.ts";

Deno.test("commands that are hard to end do end, leave nothing and cost no memory", async () => {
  for (const { kind, faults, growth } of await soak(2)) {
    assertEquals({ kind, faults }, { kind, faults: [] });
    assert(growth < 50, `${kind} grew by ${growth} MB`);
  }
});

import { assertEquals } from "@std/assert";
import { parsePlan } from "../../src/sim/plan.ts";
import { FILE_TOOLS } from "../../src/tools/mod.ts";
import { runTool } from "../../src/tools/run.ts";
import { validateArguments } from "../../src/tools/validate.ts";

const fixtures = new URL("../../fixtures/", import.meta.url);

Deno.test("every plan calls tools that there are, with arguments that they take", () => {
  const specs = [...FILE_TOOLS, runTool].map((tool) => tool.spec);
  const faults: string[] = [];
  let plans = 0;
  for (const { name } of Deno.readDirSync(fixtures)) {
    const path = new URL(`${name}/plan.json`, fixtures);
    let text;
    try {
      text = Deno.readTextFileSync(path);
    } catch {
      continue;
    }
    plans++;
    for (const step of parsePlan(text, name).steps) {
      for (const call of step.calls) {
        const spec = specs.find((it) => it.name === call.name);
        if (!spec) {
          faults.push(`${name}: no tool ${call.name}`);
          continue;
        }
        const checked = validateArguments({ ...call, values: "json" }, spec.parameters);
        if (checked.kind !== "ok") faults.push(`${name}, ${call.name}: ${JSON.stringify(checked)}`);
      }
    }
  }
  assertEquals(faults, []);
  assertEquals(plans >= 10, true);
});

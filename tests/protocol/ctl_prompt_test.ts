import { assert, assertEquals } from "@std/assert";
import { createProtocol } from "../../src/protocol/mod.ts";
import type { ToolSpec } from "../../src/vocab.ts";
import { drive, readyCalls, textDeltas } from "./drive.ts";

const TOOL: ToolSpec = {
  name: "run",
  description: "Runs a shell command\n and answers with its output.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command" },
      timeout_s: { type: "integer", description: "Seconds" },
    },
    required: ["command"],
  },
};

for (const name of ["ctl", "ctl-heredoc"]) {
  const protocol = createProtocol(name)!;

  Deno.test(`${name} shows the model an example that reads as the call it means`, () => {
    const [, example] = protocol.describe([TOOL]).system.split("Example:\n\n");
    const frame = example!.slice(0, example!.indexOf("\n- "));
    const { events } = drive(protocol, textDeltas([frame]));
    assertEquals(readyCalls(events), [{
      id: "c1",
      name: "write_file",
      arguments: { path: "src/a.py", content: 'print("hello")\n' },
      values: "text",
    }]);
    assertEquals(events.at(-1)!.kind, "ready");
  });

  Deno.test(`${name} names each tool and its arguments on one line, and stays short`, () => {
    const { system, tools } = protocol.describe([TOOL]);
    assert(
      system.endsWith(
        "\nrun command timeout_s?: Runs a shell command and answers with its output.\n",
      ),
    );
    assertEquals(tools, undefined);
    assert(system.length < 1800, `${system.length} bytes`);
  });
}

/** `link/../x`: on the command line what the system opens, for a tool what its name says, wherever the path goes. */
import { assertEquals } from "@std/assert";
import { resolvePath } from "../../src/agent/resolve.ts";
import { withContext } from "../../src/cli/chat/question_diff.ts";
import { absolute, isAbsolute } from "../../src/cli/command.ts";
import { sessionDirOf } from "../../src/cli/session_dir.ts";
import { readFixture } from "../../src/eval/fixture.ts";
import { createFiles } from "../../src/system/files.ts";
import { normalPath } from "../../src/text/path.ts";
import { editFileTool } from "../../src/tools/edit_file.ts";
import { resolveTarget } from "../../src/tools/target.ts";
import { createRig, harvest, plant } from "../tools/world.ts";

const files = createFiles();

/** A project with `f`, and `link` into a folder `deep/inner`, beside which there is another `f`. */
function createLinked() {
  const rig = createRig();
  plant(rig.cwd, { f: "near\n", "deep/f": "far\n", "deep/inner/x": "" });
  Deno.symlinkSync("deep/inner", `${rig.cwd}/link`);
  return rig;
}

Deno.test("a path on the command line is left as written but for the folder in front", async () => {
  const { cwd } = createLinked();
  assertEquals(
    ["f", "./f", "/etc/f", "C:\\f", "link/../f", ""].map((path) => absolute(path, { cwd })),
    [`${cwd}/f`, `${cwd}/./f`, "/etc/f", "C:\\f", `${cwd}/link/../f`, `${cwd}/`],
  );
  assertEquals(["/x", "C:/x", "c:\\x", "x", "", "C:x"].map(isAbsolute), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  const bytes = await files.readFile(absolute("link/../f", { cwd }));
  assertEquals(new TextDecoder().decode(bytes), "far\n");
  assertEquals(sessionDirOf("link/../s", { env: {}, cwd }), `${cwd}/link/../s`);
});

Deno.test("a tool's path is judged, shown and opened as the same file", async () => {
  const { cwd, world } = createLinked();
  const path = "link/../f";
  assertEquals(normalPath(path, cwd), `${cwd}/f`);
  assertEquals((await resolvePath(files, path, cwd)).real, `${cwd}/f`);
  assertEquals((await resolveTarget(files, cwd, path)).target, `${cwd}/f`);
  const change = { path, old: "near", new: "changed" };
  const call = { id: "c1", name: "edit_file", values: "text", arguments: change } as const;
  assertEquals((await withContext(call, cwd, files)).arguments, {
    path,
    patch: "@@ -1,1 +1,1 @@\n-near\n+changed\n",
  });
  await editFileTool.run(change, world);
  assertEquals([harvest(cwd).f, harvest(cwd)["deep/f"]], ["644 changed\n", "644 far\n"]);
});

Deno.test("a fixture has the name it was given; of . and .. the folder's own", async () => {
  const { cwd } = createLinked();
  plant(`${cwd}/deep`, { "TASK.md": "t", "check.sh": "c" });
  Deno.symlinkSync("deep", `${cwd}/alias`);
  const seen = [];
  for (const path of ["deep", "deep/", "alias", "deep/.", "link/.."]) {
    const fixture = await readFixture(absolute(path, { cwd }));
    seen.push([fixture.name, fixture.path]);
  }
  const path = `${cwd}/deep`;
  assertEquals(seen, [
    ["deep", path],
    ["deep", path],
    ["alias", path],
    ["deep", path],
    ["deep", path],
  ]);
});

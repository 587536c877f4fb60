import { assertEquals } from "@std/assert";
import { checkCommand } from "../../src/cli/check_command.ts";
import type { World } from "../../src/cli/command.ts";
import { createFiles } from "../../src/system/files.ts";

/** Runs the command in a folder with stub programs; returns the exit code and what was printed. */
async function check(
  args: readonly string[],
  project?: unknown,
): Promise<{ exit: number; out: string }> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-check-" }));
  for (const name of ["git", "tail"]) {
    Deno.writeTextFileSync(`${folder}/${name}`, "#!/bin/sh\n", { mode: 0o755 });
  }
  if (project) Deno.writeTextFileSync(`${folder}/cst-agent.json`, JSON.stringify(project));
  let out = "";
  const world = {
    files: createFiles(),
    env: { PATH: folder, HOME: folder },
    cwd: folder,
    stdout: (text: string) => out += text,
  } as unknown as World;
  try {
    const exit = await checkCommand(args, world);
    return { exit, out: out.replaceAll(folder, "HERE") };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("an allowed line shows each program, its rule, and what will run", async () => {
  assertEquals(await check(["--allow-run=git,tail", "git log 2>&1 | tail -n 5"]), {
    exit: 0,
    out: "git log 2>&1 | tail -n 5: allowed\n" +
      "  allow  git   --allow-run=git allows it (HERE/git)\n" +
      "  allow  tail  --allow-run=tail allows it (HERE/tail)\n" +
      "Runs as: 'HERE/git' 'log' 2>&1 | 'HERE/tail' '-n' '5'\n",
  });
});

Deno.test("a line with one program too many is refused with the flag that would allow it", async () => {
  assertEquals(await check(["--allow-run=git", 'git log -- "$(rm -r x)"']), {
    exit: 126,
    out: 'git log -- "$(rm -r x)": not allowed (asked on a terminal, refused without one)\n' +
      "  ask    rm   it is not on the list of --allow-run\n" +
      "  allow  git  --allow-run=git allows it (HERE/git)\n" +
      'Cannot run "rm": it is not on the list of --allow-run\n' +
      "Allowed by: --allow-run=rm\n",
  });
});

Deno.test("the JSON answer holds the whole decision", async () => {
  const { exit, out } = await check(["--json", "-A", "--deny-run=git", "git log"]);
  assertEquals([exit, JSON.parse(out)], [126, {
    command: "git log",
    kind: "deny",
    rule: "--deny-run=git",
    message: 'Cannot run "git": --deny-run=git denies it',
    findings: [{ name: "git", verdict: "deny", why: "--deny-run=git denies it" }],
    flag: null,
    grant: null,
  }]);
});

Deno.test("a command named like a truth value is a command", async () => {
  const { exit, out } = await check(["--allow-run=true", "--json", "true"]);
  assertEquals([exit, (JSON.parse(out) as { command: string }).command], [0, "true"]);
});

Deno.test("the project's configuration narrows what is checked, as it narrows a run", async () => {
  const project = { allowRun: ["git", "rm"] };
  const lines = ["git log", "tail x", "rm x"];
  const answers = await Promise.all(
    lines.map(async (line) => (await check(["--allow-run=git,tail", line], project)).exit),
  );
  assertEquals(answers, [0, 126, 126]);
});

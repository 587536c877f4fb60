import { assertEquals } from "@std/assert";
import { collectSpecs } from "../../scripts/write_cli_docs.ts";
import { completedCommands, completionsCommand, subjectsOf } from "../../src/cli/completions.ts";
import { runCommand } from "./io.ts";

Deno.test("Every command that says what it takes is completed", async () => {
  const names = (specs: readonly { name: string }[]) => specs.map(({ name }) => name).sort();
  assertEquals(names(completedCommands()), names(await collectSpecs()));
});

Deno.test("bash completes commands, actions, options and values", async () => {
  const { stdout } = await runCommand(completionsCommand, ["bash"]);
  const complete = async (...words: readonly string[]): Promise<string[]> => {
    const script = `${stdout}
COMP_WORDS=(cst-agent ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
_cst_agent; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout: out } = await new Deno.Command("bash", { args: ["--norc", "-c", script] })
      .output();
    return new TextDecoder().decode(out).trim().split("\n");
  };
  assertEquals(await complete("ses"), ["sessions"]);
  assertEquals(await complete("sessions", "ex"), ["export"]);
  assertEquals(await complete("run", "--max-st"), ["--max-steps"]);
  assertEquals(await complete("run", "--sandbox", "b"), ["bwrap"]);
  assertEquals(await complete("eval", "matr"), ["matrix"]);
  assertEquals(await complete("chat", "--allow-r"), ["--allow-read", "--allow-run"]);
});

/** Shells that aren't everywhere: where one is missing the test says so, and fails under CI only for bash. */
for (const [shell, args] of [["zsh", ["-n"]], ["fish", ["--no-execute"]]] as const) {
  Deno.test(`${shell} takes its script, if it is here`, async () => {
    const { stdout } = await runCommand(completionsCommand, [shell]);
    const file = await Deno.makeTempFile();
    try {
      await Deno.writeTextFile(file, stdout);
      const end = await new Deno.Command(shell, { args: [...args, file], stderr: "piped" })
        .output();
      assertEquals([end.code, new TextDecoder().decode(end.stderr)], [0, ""]);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      console.log(`left out: there is no ${shell} here to read its script`);
    } finally {
      await Deno.remove(file);
    }
  });
}

Deno.test("Each script names every command and every option", async () => {
  const subjects = subjectsOf(completedCommands());
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await runCommand(completionsCommand, [shell]);
    const spelled = (name: string) => shell === "fish" ? `-l ${name} ` : `--${name}`;
    const missing = subjects.flatMap(({ name, options }) => [
      ...(stdout.includes(name) ? [] : [name]),
      ...options.filter((option) => !stdout.includes(spelled(option.name))).map((it) => it.name),
    ]);
    assertEquals(missing, [], shell);
  }
});

Deno.test("Without a shell the command says which there are", async () => {
  for (const argv of [[], ["tcsh"], ["bash", "zsh"]]) {
    let message = "";
    try {
      await runCommand(completionsCommand, argv);
    } catch (error) {
      message = (error as Error).message;
    }
    assertEquals(message, 'Say which shell: "cst-agent completions bash", "zsh" or "fish"');
  }
});

/** A folder in which every program is a stub that writes its name and arguments to a log. */
import { SHELL_OPTIONS } from "../../src/permission/policy.ts";
import { ALLOWED, OTHERS, READERS, WRAPPERS } from "./shell_lines.ts";

export interface Scratch {
  readonly folder: string;
  readonly bin: string;
  /** Runs a text in an empty folder and returns the stubs that started, each as `name<argument>…`, sorted. */
  run(text: string): Promise<string[]>;
  /** Whether bash takes the text at all. (The parser mends a few lines that bash refuses; what's printed is as checked.) */
  isSyntax(text: string): Promise<boolean>;
  /** Runs a text and returns the files that were executed, the shell's own aside. */
  trace(text: string): Promise<string[]>;
  remove(): void;
}

export function createScratch(): Scratch {
  const folder = Deno.makeTempDirSync({ prefix: "cst-shell-" });
  const bin = `${folder}/bin`;
  let runs = 0;
  Deno.mkdirSync(bin);
  Deno.mkdirSync(`${folder}/work`);
  for (const name of [...ALLOWED, ...OTHERS]) {
    const body =
      `#!/bin/sh\ns=${name}; for x; do s="$s<$x>"; done; printf '%s\\036' "$s" >> "$LOG"\n`;
    Deno.writeTextFileSync(`${bin}/${name}`, body, { mode: 0o755 });
  }
  for (const name of [...WRAPPERS, ...READERS]) {
    const real = ["/usr/bin", "/bin"].map((place) => `${place}/${name}`).find(exists);
    if (real === undefined) throw new Error(`${name} is not on this machine`);
    Deno.symlinkSync(real, `${bin}/${name}`);
  }
  async function runShell(before: readonly string[], text: string, log: string): Promise<void> {
    // What runs in the background holds descriptor 9, so that the output ends when the last of it has.
    const held = 'exec 9>&1; exec /usr/bin/timeout -k 1 3 "$@" > /dev/null 2>&1';
    Deno.removeSync(`${folder}/work`, { recursive: true });
    Deno.mkdirSync(`${folder}/work`);
    // It is there from the start, so that a pattern finds the same whichever side of a pipe is first.
    Deno.writeTextFileSync(`${folder}/work/f`, "");
    const shell = ["/bin/bash", ...SHELL_OPTIONS, text];
    await new Deno.Command("/bin/sh", {
      args: ["-c", held, "sh", ...before, ...shell],
      cwd: `${folder}/work`,
      clearEnv: true,
      env: { PATH: bin, HOME: "/home/u", LOG: log },
      stdin: "null",
    }).output();
  }
  return {
    folder,
    bin,
    async run(text) {
      const log = `${folder}/log${++runs}`;
      Deno.writeTextFileSync(log, "");
      await runShell([], text, log);
      const records = Deno.readTextFileSync(log).split("\x1e").slice(0, -1);
      return records.map((record) => record.replace(/\/dev\/fd\/\d+|\/log\d+/g, "N")).sort();
    },
    async isSyntax(text) {
      const { success, stderr } = await new Deno.Command("/bin/bash", {
        args: ["-n", "-c", text],
        env: { LC_ALL: "C" },
      }).output();
      // After an error inside of "[[" bash 5.2 runs nothing and ends with 0 all the same.
      const complaints = new TextDecoder().decode(stderr).split("\n");
      return success && complaints.every((line) => line === "" || line.includes(": warning: "));
    },
    async trace(text) {
      const log = `${folder}/trace${++runs}`;
      await runShell(
        ["/usr/bin/strace", "-f", "-qq", "-e", "trace=execve", "-o", log],
        text,
        "/dev/null",
      );
      const files = [...Deno.readTextFileSync(log).matchAll(/execve\("([^"]*)".* = 0$/gm)];
      return files.map(([, file]) => file!).slice(1);
    },
    remove: () => Deno.removeSync(folder, { recursive: true }),
  };
}

export function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** The program under `deno run` with less than everything: what is missing is said in one sentence. */
import { assertEquals } from "@std/assert";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

/** Runs the program with these flags of the runtime; the last line of its standard error, its folder read as HERE. */
async function runWith(
  flags: readonly string[],
  argv: readonly string[],
  stdin = "",
): Promise<{ readonly exit: number; readonly stdout: string; readonly last: string }> {
  const here = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-own-" }));
  const named = (words: readonly string[]) => words.map((word) => word.replaceAll("HERE", here));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", "--quiet", ...named(flags), MAIN, ...named(argv)],
    cwd: here,
    env: { XDG_CONFIG_HOME: here, NO_COLOR: "1", CUSTOM_API_KEY: "key" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  Deno.removeSync(here, { recursive: true });
  const lines = new TextDecoder().decode(stderr).trimEnd().split("\n");
  return {
    exit: code,
    stdout: new TextDecoder().decode(stdout),
    last: lines.at(-1)!.replaceAll(here, "HERE"),
  };
}

const TASK = [
  "run",
  "--provider=custom",
  "--model=m",
  "--base-url=http://127.0.0.1:9/v1",
  "--session-dir=HERE/s",
  "--sandbox=off",
  "-p",
  "go",
];

Deno.test("under Deno's own sandbox the missing flag of the runtime is named", async () => {
  const rows: readonly (readonly [flags: readonly string[], exit: number, last: string])[] = [
    [[], 1, 'cst-agent: Cannot start: Deno itself was started without "--allow-env"'],
    [
      ["--allow-env"],
      1,
      'cst-agent: Cannot start: Deno itself was started without "--allow-read"',
    ],
    [
      ["--allow-env", "--allow-read"],
      3,
      'cst-agent: Cannot start a session "HERE/s": Deno itself was started without "--allow-write" ' +
      "(--session-dir names another folder)",
    ],
    [
      ["--allow-env", "--allow-read", "--allow-write=HERE"],
      4,
      "cst-agent: Cannot reach http://127.0.0.1:9/v1/chat/completions: " +
      'Deno itself was started without "--allow-net"',
    ],
  ];
  for (const [flags, exit, last] of rows) {
    const ended = await runWith(flags, TASK);
    assertEquals([ended.exit, ended.last], [exit, last]);
  }
});

Deno.test("a command that only computes works after it has given up every permission", async () => {
  const frame = "call a run\narg command ls\nend\n";
  const { exit, stdout } = await runWith(["-A"], ["parse", "--protocol", "ctl"], frame);
  const types = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).type);
  assertEquals([exit, types], [0, ["call", "arg", "ready", "end"]]);
});

import { assertEquals, assertRejects } from "@std/assert";
import { parseCommandLine } from "../../src/cli/args.ts";
import type { World } from "../../src/cli/command.ts";
import { RUN_SPEC } from "../../src/cli/run.ts";
import { splitPermissionFlags } from "../../src/cli/read_rules.ts";
import { type FaceSettings, readSettings } from "../../src/cli/settings.ts";
import { UserError } from "../../src/errors.ts";
import { createFiles } from "../../src/system/files.ts";
import { createLogFiles } from "../../src/system/log_file.ts";

interface Given {
  readonly argv?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly project?: unknown;
  readonly user?: unknown;
  /** A link in the project, and where it leads. */
  readonly link?: readonly [string, string];
}

/** The settings that these make, in a project of their own; its path reads as HERE. */
async function settle<T>(given: Given, look: (settings: FaceSettings) => T): Promise<T> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-settings-" }));
  try {
    Deno.mkdirSync(`${top}/p`);
    Deno.mkdirSync(`${top}/x/cst-agent`, { recursive: true });
    if (given.project) write(`${top}/p/cst-agent.json`, given.project);
    if (given.user) write(`${top}/x/cst-agent/config.json`, given.user);
    if (given.link) Deno.symlinkSync(given.link[1], `${top}/p/${given.link[0]}`);
    const env = { HOME: top, XDG_CONFIG_HOME: `${top}/x`, DEEPSEEK_API_KEY: "sk-12345678" };
    const { rest, words } = splitPermissionFlags(given.argv ?? []);
    const settings = await readSettings(
      { parsed: parseCommandLine(rest, RUN_SPEC), permissionWords: words },
      worldAt(`${top}/p`, { ...env, ...given.env }),
    );
    return JSON.parse(JSON.stringify(look(settings) ?? null).replaceAll(`${top}/p`, "HERE"));
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

function write(path: string, value: unknown): void {
  Deno.writeTextFileSync(path, JSON.stringify(value));
}

function worldAt(cwd: string, env: World["env"]): World {
  const unused = () => {
    throw new Error("not in this world");
  };
  return {
    files: createFiles(),
    logFiles: createLogFiles(),
    processes: { runGroup: unused, killAll: unused },
    clock: { now: unused, monotonic: unused, sleep: unused, random: unused },
    env,
    cwd,
    readStdin: unused,
    stdout: unused,
    stderr: unused,
    terminal: { stdin: false, stdout: false, stderr: false },
    signal: new AbortController().signal,
  };
}

Deno.test("flags go over the environment, that over the project, that over the user's file", async () => {
  const protocol = (settings: FaceSettings) => settings.task.protocol;
  const user = { protocol: "xml" };
  const project = { protocol: "ctl" };
  const env = { CST_PROTOCOL: "native-inc" };
  const argv = ["--protocol=native-eos"];
  assertEquals(await settle({}, protocol), "ctl-heredoc");
  assertEquals(await settle({ user }, protocol), "xml");
  assertEquals(await settle({ user, project }, protocol), "ctl");
  assertEquals(await settle({ user, project, env }, protocol), "native-inc");
  assertEquals(await settle({ user, project, env, argv }, protocol), "native-eos");
  assertEquals(await settle({ user, env: { CST_PROTOCOL: "" } }, protocol), "xml");
});

Deno.test("the working directory is the folder that the system would open, by its real path", async () => {
  const given = { argv: ["--cwd=link/.."], link: ["link", "../x/cst-agent"] } as const;
  assertEquals(await settle(given, ({ task }) => task.cwd.split("/").at(-1)), "x");
});

Deno.test("a field of the provider can be set from anywhere, the rest stays", async () => {
  const provider = ({ task: { provider: { name, baseUrl, model } } }: FaceSettings) => [
    name,
    baseUrl,
    model,
  ];
  const rows: readonly (readonly [Given, readonly string[]])[] = [
    [{}, ["deepseek", "https://api.deepseek.com", "deepseek-v4-flash"]],
    [{ argv: ["--model=x"] }, ["deepseek", "https://api.deepseek.com", "x"]],
    [{ argv: ["-m", "x"], env: { CST_MODEL: "y" } }, ["deepseek", "https://api.deepseek.com", "x"]],
    [
      { argv: ["--provider=sim", "--base-url=http://127.0.0.1:1/v1/"] },
      ["sim", "http://127.0.0.1:1/v1", "sim"],
    ],
    [{ argv: ["--provider=replay:rec"] }, ["replay", "http://replay.invalid", "replay"]],
    [
      { user: { provider: "custom", baseUrl: "http://h/v1", model: "m" } },
      ["custom", "http://h/v1", "m"],
    ],
    [{ project: { model: "p" } }, ["deepseek", "https://api.deepseek.com", "p"]],
  ];
  for (const [given, expected] of rows) {
    const [name, url, model] = await settle(given, provider);
    assertEquals([name, String(url).replace(/\/v1$/, ""), model], [
      expected[0],
      expected[1]!.replace(/\/v1$/, ""),
      expected[2],
    ]);
  }
});

Deno.test("a project's file narrows permissions and never widens them", async () => {
  const run = ({ task: { rules: { run } } }: FaceSettings) => run.allow;
  const write = ({ task: { rules: { write } } }: FaceSettings) => write.allow;
  const list = (...programs: string[]) => ({
    kind: "list",
    items: programs.map((program) => ({ text: program, program, subcommand: [] })),
  });
  const rows: readonly (readonly [Given, unknown])[] = [
    [{ project: { allowRun: ["make"] } }, { kind: "absent" }],
    [{ argv: ["-A"], project: { allowRun: ["make"] } }, list("make")],
    [{ argv: ["--allow-run"], project: { allowRun: [] } }, list()],
    [{ argv: ["--allow-run=make,git"], project: { allowRun: ["git", "rm"] } }, list("git")],
    [{ user: { allowRun: ["make"] } }, list("make")],
    [{ user: { allowRun: ["make"] }, argv: ["--allow-run=git"] }, list("git")],
  ];
  for (const [given, expected] of rows) assertEquals<unknown>(await settle(given, run), expected);
  assertEquals<unknown>(await settle({ argv: ["-A"], project: { allowWrite: ["src"] } }, write), {
    kind: "list",
    items: ["HERE/src"],
  });
  const denied = await settle(
    { argv: ["-A"], project: { denyWrite: ["keep"] }, user: { denyWrite: ["mine"] } },
    ({ task: { rules } }) => rules.write.deny,
  );
  assertEquals<unknown>(denied, { kind: "list", items: ["HERE/mine", "HERE/keep"] });
});

Deno.test("-A takes the sandbox away unless it's asked for; a project that narrows brings it back", async () => {
  const mode = ({ sandboxMode }: FaceSettings) => sandboxMode;
  assertEquals(await settle({}, mode), "auto");
  assertEquals(await settle({ argv: ["-A"] }, mode), "off");
  assertEquals(await settle({ argv: ["-A", "--sandbox=auto"] }, mode), "auto");
  assertEquals(await settle({ argv: ["-A"], project: { allowRun: ["make"] } }, mode), "auto");
  assertEquals(await settle({ user: { sandbox: "off" } }, mode), "off");
});

Deno.test("keys are out of the environment of commands, and known to the redactor", async () => {
  const env = { DEEPSEEK_API_KEY: "sk-12345678", OTHER_API_KEY: "other-12345", LANG: "C" };
  const seen = await settle({ env }, ({ task, key }) => [
    Object.keys(task.childEnv).filter((name) => name.endsWith("_API_KEY")),
    task.childEnv.LANG,
    key,
    task.redactor.mask("sk-12345678 other-12345"),
  ]);
  assertEquals<unknown>(seen, [[], "C", "sk-12345678", "[redacted] [redacted]"]);
});

Deno.test("limits and times are read with their units", async () => {
  const argv = [
    "--max-steps=7",
    "--timeout=1.5",
    "--tool-out-cap=100",
    "--line-limit=200",
    "--max-arg=300",
    "--idle-timeout=9",
    "--retries=0",
    "--context-limit=1000",
  ];
  assertEquals<unknown>(
    await settle({ argv }, (it) => [
      it.task.maxSteps,
      it.task.timeoutMs,
      it.task.outputCap,
      it.task.limits,
      it.idleMs,
      it.retries,
      it.task.provider.contextWindow,
    ]),
    [7, 1500, 100, { line: 200, argument: 300, argumentsPerCall: 64 }, 9000, 0, 1000],
  );
});

Deno.test("settings that can't be are refused with their exit code", async (t) => {
  const rows: readonly (readonly [readonly string[], number, string])[] = [
    [["--protocol=json"], 2, 'Unknown protocol "json"'],
    [["--sandbox=jail"], 2, 'Unknown sandbox mode "jail": there are auto, bwrap and off'],
    [["--timeout=soon"], 2, 'Option "--timeout" takes seconds, not "soon"'],
    [["--retries=-1"], 2, 'Option "--retries" takes a whole number, not "-1"'],
    [["--provider=x"], 3, 'Unknown provider "x"'],
    [["--provider=custom"], 3, 'Provider "custom" needs a base URL: give --base-url'],
    [["--provider=openai"], 3, 'No key for "openai": set OPENAI_API_KEY in the environment, or '],
    [["--provider=sim"], 3, 'The simulated model has no address: start "cst-agent sim" in another'],
    // What is wrong with the line is told before what the environment lacks.
    [["--provider=openai", "--max-steps=x"], 2, 'Option "--max-steps" takes a whole number'],
    [["--provider=openai", "--protocol=json"], 2, 'Unknown protocol "json"'],
    [["--redact=("], 2, 'Cannot read the pattern "(" of "--redact"'],
    [["--allow-net=x"], 2, 'Cannot take a value for "--allow-net"'],
    [["--cwd=nowhere"], 3, 'Cannot work in "nowhere": there is no such folder'],
  ];
  for (const [argv, exit, message] of rows) {
    await t.step(argv.join(" "), async () => {
      const error = await assertRejects(() => settle({ argv }, () => null), UserError, message);
      assertEquals(error.exit, exit);
    });
  }
});

Deno.test("a project's file can't let through what a link in the project leads to", async () => {
  const write = ({ task }: FaceSettings) => task.rules.write.allow;
  const link = ["link", "../x"] as const;
  const project = { allowWrite: ["link", "src"] };
  assertEquals(
    [
      await settle({ link, project }, write),
      await settle(
        { link: ["link", "src"], project, argv: ["--allow-write=link/a,link/b"] },
        write,
      ),
    ],
    [
      { kind: "list", items: ["HERE/src"] },
      { kind: "list", items: ["HERE/src/a", "HERE/src/b"] },
    ],
  );
});

/** The real program in a process of its own, as a person or a script starts it. */
import { type ScriptedAnswer, startScriptedServer } from "../scripted_server.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

/** What came of a program. */
export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program on its way. */
export interface Started {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  kill(signal: Deno.Signal): void;
}

/** A folder for a project and its sessions, with the environment that leads to a server. */
export interface Home {
  readonly top: string;
  readonly cwd: string;
  /** A script that starts the program with the words that it's given after `run -A`. */
  readonly agent: string;
  readonly env: { readonly [name: string]: string };
  start(argv: readonly string[], options?: { readonly env?: Home["env"] }): Started;
  run(argv: readonly string[], options?: { readonly env?: Home["env"] }): Promise<Ended>;
  /** Runs a script of `sh` in which `$AGENT` is the program. */
  shell(script: string): Promise<Ended>;
}

/** Runs `test` in a home of its own whose environment names the server at `baseUrl`; it's gone after it. */
export async function withHome(
  baseUrl: string,
  test: (home: Home) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-home-" }));
  const cwd = `${top}/project`;
  Deno.mkdirSync(cwd);
  const agent = `${top}/agent`;
  const start = `exec '${Deno.execPath()}' run -A --no-check --no-code-cache --quiet '${MAIN}'`;
  Deno.writeTextFileSync(agent, `#!/bin/sh\nshift\n${start} run -A "$@"\n`, { mode: 0o755 });
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: top,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    CST_PROVIDER: "custom",
    CST_MODEL: "m",
    CST_PROTOCOL: "native-eos",
    CST_BASE_URL: baseUrl,
    CST_SANDBOX: "off",
    CST_RETRIES: "1",
    AGENT: agent,
  };
  const home: Home = {
    top,
    cwd,
    agent,
    env,
    start: (argv, options = {}) =>
      startChild([
        Deno.execPath(),
        "run",
        "-A",
        "--no-check",
        "--no-code-cache",
        "--quiet",
        MAIN,
        ...argv,
      ], {
        cwd,
        env: { ...env, ...options.env },
      }),
    run: (argv, options) => home.start(argv, options).ended,
    shell: (script) => startChild(["bash", "-c", script], { cwd, env }).ended,
  };
  try {
    await test(home);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

function startChild(
  argv: readonly [string, ...string[]],
  place: { readonly cwd: string; readonly env: Home["env"] },
): Started {
  const child = new Deno.Command(argv[0], {
    args: argv.slice(1),
    ...place,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  return {
    pid: child.pid,
    ended: child.output().then(({ code, stdout, stderr }) => ({
      exit: code,
      stdout: decoder.decode(stdout),
      stderr: decoder.decode(stderr),
    })),
    kill: (signal) => child.kill(signal),
  };
}

/** Waits until `is` holds, at most `ms`; returns whether it does. */
export async function until(is: () => boolean, ms = 10_000): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += 20) {
    if (is()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return is();
}

/** Gives `test` a home whose program talks to a server that plays `answers`. */
export async function withProgram(
  answers: readonly ScriptedAnswer[],
  test: (home: Home, server: ReturnType<typeof startScriptedServer>) => Promise<void>,
): Promise<void> {
  const server = startScriptedServer(answers);
  try {
    await withHome(server.url, (home) => test(home, server));
  } finally {
    await server.close();
  }
}

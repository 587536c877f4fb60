/** The sandbox run for real, as whoever runs the tests and, if that is root, as an ordinary user too. */
import { assertEquals, assertRejects } from "@std/assert";
import { findProgram } from "../../src/agent/resolve.ts";
import { type SandboxWish, settleSandbox, trySandbox } from "../../src/agent/sandbox.ts";
import { ConfigError } from "../../src/errors.ts";
import { sandboxArgv } from "../../src/permission/sandbox.ts";
import type { SandboxPolicy } from "../../src/permission/sandbox_policy.ts";
import { createFiles } from "../../src/system/files.ts";
import { createClock } from "../../src/system/clock.ts";
import { createProcesses, findSetsid } from "../../src/system/process_group.ts";
import { leftAfter, runScript, uniqueSeconds } from "../system/processes.ts";

const NOBODY = 65534;
const PROGRAMS = {
  bwrap: (await findProgram(createFiles(), "bwrap", "/usr/bin:/bin"))?.path,
  seatbelt: false,
};

/** A project with a repository, beside a folder that isn't its own; both outside of `/tmp`. */
interface Scene {
  readonly user: "root" | "nobody" | "self";
  readonly project: string;
  readonly outside: string;
  readonly policy: SandboxPolicy;
  run(
    script: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<{ exit: number; output: string }>;
}

const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];

async function works(): Promise<boolean> {
  const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
  const sandbox = await trySandbox(PROGRAMS, processes);
  await processes.close();
  if (sandbox.kind === "none") console.log(`SANDBOX NOT TESTED: ${sandbox.why}`);
  return sandbox.kind !== "none";
}

async function withScene(
  user: Scene["user"],
  check: (scene: Scene) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync({ dir: "/var/tmp", prefix: "cst_sandbox_" });
  const project = `${folder}/project`;
  const outside = `${folder}/outside`;
  for (const path of [project, outside, `${folder}/state`, `${folder}/state/spill`]) {
    Deno.mkdirSync(path);
  }
  Deno.writeTextFileSync(`${folder}/state/session.jsonl`, "private\n");
  Deno.writeTextFileSync(`${folder}/state/spill/c1.out`, "spilled\n");
  Deno.writeTextFileSync(`${project}/cst-agent.json`, "{}\n");
  const owner = user === "nobody" ? `chown -R ${NOBODY}:${NOBODY} ${folder};` : "";
  await runScript(
    `git init -q; git config user.name t; git config user.email t@example.invalid; ` +
      `chmod 755 ${folder} ${project}; ${owner}`,
    { cwd: project, env: { PATH: "/usr/bin:/bin", HOME: folder } },
  );
  const policy = await settleSandbox(createFiles(), {
    cwd: project,
    write: [],
    hidden: [`${folder}/state`, `${folder}/no-such-config`],
    shown: [`${folder}/state/spill`],
    network: false,
  });
  const run: Scene["run"] = (script, options = {}) => {
    const argv = sandboxArgv({ kind: "bwrap", program: PROGRAMS.bwrap! }, policy, [
      "/bin/bash",
      "-c",
      script,
    ]);
    return runScript("", {
      argv: user === "nobody" ? [AS_NOBODY[0]!, ...AS_NOBODY.slice(1), ...argv] : argv,
      cwd: project,
      env: { PATH: "/usr/bin:/bin", HOME: project },
      ...options,
    });
  };
  try {
    await check({ user, project, outside, policy, run });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** What must not succeed. Nothing here could do harm if it did: it touches the scene alone, or only asks. */
const REFUSED: readonly (readonly [title: string, script: (scene: Scene) => string])[] = [
  ["writing outside", ({ outside }) => `echo x > ${outside}/x`],
  ["writing outside by a link", ({ outside }) => `ln -s ${outside} way; echo x > way/x`],
  ["moving a file outside", ({ outside }) => `echo x > x; mv x ${outside}/x`],
  ["linking a file of outside hard", ({ outside }) => `ln ${outside} y; echo x > ${outside}/x`],
  ["a hook", () => "echo x > .git/hooks/pre-commit"],
  ["the repository's configuration", () => "echo x >> .git/config"],
  ["the repository's configuration by git", () => "git config core.fsmonitor ./x"],
  ["moving the repository away", () => "mv .git elsewhere"],
  ["removing the hooks", () => "rm -rf .git/hooks; ! test -d .git/hooks"],
  ["the agent's configuration in the project", () => "echo x > cst-agent.json"],
  ["replacing the agent's configuration", () => "echo x > x; mv -f x cst-agent.json"],
  ["reading the session", ({ policy }) => `grep private ${policy.hidden[0]!.path}/session.jsonl`],
  ["writing to the session's folder", ({ policy }) => `echo x > ${policy.hidden[0]!.path}/x`],
  ["writing to the spill files", ({ policy }) => `echo x > ${policy.shown[0]!}/c1.out`],
  [
    "mounting the root writable again",
    ({ outside }) => `mount -o remount,rw,bind /; echo x > ${outside}/x`,
  ],
  [
    "mounting the root writable again in a user namespace of its own",
    ({ outside }) => `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x > ${outside}/x'`,
  ],
  [
    "the kernel's switches",
    () => "test -w /proc/sys/kernel/core_pattern || test -w /proc/sysrq-trigger",
  ],
  [
    "sockets of the machine",
    () => "ls /run/*.sock /run/*/*.sock /tmp/* /run/user 2>/dev/null | grep .",
  ],
  ["having any capability", () => "grep -q 'CapEff:.*[1-9a-f]' /proc/self/status"],
];

if (!await works()) {
  Deno.test("the sandbox is left out: bubblewrap can't run here", () => {
    // A machine may forbid it, and then nothing can be shown; but it must not just be forgotten.
    const forgotten = PROGRAMS.bwrap === undefined && Deno.env.get("CI") !== undefined;
    assertEquals(forgotten, false, "bubblewrap must be installed in CI");
  });
} else {
  const users = Deno.uid() === 0 ? ["root", "nobody"] as const : ["self"] as const;
  for (const user of users) {
    Deno.test(`the sandbox as ${user} refuses all that it must`, async () => {
      await withScene(user, async (scene) => {
        const before = snapshot(scene);
        for (const [title, script] of REFUSED) {
          const { exit } = await scene.run(script(scene));
          // A command that somebody ended by a signal was not refused.
          assertEquals({ title, refused: exit > 0 && exit < 128 }, { title, refused: true });
        }
        assertEquals(snapshot(scene), before);
      });
    });

    Deno.test(`the sandbox as ${user} has no network`, async () => {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      await withScene(user, async ({ run }) => {
        const { exit } = await run(`exec 3<>/dev/tcp/127.0.0.1/${listener.addr.port}`);
        assertEquals(exit !== 0, true);
        assertEquals((await run("grep -c : /proc/net/dev")).output, "1\n");
      });
      listener.close();
    });

    Deno.test(`the sandbox as ${user} sees no process outside`, async () => {
      const seconds = uniqueSeconds();
      const outsider = new Deno.Command("sleep", { args: [seconds], env: { CST_CANARY: "1" } })
        .spawn();
      await withScene(user, async ({ run }) => {
        assertEquals((await run(`kill ${outsider.pid}`)).exit, 1);
        assertEquals(
          (await run("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep CST_CANARY")).exit,
          1,
        );
        assertEquals((await run("ls -d /proc/[0-9]* | wc -l")).output.trim().length, 1);
      });
      outsider.kill("SIGKILL");
      assertEquals((await outsider.status).signal, "SIGKILL");
    });

    Deno.test(`the sandbox as ${user} lets work be done: files, commits, spill files, exit codes`, async () => {
      await withScene(user, async ({ run }) => {
        const done = await run(
          "echo a > a && mkdir -p d/e && mv a d/e/ && git add . && git commit -qm first && git log --format=%s",
        );
        assertEquals(done, { ...done, exit: 0, output: "first\n" });
        assertEquals(
          (await run("git init -q sub && cd sub && git config a.b c && echo ok")).output,
          "ok\n",
        );
        assertEquals(
          (await run("echo x > /tmp/x && echo x > /dev/null && cat /tmp/x")).output,
          "x\n",
        );
        assertEquals((await run("exit 7")).exit, 7);
        assertEquals((await run("kill -SEGV $$")).exit, 139);
      });
    });

    Deno.test(`the sandbox as ${user} takes all with it at the end, even what fled by setsid`, async () => {
      const seconds = uniqueSeconds();
      await withScene(user, async ({ run }) => {
        const left = await run(`setsid sleep ${seconds} >/dev/null 2>&1 & disown; echo started`);
        assertEquals([left.exit, left.output], [0, "started\n"]);
        assertEquals(await leftAfter(seconds, 2000), []);
        const { exit } = await run(`setsid sleep ${seconds} & sleep ${seconds}`, {
          timeoutMs: 300,
        });
        assertEquals(exit, 124);
        assertEquals(await leftAfter(seconds, 2000), []);
      });
    });
  }

  Deno.test("the sandbox lets a command clean up at the time limit", async () => {
    await withScene(users[0], async ({ run }) => {
      const { exit, output } = await run(
        "trap 'echo cleaned; exit 1' TERM; echo up; sleep 300 & wait",
        {
          timeoutMs: 500,
        },
      );
      assertEquals([exit, output], [124, "up\ncleaned\n"]);
    });
  });

  Deno.test("the sandbox lets no hook come to a repository without hooks", async () => {
    await withScene(users[0], async (scene) => {
      Deno.removeSync(`${scene.project}/.git/hooks`, { recursive: true });
      const { output } = await runIn(
        scene.project,
        "echo x > .git/hooks/x; git add . && git commit -qm a && echo ok",
      );
      assertEquals(output, "/bin/sh: 1: cannot create .git/hooks/x: Read-only file system\nok\n");
      assertEquals([...Deno.readDirSync(`${scene.project}/.git/hooks`)], []);
    });
  });

  Deno.test("in the home folder the sandbox hides what is there of the agent, and what is not there yet", async () => {
    await withScene(users[0], async ({ project }) => {
      Deno.mkdirSync(`${project}/.state/sessions`, { recursive: true });
      Deno.writeTextFileSync(`${project}/.state/sessions/s.jsonl`, "private\n");
      const { output } = await runIn(
        project,
        "cat .state/sessions/*; mv .state x; mv .config x; echo {} > .config/cst-agent/config.json",
        { hidden: [`${project}/.state/sessions`, `${project}/.config/cst-agent`] },
      );
      assertEquals(output.match(/No such file|resource busy|Read-only/g), [
        "No such file",
        "resource busy",
        "resource busy",
        "Read-only",
      ]);
      assertEquals([...Deno.readDirSync(`${project}/.config/cst-agent`)], []);
    });
  });

  Deno.test("the sandbox holds what is denied, however a command names it", async () => {
    await withScene(users[0], async ({ project }) => {
      Deno.mkdirSync(`${project}/docs`);
      Deno.mkdirSync(`${project}/keys`);
      for (const name of [".env", "keys/a", "docs/a"]) {
        Deno.writeTextFileSync(`${project}/${name}`, "canary\n");
      }
      Deno.symlinkSync("keys", `${project}/way`);
      const { output } = await runIn(
        project,
        "cat .e* way/a; grep -rh canary . ; mv keys k; echo x > docs/a; mv docs d; echo x > b && cat b",
        {
          denied: {
            read: [`${project}/.env`, `${project}/way`, `${project}/none`],
            write: [`${project}/docs`],
          },
        },
      );
      assertEquals(output.match(/canary|No such file|resource busy|Read-only|^x$/gm), [
        "No such file",
        "canary",
        "resource busy",
        "Read-only",
        "resource busy",
        "x",
      ]);
    });
  });

  Deno.test("the sandbox leaves a repository without configuration as it is", async () => {
    await withScene(users[0], async (scene) => {
      Deno.removeSync(`${scene.project}/.git/config`);
      const { output } = await runIn(
        scene.project,
        "echo x > .git/config; echo x > .git/x; git status -s | head -1",
      );
      assertEquals(output.match(/Read-only file system/g)?.length, 2, output);
      assertEquals(output.split("\n")[2], "?? cst-agent.json");
    });
  });
}

/** Runs a script behind the policy that the project has now. */
async function runIn(
  project: string,
  script: string,
  more: Partial<SandboxWish> = {},
): Promise<{ readonly output: string }> {
  const wish = { cwd: project, write: [], hidden: [], shown: [], network: false, ...more };
  const policy = await settleSandbox(createFiles(), wish);
  const argv = sandboxArgv({ kind: "bwrap", program: PROGRAMS.bwrap! }, policy, [
    "/bin/sh",
    "-c",
    script,
  ]);
  return await runScript("", { argv, cwd: project });
}

/** What the scene must still be when everything was tried. */
function snapshot({ project, outside, policy }: Scene): unknown {
  const read = (path: string) => Deno.readTextFileSync(path);
  return {
    outside: [...Deno.readDirSync(outside)],
    hooks: [...Deno.readDirSync(`${project}/.git/hooks`)].map(({ name }) => name).sort(),
    config: read(`${project}/.git/config`),
    own: read(`${project}/cst-agent.json`),
    session: [...Deno.readDirSync(policy.hidden[0]!.path)].map(({ name }) => name).sort(),
    spilled: read(`${policy.shown[0]!}/c1.out`),
  };
}

Deno.test("trySandbox() says why there is none", async () => {
  const processes = createProcesses({ clock: createClock(), setsid: findSetsid() });
  const missing = await trySandbox({ bwrap: undefined, seatbelt: false }, processes);
  const broken = await trySandbox({ bwrap: "/bin/false", seatbelt: false }, processes);
  await processes.close();
  assertEquals(missing, { kind: "none", why: "bubblewrap is not installed" });
  assertEquals(broken, { kind: "none", why: "the trial failed: it ended with 1" });
});

Deno.test("settleSandbox() refuses to hide the folder that it works in", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  Deno.mkdirSync(`${folder}/work`);
  const wish = { cwd: `${folder}/work`, write: [], hidden: [folder], shown: [], network: false };
  await assertRejects(() => settleSandbox(createFiles(), wish), ConfigError);
  Deno.removeSync(folder, { recursive: true });
});

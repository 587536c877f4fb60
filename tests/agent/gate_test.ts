import { assertEquals } from "@std/assert";
import { type Approval, createGate, type Permission, type Question } from "../../src/agent/gate.ts";
import { gatherFacts } from "../../src/agent/resolve.ts";
import { createPolicy } from "../../src/permission/policy.ts";
import { readPermissionFlags } from "../../src/permission/flags.ts";
import { createRules } from "../../src/permission/rules.ts";
import { readCommandLine } from "../../src/permission/shell.ts";
import { createFiles } from "../../src/system/files.ts";

interface Bench {
  readonly folder: string;
  run(command: string): Promise<Permission>;
  write(path: string): Promise<Permission["kind"]>;
  mayRead(path: string): Promise<boolean>;
  /** The argv for a permitted command, the bench's folder written as HERE. */
  argv(permission: Permission, command: string): string;
}

/** A gate in a folder `work` beside `outside`, with stub programs `a` and `b`; `work/out` is a link to `outside`. */
async function withGate(
  flags: readonly string[],
  options: { readonly approve?: (question: Question) => Approval },
  test: (bench: Bench) => Promise<void>,
): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-gate-" }));
  const cwd = `${folder}/work`;
  for (const name of ["work", "outside", "bin"]) Deno.mkdirSync(`${folder}/${name}`);
  for (const name of ["a", "b"]) {
    Deno.writeTextFileSync(`${folder}/bin/${name}`, "", { mode: 0o755 });
  }
  Deno.symlinkSync("../outside", `${cwd}/out`);
  const files = createFiles();
  const rules = createRules(readPermissionFlags(flags).flags, cwd);
  const env = { PATH: `${folder}/bin`, HOME: folder };
  const facts = await gatherFacts(files, rules, {
    cwd,
    env,
    ownPaths: [`${folder}/own`],
    foldCase: false,
  });
  const { approve } = options;
  const gate = createGate({
    files,
    cwd,
    path: env.PATH,
    policy: createPolicy(rules, facts),
    readCommand: (text) => Promise.resolve(readCommandLine(text, { home: folder })),
    ...approve ? { approve: (question) => Promise.resolve(approve(question)) } : {},
    sandbox: (argv) => argv,
  });
  const call = { id: "1", name: "run", arguments: {}, values: "text" } as const;
  const { signal } = new AbortController();
  try {
    await test({
      folder,
      run: (command) => gate.permit([{ kind: "run", command }], call, signal),
      write: async (path) => (await gate.permit([{ kind: "write", path }], call, signal)).kind,
      mayRead: (path) => gate.mayRead(`${cwd}/${path}`),
      argv: (permission, command) =>
        permission.kind === "refused"
          ? permission.message
          : permission.shell(permission.command ?? command).join(" ").replaceAll(folder, "HERE"),
    });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("a scoped command is printed anew for the pinned shell, another one refused with its flag", async () => {
  await withGate(["--allow-run=a"], {}, async ({ run, argv }) => {
    assertEquals(
      [argv(await run("a  x | a"), ""), argv(await run("a; b"), "")],
      [
        "/bin/bash --noprofile --norc -c 'HERE/bin/a' 'x' | 'HERE/bin/a'",
        'Refused: Cannot run "b": it is not on the list of --allow-run (allowed by --allow-run=b)',
      ],
    );
  });
});

Deno.test("what a person grants for the session is run pinned from then on", async () => {
  const asked: string[] = [];
  const approve = (question: Question): Approval => {
    asked.push(question.decision.message);
    return { kind: "always" };
  };
  await withGate([], { approve }, async ({ run, argv }) => {
    assertEquals([argv(await run("b x"), "b x"), argv(await run("b y"), "b y")], [
      "/bin/sh -c b x",
      "/bin/bash --noprofile --norc -c 'HERE/bin/b' 'y'",
    ]);
    assertEquals(asked, ['Cannot run "b": running programs needs --allow-run']);
  });
});

Deno.test("a link out of the working directory is followed before a write is permitted", async () => {
  await withGate([], {}, async ({ write }) => {
    assertEquals(
      await Promise.all(["new", "out/new", "out", ".git/config", "../work/new"].map(write)),
      ["permitted", "refused", "refused", "refused", "permitted"],
    );
  });
});

Deno.test("with all allowed, a command runs as it is, but not into the agent's own files", async () => {
  await withGate(["-A"], {}, async ({ run, argv, folder }) => {
    assertEquals(
      [
        argv(await run("x=1; $x > f"), "x=1; $x > f"),
        (await run(`echo x >> ${folder}/own/rules`)).kind,
      ],
      ["/bin/sh -c x=1; $x > f", "refused"],
    );
  });
});

Deno.test("a walk passes over what is denied, by any of its names, and over the insides of processes", async () => {
  await withGate(["--allow-read", "--deny-read=.env,closed"], {}, async ({ folder, mayRead }) => {
    Deno.mkdirSync(`${folder}/work/closed`);
    for (const name of [".env", ".env.example", "closed/a"]) {
      Deno.writeTextFileSync(`${folder}/work/${name}`, "");
    }
    Deno.linkSync(`${folder}/work/.env`, `${folder}/work/copy`);
    const names = [
      ".env",
      ".env.example",
      "closed/a",
      "copy",
      "out/new",
      "../../../proc/self/environ",
    ];
    const answers = await Promise.all(names.map(mayRead));
    assertEquals(answers, [false, true, false, false, true, false]);
  });
});

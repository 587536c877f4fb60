import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type ConfigFile, configHome, parseConfig, readConfigs } from "../../src/cli/config.ts";
import { ConfigError } from "../../src/errors.ts";
import { createFiles } from "../../src/system/files.ts";

Deno.test("a configuration that isn't one is refused with the file, the key and what it must be", async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ["", `Cannot read "c.json": it isn't JSON`],
    ["[]", `Cannot read "c.json": it isn't a JSON object`],
    ["null", `Cannot read "c.json": it isn't a JSON object`],
    ['{"protocl":"ctl"}', 'Unknown key "protocl" in "c.json": did you mean "protocol"?'],
    ['{"toString":"x"}', 'Unknown key "toString" in "c.json"'],
    ['{"protocol":1}', 'Cannot take "protocol" from "c.json": it must be a string'],
    ['{"maxSteps":"5"}', 'Cannot take "maxSteps" from "c.json": it must be a number'],
    ['{"allowRun":"make"}', 'Cannot take "allowRun" from "c.json": it must be a list of strings'],
    ['{"allowRun":[1]}', 'Cannot take "allowRun" from "c.json": it must be a list of strings'],
  ];
  for (const [text, message] of rows) {
    await t.step(text === "" ? "nothing" : text, () => {
      const error = assertThrows(() => parseConfig(text, "c.json"), ConfigError);
      assertEquals(error.message, message);
    });
  }
});

Deno.test("a configuration with every key is taken as it is", () => {
  const config = {
    $schema: "x",
    protocol: "ctl",
    provider: "ollama",
    model: "m",
    baseUrl: "http://127.0.0.1/v1",
    keyVariable: "K",
    maxSteps: 5,
    contextLimit: 9000,
    sandbox: "off",
    allowRead: ["a"],
    allowWrite: [],
    allowRun: ["make"],
    denyRead: ["b"],
    denyWrite: ["c"],
    denyRun: ["rm"],
    redact: ["x+"],
  };
  assertEquals<unknown>(parseConfig(JSON.stringify(config), "c.json"), config);
});

/** Both files, as they're read with this project's and this user's text. */
async function readBoth(project: string | undefined, user: string | undefined) {
  const top = Deno.makeTempDirSync({ prefix: "cst-config-" });
  try {
    Deno.mkdirSync(`${top}/p`);
    Deno.mkdirSync(`${top}/x/cst-agent`, { recursive: true });
    if (project !== undefined) Deno.writeTextFileSync(`${top}/p/cst-agent.json`, project);
    if (user !== undefined) Deno.writeTextFileSync(`${top}/x/cst-agent/config.json`, user);
    const env = { XDG_CONFIG_HOME: `${top}/x` };
    const configs = await readConfigs(createFiles(), { cwd: `${top}/p`, env });
    const { project: narrow, user: own, paths } = configs;
    return { project: narrow, user: own, paths: paths.map((path) => path.replace(top, "")) };
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("both files are read where they are, and both are the agent's own", async () => {
  const paths = ["/p/cst-agent.json", "/x/cst-agent", "/x/cst-agent/config.json"];
  assertEquals(await readBoth(undefined, undefined), { project: {}, user: {}, paths });
  assertEquals(await readBoth('{"protocol":"ctl"}', '{"provider":"ollama"}'), {
    project: { protocol: "ctl" },
    user: { provider: "ollama" },
    paths,
  });
});

Deno.test("a configuration that is no file is refused instead of waited for", async () => {
  const top = Deno.makeTempDirSync({ prefix: "cst-config-" });
  try {
    await new Deno.Command("mkfifo", { args: [`${top}/cst-agent.json`] }).output();
    await assertRejects(
      () => readConfigs(createFiles(), { cwd: top, env: {} }),
      ConfigError,
      'cst-agent.json": it is not a file',
    );
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("a project's file can't say where requests and keys go, nor take the sandbox away", async () => {
  const keys: Partial<ConfigFile> = {
    provider: "custom",
    baseUrl: "http://evil.test/v1",
    keyVariable: "AWS_SECRET_ACCESS_KEY",
    sandbox: "off",
  };
  for (const [key, value] of Object.entries(keys)) {
    await assertRejects(
      () => readBoth(JSON.stringify({ [key]: value }), undefined),
      ConfigError,
      `Cannot take "${key}" from "`,
    );
  }
});

Deno.test("a folder of configurations that would lie in the project is ignored", () => {
  const rows = [
    [{ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "/x"],
    [{ XDG_CONFIG_HOME: "", HOME: "/h" }, "/h/.config"],
    [{ XDG_CONFIG_HOME: ".", HOME: "/h" }, "/h/.config"],
    [{ HOME: "" }, undefined],
    [{}, undefined],
  ] as const;
  for (const [env, folder] of rows) assertEquals(configHome(env), folder);
});

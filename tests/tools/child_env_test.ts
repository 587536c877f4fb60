import { assertEquals } from "@std/assert";
import { childEnv } from "../../src/tools/child_env.ts";

const OPTIONS = { keyNames: ["FAKE_PROVIDER_KEY"], pass: [], scoped: false };
const QUIET = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat" };

Deno.test("childEnv() takes out keys of providers, their copies and what looks like a secret", () => {
  const env = {
    PATH: "/bin",
    HOME: "/root",
    PAGER: "less",
    FAKE_PROVIDER_KEY: "fake-0001",
    COPY_OF_IT: "fake-0001",
    DEEPSEEK_API_KEY: "a",
    API_KEY: "b",
    GITHUB_TOKEN: "c",
    TOKEN: "d",
    npm_config_token: "e",
    AWS_SECRET_ACCESS_KEY: "f",
    MY_SECRETS: "g",
    PGPASSWORD: "h",
    DB_PASSWORD_FILE: "i",
    TOKENIZERS_PARALLELISM: "true",
    KEYBOARD: "us",
  };
  assertEquals(childEnv(env, OPTIONS), {
    PATH: "/bin",
    HOME: "/root",
    TOKENIZERS_PARALLELISM: "true",
    KEYBOARD: "us",
    ...QUIET,
  });
});

Deno.test("childEnv() lets through what is named, a provider's key too", () => {
  const env = { FAKE_PROVIDER_KEY: "fake-0001", GH_TOKEN: "t" };
  const pass = ["FAKE_PROVIDER_KEY", "GH_TOKEN"];
  assertEquals(childEnv(env, { ...OPTIONS, pass }), { ...env, ...QUIET });
});

Deno.test("childEnv() takes a short key's name out but no other variable of that value", () => {
  assertEquals(childEnv({ FAKE_PROVIDER_KEY: "1", DEBUG: "1" }, OPTIONS), { DEBUG: "1", ...QUIET });
});

Deno.test("childEnv() takes out what runs other code where only some programs are allowed", () => {
  const env = {
    LD_PRELOAD: "/x.so",
    LD_LIBRARY_PATH: "/lib",
    DYLD_INSERT_LIBRARIES: "/x",
    BASH_ENV: "/x",
    ENV: "/x",
    "BASH_FUNC_ls%%": "() { :; }",
    LANG: "C",
  };
  assertEquals(childEnv(env, OPTIONS), { ...env, ...QUIET });
  assertEquals(childEnv(env, { ...OPTIONS, scoped: true, pass: ["LD_PRELOAD"] }), {
    LANG: "C",
    ...QUIET,
  });
});

Deno.test("a copy of any model server's key is taken out, whichever server is configured", () => {
  const env = { OTHER_API_KEY: "k-12345678", COPY: "k-12345678", HOST: "h-12345678" };
  assertEquals(childEnv(env, { keyNames: [], pass: [], scoped: false }), {
    HOST: "h-12345678",
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
  });
});

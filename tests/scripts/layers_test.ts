import { assertEquals } from "@std/assert";
import { findFaults } from "../../scripts/layers.ts";

const faultsOf = (files: { readonly [path: string]: string }) =>
  findFaults(new Map(Object.entries(files)));

Deno.test("what the layers allow is no fault", () => {
  assertEquals(
    faultsOf({
      "src/vocab.ts": "export type A = 1;",
      "src/patch/a.ts": 'import type { A } from "../vocab.ts";\nimport { b } from "./b.ts";',
      "src/patch/b.ts": "export const b = 1;",
      "src/system/files.ts": "Deno.readFile(globalThis.name); setTimeout(f, 1);",
      "src/system/system.ts": "export interface Files {}",
      "src/tools/a.ts":
        'import type { Files } from "../system/system.ts";\nconst now = Date.now();',
      "src/provider/client.ts": "await fetch(url);",
      "src/sim/a.ts": "server.fetch(request); prefetch(x);",
      "src/cli/a.ts": 'await import("../permission/shell.ts"); console.log(1);',
      "src/permission/shell.ts": 'import { parse } from "unbash";',
    }),
    [],
  );
});

Deno.test("a forbidden arrow is a fault in every spelling of an import", () => {
  const target = "src/system/files.ts";
  const rows: readonly (readonly [string, string])[] = [
    ["src/protocol/a.ts", 'import { x } from "../system/files.ts";'],
    ["src/protocol/a.ts", 'import type { X } from "../system/files.ts";'],
    ["src/protocol/a.ts", 'import {\n  x,\n  y,\n} from "../system/files.ts";'],
    ["src/protocol/a.ts", 'export { x } from "../system/files.ts";'],
    ["src/protocol/a.ts", 'export * from "../system/files.ts";'],
    ["src/protocol/a.ts", 'import "../system/files.ts";'],
    ["src/protocol/a.ts", 'await import("../system/files.ts");'],
    ["src/protocol/a.ts", 'const glob = "/*"; import { x } from "../system/files.ts"; // */'],
    ["src/tools/a.ts", 'import { x } from "../system/files.ts";'],
    ["src/agent/deep/a.ts", 'import { x } from "../../system/files.ts";'],
    ["src/vocab.ts", 'import { x } from "./system/files.ts";'],
    ["src/newcomer/a.ts", 'import { x } from "../system/files.ts";'],
  ];
  for (const [path, text] of rows) {
    assertEquals([text, faultsOf({ [path]: text })], [text, [`${path} may not import ${target}`]]);
  }
  assertEquals(
    faultsOf({ "src/provider/a.ts": 'import { x } from "../protocol/mod.ts";' }),
    ["src/provider/a.ts may not import src/protocol/mod.ts"],
  );
});

Deno.test("a pure file that touches the world is a fault", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["Date.now()", ["is pure and may not use Date.now("]],
    ["new Date()", ["is pure and may not use new Date()"]],
    ["performance.now()", ["is pure and may not use performance."]],
    ["setTimeout(f, 1)", ["is pure and may not use setTimeout("]],
    ["setInterval(f, 1)", ["is pure and may not use setInterval("]],
    ["AbortSignal.timeout(1)", ["is pure and may not use AbortSignal.timeout("]],
    ["Math.random()", ["is pure and may not use Math.random("]],
    ["console.log(1)", ["is pure and may not use console."]],
    ["crypto.randomUUID()", ["is pure and may not use crypto."]],
    ["Deno.cwd()", ["is pure and may not use Deno.", ": only system/ says Deno."]],
    ["fetch(url)", ["is pure and may not use fetch(", ": only provider/client.ts says fetch"]],
    ["new Date(1)", []],
    ["// Deno.cwd()", []],
    ["/* Deno.cwd() */", []],
    ['const a = "/*"; Date.now(); const b = "*/";', ["is pure and may not use Date.now("]],
  ];
  for (const room of ["sse", "protocol", "patch", "permission", "text"]) {
    const path = `src/${room}/a.ts`;
    for (const [text, ends] of rows) {
      const expected = ends.map((end) => path + (end.startsWith(":") ? end : ` ${end}`));
      assertEquals([text, faultsOf({ [path]: text })], [text, expected]);
    }
  }
});

Deno.test("what only one place may say is a fault anywhere else", () => {
  assertEquals(
    faultsOf({
      "src/cli/a.ts": "Deno.exit(1);",
      "src/agent/a.ts": 'globalThis["De" + "no"].exit(1);',
      "src/eval/a.ts": "await fetch(url);",
      "src/provider/b.ts": "await fetch(url);",
      "src/system/a.ts": "await import(path);",
      "src/tools/a.ts": "await import(`./${name}.ts`);",
    }),
    [
      "src/cli/a.ts: only system/ says Deno.",
      "src/agent/a.ts: globalThis reaches what only system/ may name",
      "src/eval/a.ts: only provider/client.ts says fetch",
      "src/provider/b.ts: only provider/client.ts says fetch",
      "src/system/a.ts: a computed import() loads any file",
      "src/tools/a.ts: a computed import() loads any file",
    ],
  );
});

Deno.test("files that import each other in a ring are a fault, once", () => {
  assertEquals(
    faultsOf({
      "src/patch/start.ts": 'import "./a.ts";',
      "src/patch/a.ts": 'import "./b.ts";',
      "src/patch/b.ts": 'import "./c.ts";',
      "src/patch/c.ts": 'import "./a.ts";',
    }),
    ["import cycle: src/patch/a.ts → src/patch/b.ts → src/patch/c.ts → src/patch/a.ts"],
  );
  assertEquals(faultsOf({ "src/patch/a.ts": 'import "./a.ts";' }), [
    "import cycle: src/patch/a.ts → src/patch/a.ts",
  ]);
});

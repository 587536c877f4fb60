import { assertEquals } from "@std/assert";
import type { JsonObject, ToolParameters } from "../../src/vocab.ts";
import { validateArguments } from "../../src/tools/validate.ts";

const schema: ToolParameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "" },
    line: { type: "integer", minimum: 1, maximum: 9, description: "" },
    ratio: { type: "number", description: "" },
    all: { type: "boolean", description: "" },
    options: { type: "object", description: "" },
    list: { type: "array", description: "" },
  },
  required: ["path"],
};

function check(values: "text" | "json", args: JsonObject) {
  const result = validateArguments({ arguments: args, values }, schema);
  return result.kind === "ok" ? result.args : result.message;
}

Deno.test("Text values become what the schema says", () => {
  assertEquals(
    check("text", {
      path: " 7 ",
      line: "7",
      ratio: "-1.5e3",
      all: "True",
      options: '{"a":1}',
      list: "[1]",
    }),
    { path: " 7 ", line: 7, ratio: -1500, all: true, options: { a: 1 }, list: [1] },
  );
});

Deno.test("What is missing, ill-typed, out of bounds or unknown is named, all at once", () => {
  const rows: ["text" | "json", JsonObject, string][] = [
    ["json", {}, 'argument "path" is missing'],
    ["json", { path: 1 }, 'argument "path" must be a string, not 1'],
    ["json", { path: null }, 'argument "path" must be a string, not null'],
    ["json", { path: "a", line: "7" }, 'argument "line" must be a whole number, not "7"'],
    ["text", { path: "a", line: "7.5" }, 'argument "line" must be a whole number, not "7.5"'],
    ["text", { path: "a", line: "0" }, 'argument "line" must be at least 1, not "0"'],
    ["json", { path: "a", line: 10 }, 'argument "line" must be at most 9, not 10'],
    ["text", { path: "a", all: "yes" }, 'argument "all" must be true or false, not "yes"'],
    ["text", { path: "a", options: "[]" }, 'argument "options" must be an object, not "[]"'],
    [
      "json",
      { path: "a", file: "b", __proto__x: 1 },
      'there is no argument "file" (there are: path, line, ratio, all, options, list); there is no argument "__proto__x" (there are: path, line, ratio, all, options, list)',
    ],
    [
      "json",
      { constructor: "b" },
      'there is no argument "constructor" (there are: path, line, ratio, all, options, list); argument "path" is missing',
    ],
  ];
  for (const [values, args, problem] of rows) {
    assertEquals(check(values, args), `The call was not run: ${problem}.`);
  }
});

Deno.test("A null stands for an optional argument that is left out", () => {
  assertEquals(check("json", { path: "a", line: null }), { path: "a" });
});

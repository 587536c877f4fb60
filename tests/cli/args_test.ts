import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/errors.ts";
import { type CommandSpec, helpText, parseCommandLine } from "../../src/cli/args.ts";

const SPEC: CommandSpec = {
  name: "run",
  usage: "run [PROMPT]",
  summary: "Runs one task",
  example: "cst-agent run -p hi",
  options: [
    { name: "prompt", short: "p", value: "TEXT", help: "The task" },
    { name: "json", help: "Events" },
    { name: "allow-run", value: "LIST", optionalValue: true, many: true, help: "Programs" },
    { name: "max-steps", value: "N", help: "Steps" },
  ],
};

function read(...argv: string[]) {
  const parsed = parseCommandLine(argv, SPEC);
  return {
    positional: parsed.positional,
    prompt: parsed.value("prompt"),
    json: parsed.flag("json"),
    allowRun: parsed.values("allow-run"),
    maxSteps: parsed.value("max-steps"),
  };
}
const NOTHING = {
  positional: [] as readonly string[],
  prompt: undefined as string | undefined,
  json: false,
  allowRun: [] as readonly string[],
  maxSteps: undefined as string | undefined,
};

Deno.test("parseCommandLine() reads options in every spelling", () => {
  const rows: [string[], Partial<typeof NOTHING>][] = [
    [[], {}],
    [["-p", "hi"], { prompt: "hi" }],
    [["-p=hi"], { prompt: "hi" }],
    [["--prompt", "hi"], { prompt: "hi" }],
    [["--prompt=a=b"], { prompt: "a=b" }],
    [["-p", "- first item"], { prompt: "- first item" }],
    [["-p", "-x"], { prompt: "-x" }],
    [["-p", "-"], { prompt: "-" }],
    [["--", "-x marks it"], { positional: ["-x marks it"] }],
    [["fix", "it", "--json"], { positional: ["fix", "it"], json: true }],
    [["-"], { positional: ["-"] }],
    [["007"], { positional: ["007"] }],
    [["--allow-run"], { allowRun: [""] }],
    [["--allow-run=make,git", "--allow-run=git status", "x"], {
      allowRun: ["make,git", "git status"],
      positional: ["x"],
    }],
    [["--max-steps", "3"], { maxSteps: "3" }],
  ];
  for (const [argv, expected] of rows) {
    assertEquals(read(...argv), { ...NOTHING, ...expected }, argv.join(" "));
  }
});

Deno.test("parseCommandLine() names what is wrong", () => {
  const rows: [string[], string][] = [
    [["--promt", "x"], 'Unknown option "--promt": did you mean "--prompt"?'],
    [["--zzzzzz"], 'Unknown option "--zzzzzz" (see "cst-agent run --help")'],
    [["-z"], 'Unknown option "-z"'],
    [["-p"], 'Option "-p" needs a value: -p TEXT'],
    [["--json=1"], 'Option "--json" takes no value'],
    [["-p", "a", "--prompt", "b"], 'Option "--prompt" is given twice'],
  ];
  for (const [argv, message] of rows) {
    assertThrows(() => parseCommandLine(argv, SPEC), UsageError, message);
  }
});

Deno.test("helpText() shows every option and an example", () => {
  assertEquals(
    helpText(SPEC),
    `Runs one task

Usage: cst-agent run [PROMPT]

Options:
  -p, --prompt TEXT       The task
      --json              Events
      --allow-run[=LIST]  Programs
      --max-steps N       Steps
  -h, --help              Show this help

Example:
  cst-agent run -p hi
`,
  );
});

import { assertEquals } from "@std/assert";
import { sharedData } from "../shared_data.ts";
import { decideCommand, decidePath, type Machine } from "./machine.ts";

/** Cases that are lines with a verdict each; the choice in those marked "policy" is in docs/decisions/permissions.md. */
const COMMAND_CASES = "G02 G04 G05 G07 G09 G10 G14 G17 G24 G25 G27 G29".split(" ");

const HOME: Machine = {
  cwd: "/w/ws",
  ownPaths: ["/home/u/.config/cst-agent", "/home/u/.local/state/cst-agent"],
};

interface Line {
  readonly command: string;
  readonly verdict: string;
}

function linesOf<T>(file: URL): T[] {
  return Deno.readTextFileSync(file).trim().split("\n").map((line) => JSON.parse(line) as T);
}

for (const id of COMMAND_CASES) {
  Deno.test(`the command lines of case ${id} get their verdicts`, () => {
    const folder = sharedData(`cases/${id}/`);
    if (!folder) return;
    const { flags } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", folder))) as {
      flags: string[];
    };
    const rules = flags.map((flag) => flag.replaceAll("'", ""));
    const lines = linesOf<Line>(new URL("commands.jsonl", folder));
    // G27 leaves the choice open, and asks that the message names the assignment.
    const wanted = (verdict: string) => verdict.includes(" or ") ? "not-allowed" : verdict;
    assertEquals(
      lines.map(({ command }) => {
        const { kind } = decideCommand(rules, command, HOME);
        return { command, verdict: kind === "allow" ? "allowed" : "not-allowed" };
      }),
      lines.map(({ command, verdict }) => ({ command, verdict: wanted(verdict) })),
    );
  });
}

Deno.test("a refused assignment is named in the message", () => {
  const decision = decideCommand(["--allow-run=go"], "GOFLAGS=-mod=vendor go version", HOME);
  assertEquals(
    decision.message,
    'Cannot run "GOFLAGS=-mod=vendor go version": ' +
      'Cannot be sure of the assignment to "GOFLAGS", which may change what runs',
  );
});

Deno.test("links that lead out of the working directory are followed before a path is judged (G19, G20)", () => {
  const machine: Machine = {
    ...HOME,
    links: { "/w/ws/out": "/w/outside", "/w/ws/notes.md": "/w/victim.txt" },
  };
  const kinds = ([
    ["read", "out/x"],
    ["write", "out/x"],
    ["write", "out/new.txt"],
    ["write", "real/new.txt"],
    ["write", "notes.md"],
    ["read", "notes.md"],
  ] as const).map(([kind, path]) => decidePath([], { kind, path }, machine).kind);
  assertEquals(kinds, ["ask", "ask", "ask", "allow", "ask", "ask"]);
});

Deno.test("the agent's own files are never written, whatever the rules (G22)", () => {
  const own = "/home/u/.config/cst-agent/rules";
  for (
    const flags of [["--allow-write=.", "--allow-run"], ["--allow-write", "--allow-run"], ["-A"]]
  ) {
    assertEquals(
      [
        decidePath(flags, { kind: "write", path: own }, HOME).kind,
        decidePath(flags, { kind: "write", path: "./.cst-agent/config.json" }, HOME).kind,
        decideCommand(flags, `echo x >> ${own}`, HOME).kind,
        decideCommand(flags, "echo x >> ~/.config/cst-agent/rules", HOME).kind,
      ],
      ["deny", "deny", "deny", "deny"],
    );
  }
});

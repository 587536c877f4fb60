import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { UsageError } from "../../src/errors.ts";
import { escapeForDisplay } from "../../src/permission/display.ts";
import { createPolicy } from "../../src/permission/policy.ts";
import { readPermissionFlags } from "../../src/permission/flags.ts";
import { createRules, narrow } from "../../src/permission/rules.ts";
import { decideCommand, decidePath, type Machine } from "./machine.ts";

const HOME: Machine = { cwd: "/w/proj" };
const flagsOf = (...args: string[]) => readPermissionFlags(args).flags;

Deno.test("flags add up, a bare flag is everything, an empty list nothing", () => {
  assertEquals(
    [
      flagsOf("--allow-run=a", "--allow-run=b,").allowRun,
      flagsOf("--allow-run=a", "--allow-run").allowRun,
      flagsOf("--allow-run=").allowRun,
      flagsOf().allowRun,
    ],
    [
      { kind: "list", items: ["a", "b"] },
      { kind: "all" },
      { kind: "list", items: [] },
      { kind: "absent" },
    ],
  );
});

Deno.test("what follows -- is left alone, and other options too", () => {
  assertEquals(readPermissionFlags(["-x", "-A", "--", "--allow-run"]).rest, [
    "-x",
    "--",
    "--allow-run",
  ]);
});

Deno.test("the network is all or nothing", () => {
  assertThrows(() => flagsOf("--allow-net=example.com"), UsageError, 'for "--allow-net"');
});

Deno.test("a project's rules narrow and never widen", () => {
  const user = createRules(flagsOf("--allow-run=git,make", "--allow-write=src"), "/w");
  assertEquals(
    [
      narrow(user, flagsOf("--allow-run=rm"), "/w").run.allow,
      narrow(user, flagsOf("--allow-run"), "/w").run.allow,
      narrow(user, flagsOf("-A"), "/w"),
      narrow(user, flagsOf("--allow-write=.,src/a"), "/w").write.allow,
      narrow(user, flagsOf("--deny-write=src/b"), "/w").write.deny,
      narrow(createRules(flagsOf("-A"), "/w"), flagsOf("--allow-run=git"), "/w").run.allow,
    ],
    [
      { kind: "list", items: [] },
      user.run.allow,
      user,
      { kind: "list", items: ["/w/src", "/w/src/a"] },
      { kind: "list", items: ["/w/src/b"] },
      { kind: "list", items: [{ text: "git", program: "git", subcommand: [] }] },
    ],
  );
});

Deno.test("what a project's file names is not what the user named", () => {
  const rules = narrow(createRules(flagsOf(), "/w"), flagsOf("--allow-write=.,.vscode"), "/w");
  const policy = createPolicy(rules, {
    cwd: "/w",
    home: "/home/u",
    programs: new Map(),
    realPaths: new Map(),
    ownPaths: [],
    foldCase: false,
  });
  const write = (path: string) =>
    policy.decide({ kind: "write", path: { path, real: path, links: 1 } }).kind;
  assertEquals([write("/w/a"), write("/w/.vscode/tasks.json")], ["allow", "ask"]);
});

const STRICTNESS = ["allow", "ask", "deny"];
const name = fc.constantFrom("a", "b", "c");
const names = fc.array(name, { maxLength: 3 });
const command = fc.array(name, { minLength: 1, maxLength: 4 }).map((words) => words.join(" && "));

Deno.test("a deny never makes a verdict weaker, nor does taking away an allow", () => {
  fc.assert(fc.property(names, names, name, command, (allow, deny, more, line) => {
    const at = (allow: string[], deny: string[]) =>
      STRICTNESS.indexOf(
        decideCommand(
          [`--allow-run=${allow.join(",")}`, ...deny.map((one) => `--deny-run=${one}`)],
          line,
          HOME,
        )
          .kind,
      );
    const here = at(allow, deny);
    return at(allow, [...deny, more]) >= here && at([...allow, more], deny) <= here;
  }));
});

Deno.test("two lines joined get the stricter verdict of both", () => {
  const flags = ["--allow-run=a,b", "--deny-run=c"];
  fc.assert(
    fc.property(
      command,
      command,
      fc.constantFrom(" && ", "; ", " | ", "\n"),
      (one, other, joint) => {
        const of = (line: string) => STRICTNESS.indexOf(decideCommand(flags, line, HOME).kind);
        return of(one + joint + other) === Math.max(of(one), of(other));
      },
    ),
  );
});

Deno.test("another spelling of a path never changes its verdict", () => {
  const flags = ["--allow-write=/w/proj/a", "--deny-write=/w/proj/a/b"];
  const part = fc.constantFrom("a", "b", "c");
  const noise = fc.constantFrom("", ".", "c/..", "/");
  fc.assert(
    fc.property(fc.array(fc.tuple(part, noise), { minLength: 1, maxLength: 4 }), (parts) => {
      const decide = (path: string) => decidePath(flags, { kind: "write", path }, HOME).kind;
      const plain = parts.map(([part]) => part).join("/");
      const noisy = parts.map(([part, noise]) => `${part}/${noise}`).join("/");
      return decide(plain) === decide(noisy);
    }),
  );
});

Deno.test("what is shown holds no character that could move the cursor or hide", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      (text) => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(escapeForDisplay(text)),
    ),
  );
  assertEquals(
    ["a\u202eb", "a\u200bb", "a\u{e0041}b", "\tä ☃", "\x9b2J"].map(escapeForDisplay),
    ["a\\u{202e}b", "a\\u{200b}b", "a\\u{e0041}b", "\\tä ☃", "\\x9b2J"],
  );
});

Deno.test("a rule against writing says nothing of what only reads", () => {
  const flags = ["--allow-run=cat,sed,head", "--allow-write=.", "--deny-write=docs"];
  const lines = ["cat docs/a", "head -n 3 docs/a", "sed -n 1p docs/a", "cat a > docs/a"];
  assertEquals(lines.map((line) => decideCommand(flags, line, HOME).kind), [
    "allow",
    "allow",
    "deny",
    "deny",
  ]);
});

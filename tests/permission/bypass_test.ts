import { assertEquals } from "@std/assert";
import { decideCommand, decidePath, type Machine } from "./machine.ts";

const TABLE = new URL("../../../shared/security/bypass.tsv", import.meta.url);

interface Row {
  readonly line: number;
  readonly group: string;
  readonly rules: string;
  readonly kind: string;
  readonly input: string;
  readonly expected: string;
  readonly note: string;
}

function readRows(): Row[] | null {
  try {
    return Deno.readTextFileSync(TABLE).trimEnd().split("\n").slice(1).map((text, index) => {
      const [group = "", rules = "", input = "", expected = "", note = ""] = text.split("\t");
      const [, kind = "", body = ""] = /^(\w+): ([\s\S]*)$/.exec(input) ?? [];
      const unescaped: unknown = JSON.parse(
        `"${body.replaceAll('"', '\\"').replaceAll('\\\\"', '\\"')}"`,
      );
      return { line: index + 2, group, rules, kind, input: String(unescaped), expected, note };
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    if (Deno.env.has("CI")) throw error;
    console.log("left out: ../shared/security/bypass.tsv is not there");
    return null;
  }
}

/** Each flag of a row; values may hold blanks (`--deny-run=git push`). */
function flagsOf(rules: string): string[] {
  return rules.replace(/ \(.*\)$/, "").split(/ (?=--)/).filter((flag) => flag.startsWith("--"));
}

const HOME: Machine = { cwd: "/w/proj" };

/** Rows whose input is a story rather than a command: what of it this room decides. */
const STORIES: Readonly<Record<string, (row: Row) => string>> = {
  "grep tool: pattern '.' in /w/proj": (row) => path(row, "read /w/proj/.env"),
  "mv /w/proj/.git /w/proj/g ; write g/config ; mv back": (row) =>
    decideCommand([...flagsOf(row.rules), "--allow-run=mv"], "mv /w/proj/.git /w/proj/g", HOME)
      .kind,
  "check /w/proj/d/a ; swap d for a link to /etc ; write": (row) =>
    path(row, "ln -s /etc /w/proj/d ; write /w/proj/d/a"),
  "patch tool: '*** Move to: /etc/x'": (row) => path(row, "write /etc/x"),
  "tool call with cwd=/ : write x": (row) => path(row, "write /x"),
  "edit tool on /w/proj/f whose hard link count is 2": (row) =>
    decidePath(flagsOf(row.rules), { kind: "write", path: "/w/proj/f" }, {
      ...HOME,
      hardLinked: ["/w/proj/f"],
    }).kind,
  // No tool takes a prefix for a temporary file: it is a path like any other.
  "mktemp prefix '../../x'": () => "deny",
};

function path(row: Row, input: string): string {
  const shell = /^shell: (.*)$/.exec(input)?.[1];
  if (shell) return decideCommand(flagsOf(row.rules), shell, HOME).kind;
  const [, linked = "", kind, quoted] = /^(?:(ln .*?) ; )?(read|write) (.*)$/s.exec(input) ?? [];
  if (kind !== "read" && kind !== "write") throw new Error(`row ${row.line}: ${input}`);
  const target = quoted!.replace(/ \((case|missing).*\)$/, "").replace(/^'([\s\S]*)'$/, "$1");
  const [, soft, to = "", from = ""] = /^ln (-s )?(\S+) (\S+)$/.exec(linked) ?? [];
  const [, here] = /reached as (\S+) ->/.exec(row.rules) ?? [];
  const machine: Machine = {
    ...HOME,
    foldCase: input.includes("case-insensitive"),
    links: {
      ...(soft ? { [from]: to.startsWith("/") ? to : `/w/proj/${to}` } : {}),
      ...(here ? { [here]: "/w/proj" } : {}),
    },
    hardLinked: linked && !soft ? [from] : [],
  };
  const flags = flagsOf(row.rules).map((flag) => here ? flag.replace("/w/proj", here) : flag);
  return decidePath([...flags, ...programRule(row)], { kind, path: unescape(target) }, machine)
    .kind;
}

/** A NUL or an escape, written twice over in the table. */
function unescape(text: string): string {
  return text.replace(
    /\\u([0-9a-f]{4})/g,
    (_, code: string) => String.fromCharCode(parseInt(code, 16)),
  );
}

function programRule(row: Row): string[] {
  return /--allow-run=git /.test(row.rules) ? ["--allow-run=git"] : [];
}

function flag(row: Row): string {
  if (row.rules.startsWith("project file")) return decideCommand([], row.input, HOME).kind;
  const read = /^read '(.*)'$/.exec(row.input)?.[1];
  if (read) return decidePath(flagsOf(row.rules), { kind: "read", path: read }, HOME).kind;
  return decideCommand(flagsOf(row.rules), row.input, { ...HOME, missing: ["nosuchprog"] }).kind;
}

function verdict(row: Row): string {
  const story = Object.hasOwn(STORIES, row.input) ? STORIES[row.input] : undefined;
  if (story) return story(row);
  switch (row.kind) {
    case "path":
      return path(row, row.input);
    case "flag":
      return flag(row);
    default:
      return decideCommand(flagsOf(row.rules), row.input, HOME).kind;
  }
}

const STRICTNESS = ["allow", "ask", "deny"];

/** Safe rows that are asked all the same, each with its reason: none. */
const EXCEPTIONS: readonly string[] = [];

Deno.test("no row of the bypass table gets a weaker verdict, and no safe row a stricter one", () => {
  const rows = readRows();
  if (rows === null) return;
  const weaker: string[] = [];
  const stricter: string[] = [];
  for (const row of rows) {
    const got = verdict(row);
    const text = `${row.line} ${row.rules} | ${
      JSON.stringify(row.input.slice(0, 90))
    }: ${got}, not ${row.expected}`;
    const step = STRICTNESS.indexOf(got) - STRICTNESS.indexOf(row.expected);
    if (step < 0) weaker.push(text);
    if (row.expected === "allow" && step > 0 && !EXCEPTIONS.includes(row.input)) {
      stricter.push(text);
    }
  }
  const safe = rows.filter((row) => row.expected === "allow").length;
  console.log(
    `${rows.length} rows: ${rows.length - safe} must ask or deny, ${weaker.length} weaker; ` +
      `${safe} safe, ${stricter.length + EXCEPTIONS.length} asked`,
  );
  assertEquals({ weaker, stricter }, { weaker: [], stricter: [] });
});

/** From the tree of `unbash` to the tree of `shell_syntax.ts`: a closed list of forms, all else a doubt (SPEC 8). */
import {
  type AndOr,
  type Assignment as AssignmentNode,
  type Case,
  type Command as CommandNode,
  type CommandNode as AnyCommand,
  type CompoundCommand,
  type CompoundList,
  forEachChild,
  type If,
  type ParsedScript,
  type Pipeline as PipelineNode,
  type Redirection,
  type Statement as StatementNode,
  type SyntaxNode,
} from "unbash";
import { callsOf } from "./calls.ts";
import { doubt, type Reading } from "./reading.ts";
import { readRedirect } from "./read_redirects.ts";
import { readTest } from "./read_tests.ts";
import { readWord, readWords } from "./read_words.ts";
import type { Assignment, Command, Pipeline, Redirect, Script, Statement } from "./shell_syntax.ts";
import { literal } from "./shell_syntax.ts";
import { isHarmlessAssignment } from "./wrappers.ts";

/** The statements of a whole script or of a list inside a compound command. */
export function readList(node: ParsedScript | CompoundList, reading: Reading): Script {
  if (node.type === "Script" && node.errors && node.errors.length > 0) {
    doubt(reading, `the syntax: ${node.errors[0]!.message}`);
  }
  return node.commands.map((statement) => readStatement(statement, reading));
}

function readStatement(node: StatementNode, reading: Reading): Statement {
  const { command } = node;
  const background = node.background ?? false;
  // The parser passes over a bracket that opens nothing, where bash refuses the line.
  if (/^[ \t]*\(/.test(reading.source.slice(node.end, node.end + 99))) {
    doubt(reading, "a bracket that opens nothing");
  }
  const parts: AndOr["commands"] = command.type === "AndOr" ? command.commands : [command];
  return {
    pipelines: parts.map((part) => readPipeline(part, reading)),
    operators: command.type === "AndOr" ? command.operators : [],
    background,
  };
}

function readPipeline(node: AnyCommand | PipelineNode, reading: Reading): Pipeline {
  if (node.type !== "Pipeline") {
    return { prefixes: [], commands: [readCommand(node, reading)], operators: [] };
  }
  const prefixes = node.prefixes.map((prefix) => {
    if (prefix.type === "Negation") return "!";
    if (prefix.endOfOptions) doubt(reading, "the options of time");
    return prefix.posix ? "time -p" : "time";
  });
  if (prefixes.length > 1) doubt(reading, `the prefixes "${prefixes.join(" ")}"`);
  if (node.commands.length === 0) doubt(reading, "a pipe without a command");
  return {
    prefixes,
    commands: node.commands.map((command) => readCommand(command, reading)),
    operators: node.operators,
  };
}

function readCommand(node: AnyCommand, reading: Reading): Command {
  switch (node.type) {
    case "Command":
      return readSimple(node, reading);
    case "Redirected":
      return {
        ...readCompound(node.command, reading),
        redirects: redirects(node.redirects, reading),
      };
    case "Function":
      return notAdmitted(node, "a function", reading);
    case "Coproc":
      return notAdmitted(node, "a coprocess", reading);
    default:
      return readCompound(node, reading);
  }
}

/** A form that isn't on the list: the programs in it are found, but the line can't be allowed. */
function notAdmitted(node: SyntaxNode, what: string, reading: Reading): Command {
  doubt(reading, what);
  reading.search(node);
  return { kind: "simple", assignments: [], words: [], redirects: [] };
}

function redirects(nodes: readonly Redirection[], reading: Reading): Redirect[] {
  if (nodes.filter((node) => node.type === "HereDoc").length > 1) {
    doubt(reading, "two here-documents of one command");
  }
  return nodes.flatMap((node) => readRedirect(node, reading) ?? []);
}

/** The parser passes over what it can't place: between the parts of a command there are blanks and nothing else. */
function checkGaps(node: CommandNode, reading: Reading): void {
  const parts = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix];
  let at = node.pos;
  for (const part of [...parts, { type: null, pos: node.end, end: node.end }]) {
    const gap = reading.source.slice(at, part.pos);
    // What bash takes for one word (`<(a)b`) may have become two.
    const joined = part.type === "Word" && gap === "" && at > node.pos;
    if (joined || !/^(?:[ \t](?:[ \t]|\\\n)*)?$/.test(gap)) doubt(reading, "where each word ends");
    at = Math.max(at, part.end);
  }
}

function readSimple(node: CommandNode, reading: Reading): Command {
  checkGaps(node, reading);
  const named = node.name ? [readWord(node.name, reading)] : [];
  const name = named[0] ? literal(named[0]) : null;
  const assignments = node.prefix.flatMap((part) =>
    part.type === "Assignment" ? readAssignment(part, name, reading) : []
  );
  const words = [
    ...named,
    ...node.args.flatMap((word) => {
      if (word.type === "Word") return readWords(word, reading);
      reading.search(word);
      return [{ parts: [{ kind: "text", text: word.text } as const] }];
    }),
  ];
  const opened = redirects(node.redirects, reading);
  if (named[0]) {
    if (name === null) doubt(reading, `the program's name ${node.name!.text}`);
    reading.calls.push(...callsOf(words));
  }
  return { kind: "simple", assignments, words, redirects: opened };
}

/** `NAME=value` before a command: harmless variables with plain values; anything else may change what is started. */
function readAssignment(
  node: AssignmentNode,
  command: string | null,
  reading: Reading,
): Assignment[] {
  const refused = (): Assignment[] => {
    doubt(reading, `the assignment to "${node.name}", which may change what runs`);
    return [];
  };
  if (node.index) reading.search(node.index);
  if (node.value.type !== "Word") {
    reading.search(node.value);
    return refused();
  }
  const value = readWord(node.value, reading);
  const text = literal(value);
  if (command === null || node.append || node.index || text === null) return refused();
  const harmless = isHarmlessAssignment(node.name, text) ||
    (node.name === "IFS" && command === "read");
  return harmless ? [{ name: node.name, value }] : refused();
}

function readCompound(node: CompoundCommand, reading: Reading): Command {
  const none: readonly Redirect[] = [];
  switch (node.type) {
    case "Subshell":
      return { kind: "subshell", body: readList(node.body, reading), redirects: none };
    case "BraceGroup":
      return { kind: "group", body: readList(node.body, reading), redirects: none };
    case "If":
      return readIf(node, reading);
    case "While":
      return {
        kind: node.kind,
        test: readList(node.clause, reading),
        body: readList(node.body, reading),
        redirects: none,
      };
    case "For": {
      const name = literal(readWord(node.name, reading)) ?? "";
      const items = (node.wordlist ?? []).flatMap((word) => readWords(word, reading));
      const body = readList(node.body, reading);
      // If the name is exported already, its value reaches the programs: names that mean something have capitals or `_`.
      if (!/^[a-z][a-z0-9]*$/.test(name) || !node.wordlist) {
        doubt(reading, `the loop over "${name}"`);
      }
      return { kind: "for", name, items, body, redirects: none };
    }
    case "Case":
      return readCase(node, reading);
    case "TestCommand":
      return { kind: "test", test: readTest(node.expression, reading), redirects: none };
    case "Select":
    case "ArithmeticFor":
    case "ArithmeticCommand":
      return notAdmitted(node, "an arithmetic or select command", reading);
  }
}

function readIf(node: If, reading: Reading): Command {
  const branches = [node, ...node.elif].map(({ clause, then }) => ({
    test: readList(clause, reading),
    body: readList(then, reading),
  }));
  const otherwise = node.else ? readList(node.else, reading) : null;
  return { kind: "if", branches, otherwise, redirects: [] };
}

function readCase(node: Case, reading: Reading): Command {
  const word = readWord(node.word, reading);
  const items = node.items.map(({ pattern, body, terminator }) => ({
    patterns: pattern.map((one) => readWord(one, reading)),
    body: readList(body, reading),
    terminator: terminator ?? ";;",
  }));
  return { kind: "case", word, items, redirects: [] };
}

/** Looks through any node for commands, so that a deny rule finds them also where nothing can be allowed. */
export function searchNode(node: SyntaxNode, reading: Reading): void {
  forEachChild(node, (child) => {
    if (child.type === "Command") readSimple(child, reading);
    else searchNode(child, reading);
  });
}

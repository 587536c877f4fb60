/** Words: quotes taken off, what is live kept apart from what is text, and anything else a doubt. */
import type { DoubleQuotedChild, Word as Node, WordPart } from "unbash";
import { callsOf } from "./calls.ts";
import { hereText } from "./here_text.ts";
import { doubt, type Reading } from "./reading.ts";
import type { Part, Word } from "./shell_syntax.ts";

/** Most words that braces may make of one. */
const MOST_BRACED = 64;

/** The word that `node` is. */
export function readWord(node: Node, reading: Reading): Word {
  const [first] = node.parts ?? [];
  if (holdsBraces(liveText(node))) doubt(reading, `the braces in ${node.text}`);
  const parts = node.parts
    ? node.parts.flatMap((part) => readPart(part, reading))
    : [readText(node.text, node.value, reading)];
  return { parts: merge(expandTilde(parts, first ? first.text : node.text, reading)) };
}

/** The words that `node` is after its braces are spread: `a/{b,c}` is `a/b` and `a/c`. */
export function readWords(node: Node, reading: Reading): Word[] {
  if (!node.parts?.some((part) => part.type === "BraceExpansion")) return [readWord(node, reading)];
  // Braces are spread before all else: `$v{a,b}` is `$va $vb`.
  const beside = node.parts.some((part) => part.type === "SimpleExpansion");
  if (beside || /[{}]/.test(liveText(node))) doubt(reading, `the braces in ${node.text}`);
  let spread: Part[][] = [[]];
  for (const part of node.parts) {
    const choices = part.type === "BraceExpansion"
      ? alternatives(part.text, reading).map((text): Part[] => [{ kind: "text", text }])
      : [readPart(part, reading)];
    spread = spread.flatMap((left) => choices.map((right) => [...left, ...right]));
    if (spread.length > MOST_BRACED) {
      doubt(reading, "the braces make too many words");
      break;
    }
  }
  if (node.text.startsWith("~")) doubt(reading, `the braces after "~" in "${node.text}"`);
  return spread.map((parts) => ({ parts: merge(parts) }));
}

/** An open brace, a comma or two dots, and a closing one: what bash might spread and the parser did not. */
function holdsBraces(text: string): boolean {
  const from = text.indexOf("{");
  return from >= 0 && /,|\.\./.test(text.slice(from, Math.max(from, text.lastIndexOf("}"))));
}

/** The unquoted text of a word, `_` for what is quoted or live: bash spreads braces also across those. */
function liveText(node: Node): string {
  const parts = node.parts ?? [{ type: "Literal", text: node.text }];
  return parts.map((part) => part.type === "Literal" ? part.text.replace(/\\[\s\S]/g, "_") : "_")
    .join("");
}

/** `{a,b}` of plain names; ranges and nested braces are left as a doubt. */
function alternatives(text: string, reading: Reading): string[] {
  if (/^\{[\w./:@%+-]*(,[\w./:@%+-]*)+\}$/.test(text)) return text.slice(1, -1).split(",");
  doubt(reading, `the braces "${text}"`);
  return [text];
}

/** The pieces inside double quotes or a here-document's body. */
export function readQuoted(
  parts: readonly (DoubleQuotedChild | WordPart)[],
  reading: Reading,
): Part[] {
  return parts.flatMap((part) => readQuotedPart(part, reading));
}

function readPart(part: WordPart, reading: Reading): Part[] {
  switch (part.type) {
    case "Literal": {
      const text = readText(part.text, part.value, reading);
      // A line continuation; unlike `""` it leaves no empty word.
      return part.value === "" ? [] : [text];
    }
    case "SingleQuoted":
      return [{ kind: "text", text: part.value }];
    case "AnsiCQuoted":
      if (!ANSI_C.test(part.text)) doubt(reading, `the escapes in ${part.text}`);
      return [{ kind: "text", text: part.value }];
    case "DoubleQuoted":
      return part.parts.length === 0
        ? [{ kind: "text", text: "" }]
        : readQuoted(part.parts, reading);
    case "Glob":
      if (part.kind === "bracket" && !BRACKET.test(part.text)) {
        doubt(reading, `the pattern "${part.text}"`);
      }
      return [{ kind: "glob", text: part.text }];
    case "ProcessSubstitution":
      if (!part.script) return unreadable(part, reading);
      return [{ kind: "process", operator: part.operator, script: reading.script(part.script) }];
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "ArithmeticExpansion":
    case "CommandExpansion":
      return readExpansion(part, reading, false);
    case "LocaleString":
    case "ExtendedGlob":
    case "BraceExpansion":
      return unreadable(part, reading);
  }
}

/** `$'…'` with the escapes that every version of bash reads alike. */
const ANSI_C = /^\$'(?:[^\\'\0]|\\[nrtabefv\\'"]|\\x(?:0[1-9a-fA-F]|[1-7][0-9a-fA-F]))*'$/;
const BRACKET = /^\[[!^]?[\w.:,@%+-]+\]$/;

function readQuotedPart(part: DoubleQuotedChild | WordPart, reading: Reading): Part[] {
  switch (part.type) {
    case "Literal": {
      const live = part.text.replace(/\\([\s\S])/g, (_, next: string) => next === "\n" ? "" : "_");
      if (/`|\$(?![\s.,%/:)=|&;\]}]|$)/.test(live)) doubt(reading, `the text ${part.text}`);
      return [{ kind: "text", text: part.value }];
    }
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "ArithmeticExpansion":
    case "CommandExpansion":
      return readExpansion(part, reading, true);
    default:
      return unreadable(part, reading);
  }
}

type Expansion = Extract<
  WordPart,
  { type: "SimpleExpansion" | "ParameterExpansion" | "ArithmeticExpansion" | "CommandExpansion" }
>;

function readExpansion(part: Expansion, reading: Reading, quoted: boolean): Part[] {
  if (part.type === "CommandExpansion") {
    const text = quoted ? hereText(part) : null;
    if (text !== null) {
      reading.spared.push(...callsOf([{ parts: [{ kind: "text", text: "cat" }] }]));
      return [{ kind: "text", text }];
    }
    // `$((` without a blank may be arithmetic to bash.
    if (!part.script || !/^(\$\((?!\()|`)/.test(part.text)) return unreadable(part, reading);
    return [{ kind: "command", script: reading.script(part.script), quoted }];
  }
  if (!isPlainExpansion(part.text)) return unreadable(part, reading);
  return [{ kind: "expansion", text: part.text, quoted }];
}

/**
 * Expansions that start nothing, set nothing and evaluate nothing: `$x`, `${#x}`, `${x:-plain}`, `${x%pattern}`,
 * `${x/a/b}`, and arithmetic of numbers. (A variable in arithmetic is evaluated: its value may be `a[$(command)]`.)
 */
const PLAIN: readonly RegExp[] = [
  // Not `$$` (before a bracket, bash takes its second half for the start of a substitution), not `$@` and `$*`
  // (there are no arguments, and they split words even in quotes).
  /^\$(?:[A-Za-z_]\w*|[0-9?#!-])$/,
  /^\$\{(?:#?[A-Za-z_]\w*|[0-9?#!-])\}$/,
  /^\$\{[A-Za-z_]\w*:?[-+?][\w./,%+=-]*\}$/,
  /^\$\{[A-Za-z_]\w*(?:##?|%%?)[\w./*?,=+-]+\}$/,
  /^\$\{[A-Za-z_]\w*\/\/?[\w.,*?-]+(?:\/[\w.,-]*)?\}$/,
  /^\$\(\([ \t]*(?:0|[1-9]\d*)(?:[ \t]*(?:[-+*][ \t]*(?:0|[1-9]\d*)|[/%][ \t]*[1-9]\d*))*[ \t]*\)\)$/,
];

function isPlainExpansion(text: string): boolean {
  return PLAIN.some((form) => form.test(text));
}

/** A piece that isn't admitted: a doubt; the programs in it are found all the same, and its text stands for it. */
function unreadable(part: WordPart, reading: Reading): Part[] {
  doubt(reading, `what ${part.text} becomes`);
  reading.search(part);
  return [{ kind: "expansion", text: part.text, quoted: false }];
}

/** Unquoted text: after its escapes are taken out, nothing with a meaning may be left in it. */
function readText(raw: string, value: string, reading: Reading): Part {
  // `2\⏎>f`: what bash joins may be more than this word.
  if (/(?<!\\)(\\\\)*\\\n/.test(raw)) doubt(reading, "a line continued inside a word");
  const live = raw.replace(/\\([\s\S])/g, (_, next: string) => next === "\n" ? "" : "_");
  if (/[$`<>()&;|\s"'\\]/.test(live.replace(/\u00a0|[\u2000-\u3000\ufeff\r\f\v]/g, "_"))) {
    doubt(reading, `the text ${raw}`);
  }
  if (/^[A-Za-z_]\w*\+?=(.*:)?~/.test(live)) doubt(reading, `the "~" in "${raw}"`);
  return { kind: "text", text: value };
}

/** `~` and `~/…` at the start of a word, unquoted; other users' folders are a doubt. */
function expandTilde(parts: Part[], raw: string, reading: Reading): Part[] {
  const [first, ...rest] = parts;
  if (!raw.startsWith("~") || first?.kind !== "text") return parts;
  const whole = raw === "~" ? rest.length === 0 : raw.startsWith("~/");
  if (!whole || reading.home === null) {
    doubt(reading, `the folder that "${raw}" stands for`);
    return parts;
  }
  return [{ kind: "text", text: reading.home + first.text.slice(1) }, ...rest];
}

/** The parts with neighbouring texts joined, and without empty ones that do nothing. */
export function merge(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.kind === "text" && last?.kind === "text") {
      merged[merged.length - 1] = { kind: "text", text: last.text + part.text };
    } else merged.push(part);
  }
  const real = merged.filter((part) => part.kind !== "text" || part.text !== "");
  // An empty text only matters where it alone keeps the word from vanishing: `""$x`.
  const kept = real.length === 0 ||
    real.some((part) => part.kind === "text" || "quoted" in part && part.quoted);
  return kept ? real : merged;
}

/**
 * A tree of `shell_syntax.ts` as text for bash in which every piece of text is quoted, so that only what was read as
 * live is live (SPEC 8: what was checked is what runs).
 *
 * Printing is a fixpoint: the text, read again, prints the same.
 */
import type {
  Assignment,
  Command,
  Part,
  Pipeline,
  Redirect,
  Script,
  Statement,
  Test,
  Word,
} from "./shell_syntax.ts";

/** What to write in place of a word; null keeps the word. */
export type Substitute = (word: Word) => string | null;

/**
 * The text of `script`; `substitute` may give another text for a word (the path of a program for its name).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const word = (text: string) => ({ parts: [{ kind: "text", text } as const] });
 * const command = { kind: "simple", assignments: [], words: [word("echo"), word("it's")], redirects: [] } as const;
 * const pipeline = { prefixes: [], commands: [command], operators: [] };
 * const script = [{ pipelines: [pipeline], operators: [], background: false }];
 * assertEquals(printShell(script), `'echo' 'it'\\''s'`);
 * ```
 */
export function printShell(script: Script, substitute: Substitute = () => null): string {
  return createPrinter(substitute)(script);
}

/**
 * `text` as one word of any shell.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(quote("a'b"), `'a'\\''b'`);
 * ```
 */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function createPrinter(substitute: Substitute): (script: Script) => string {
  function list(script: Script): string {
    return script.map(statement).reduce(
      (text, next, index) =>
        index === 0 ? next : text + (script[index - 1]!.background ? " " : "; ") + next,
      "",
    );
  }

  /** As a list inside a compound command, ended so that a reserved word may follow. */
  function closed(script: Script): string {
    return list(script) + (script.at(-1)?.background ? "" : ";");
  }

  function statement({ pipelines, operators, background }: Statement): string {
    const text = pipelines.map(pipeline).reduce((left, right, index) =>
      `${left} ${operators[index - 1]} ${right}`
    );
    return background ? `${text} &` : text;
  }

  function pipeline({ prefixes, commands, operators }: Pipeline): string {
    const text = commands.map(command).reduce((left, right, index) =>
      `${left} ${operators[index - 1]} ${right}`
    );
    return [...prefixes, text].join(" ");
  }

  function command(node: Command): string {
    const redirects = node.redirects.map(redirect);
    if (node.kind === "simple") {
      return [...node.assignments.map(assignment), ...node.words.map(word), ...redirects].join(" ");
    }
    return [compound(node), ...redirects].join(" ");
  }

  function compound(node: Exclude<Command, { kind: "simple" }>): string {
    switch (node.kind) {
      case "subshell":
        return `( ${list(node.body)} )`;
      case "group":
        return `{ ${closed(node.body)} }`;
      case "if": {
        const branches = node.branches.map(({ test, body }) =>
          `if ${closed(test)} then ${closed(body)}`
        );
        const otherwise = node.otherwise ? ` else ${closed(node.otherwise)}` : "";
        return `${branches.join(" el")}${otherwise} fi`;
      }
      case "while":
      case "until":
        return `${node.kind} ${closed(node.test)} do ${closed(node.body)} done`;
      case "for":
        return `for ${[node.name, "in", ...node.items.map(word)].join(" ")}; do ${
          closed(node.body)
        } done`;
      case "case": {
        const items = node.items.map(({ patterns, body, terminator }) =>
          `(${patterns.map(word).join(" | ")}) ${list(body)} ${terminator}`
        );
        return ["case", word(node.word), "in", ...items, "esac"].join(" ");
      }
      case "test":
        return `[[ ${test(node.test)} ]]`;
    }
  }

  function test(node: Test): string {
    switch (node.kind) {
      case "unary":
        return `${node.operator} ${word(node.operand)}`;
      case "binary":
        return `${word(node.left)} ${node.operator} ${word(node.right)}`;
      case "logical":
        return node.operands.map(test).join(` ${node.operator} `);
      case "not":
        return `! ${test(node.operand)}`;
      case "group":
        return `( ${test(node.operand)} )`;
    }
  }

  function assignment({ name, value }: Assignment): string {
    return `${name}=${word(value)}`;
  }

  function redirect({ descriptor, operator, target }: Redirect): string {
    const duplicates = operator === ">&" || operator === "<&";
    const text = duplicates ? bare(target) : ` ${word(target)}`;
    return `${descriptor ?? ""}${operator}${text}`;
  }

  /** A descriptor, which must stay unquoted. */
  function bare(target: Word): string {
    return target.parts.map((part) => part.kind === "text" ? part.text : "").join("");
  }

  function word(node: Word): string {
    return substitute(node) ?? (node.parts.length === 0 ? "''" : node.parts.map(part).join(""));
  }

  function part(node: Part): string {
    switch (node.kind) {
      case "text":
        return quote(node.text);
      case "glob":
        return node.text;
      case "expansion":
        return node.quoted ? `"${node.text}"` : node.text;
      case "command": {
        const text = `$( ${list(node.script)} )`;
        return node.quoted ? `"${text}"` : text;
      }
      case "process":
        return `${node.operator}( ${list(node.script)} )`;
    }
  }

  return list;
}

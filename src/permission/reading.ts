/** What is gathered while a command line is read. */
import type { ParsedScript, SyntaxNode } from "unbash";
import type { Call, Opening, Script, Word } from "./shell_syntax.ts";

/** One reading of one line; its lists grow as the tree is walked. */
export interface Reading {
  readonly home: string | null;
  readonly doubts: string[];
  readonly calls: Call[];
  readonly spared: Call[];
  readonly openings: Opening[];
  readonly inner: Map<Word, Script>;
  /** What positions count in: the line, or the decoded text of backticks. */
  source: string;
  /** Reads the script of a substitution. */
  script(node: ParsedScript): Script;
  /** Looks through a node that can't be admitted, for the programs in it. */
  search(node: SyntaxNode): void;
}

/** Says once that `what` can't be read for certain. */
export function doubt(reading: Reading, what: string): void {
  if (!reading.doubts.includes(what)) reading.doubts.push(what);
}

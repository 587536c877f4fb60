/** What a policy is asked, what it knows, and what it answers: types only. */
import type { ResolvedPath } from "./paths.ts";
import type { RunRule } from "./rules.ts";
import type { CommandLine } from "./shell_syntax.ts";

/** Where a program was found at start: the entry on the PATH, and the file that it is. */
export interface Program {
  readonly path: string;
  readonly real: string;
}

/** What was found out about the machine once, at start. */
export interface Facts {
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly home: string | null;
  /** The programs that the run rules name, by the name in the rule; what isn't here wasn't found. */
  readonly programs: ReadonlyMap<string, Program>;
  /** The rules' paths with their links followed, by the path in the rule. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** The agent's own folders and files, absolute, links resolved: never written by a tool. */
  readonly ownPaths: readonly string[];
  /** The disk doesn't tell upper from lower case. */
  readonly foldCase: boolean;
}

/** An access, all that the machine knows about it already found out. */
export type PolicyAccess =
  | { readonly kind: "read" | "write"; readonly path: ResolvedPath }
  | {
    readonly kind: "run";
    readonly line: CommandLine;
    /** What became of `pathsToResolve`, by path. */
    readonly paths: ReadonlyMap<string, ResolvedPath>;
  };

/** What was found about one program or file of a command line. */
export interface Finding {
  /** The program's name, or the path of a redirection, as written; escaped for display. */
  readonly name: string;
  readonly verdict: "allow" | "ask" | "deny";
  readonly why: string;
}

/** What "always, in this session" would add. */
export type Grant =
  | { readonly kind: "run"; readonly rules: readonly RunRule[] }
  | { readonly kind: "read" | "write"; readonly path: string };

/** The answer. `message` is one sentence, for people and for the model. */
export type Decision =
  | {
    readonly kind: "allow";
    /** The flag or default that decided. */
    readonly rule: string;
    readonly message: string;
    readonly findings: readonly Finding[];
    /** For a scoped command: what to run instead of the text, and it goes to the policy's `shell`; null: run the text as it is. */
    readonly printed: string | null;
  }
  | {
    readonly kind: "ask" | "deny";
    readonly rule: string | null;
    readonly message: string;
    readonly findings: readonly Finding[];
    /** The flag that would allow it; null where none does. */
    readonly flag: string | null;
    /** What "always" would add; null where only "once" may be offered. */
    readonly grant: Grant | null;
  };

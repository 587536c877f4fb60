/** The words of a call as paths: which of them a deny rule or a protected name speaks of (SPEC 8). */
import { normalPath } from "../text/path.ts";
import type { Facts } from "./decision.ts";
import { escapeForDisplay } from "./display.ts";
import { baseName } from "./match.ts";
import { contains, protectedName } from "./paths.ts";
import type { Rules } from "./rules.ts";
import { type Call, type CommandLine, MOST_MOVES, movesOf } from "./shell_syntax.ts";

/** What the words of a call are compared with. */
export interface Places {
  readonly facts: Facts;
  readonly folders: readonly string[];
}

/** Why a word denies its call. */
export interface DeniedWord {
  readonly verdict: "deny";
  readonly why: string;
  readonly rule: string | null;
}

/** The folders in which a word of the line may be a path: the working directory, and where each plain `cd` leads. */
export function foldersOf(line: CommandLine, cwd: string): readonly string[] {
  const folders = new Set([cwd]);
  for (const { texts: [, folder] } of movesOf(line.calls).slice(0, MOST_MOVES)) {
    if (typeof folder !== "string") continue;
    for (const from of [...folders]) folders.add(normalPath(folder, from));
  }
  return [...folders];
}

/** Programs whose operands are what they write, or where what follows them writes. */
const WRITERS: readonly string[] =
  "rm mv cp tee touch ln chmod chown mkdir rmdir install truncate dd rsync unlink shred cd pushd"
    .split(" ");

/** Programs that only read their operands: a rule against writing has nothing to say of them. */
const READERS: readonly string[] = "cat head tail grep ls wc diff cmp comm stat nl od cut".split(
  " ",
);

/** Deny rules and protected names reach the literal words of a call; what a program opens otherwise, the sandbox holds. */
export function deniedWord(call: Call, rules: Rules, places: Places): DeniedWord | null {
  const { facts, folders } = places;
  const program = baseName(call.texts[0] ?? "");
  const writes = WRITERS.includes(program);
  for (const text of call.texts.slice(1)) {
    if (text === null) continue;
    const paths = pathsIn(text).flatMap((path) =>
      folders.map((folder) => normalPath(path, folder))
    );
    for (const path of paths) {
      const kinds = READERS.includes(program) ? ["read"] as const : ["read", "write"] as const;
      const verdict = deniedPath(path, kinds, { rules, facts }) ??
        (writes ? ownPath(path, program, facts) : null);
      if (verdict) return { ...verdict, why: `${verdict.why} "${escapeForDisplay(text)}"` };
    }
  }
  return null;
}

/** The paths that a word may hold: itself, what follows `--option=` or `-o`, and each of these behind `@` (`-d @file`). */
function pathsIn(text: string): string[] {
  const [, joined] = /^-\w(.+)$/s.exec(text) ?? [];
  const [, value] = /^[^=]*=(.+)$/s.exec(text) ?? [];
  return [text, joined, value].flatMap((path) =>
    path === undefined ? [] : path.startsWith("@") ? [path, path.slice(1)] : [path]
  );
}

function deniedPath(
  path: string,
  kinds: readonly ("read" | "write")[],
  { rules, facts }: { readonly rules: Rules; readonly facts: Facts },
): DeniedWord | null {
  for (const kind of kinds) {
    const deny = rules[kind].deny;
    const item = (deny.kind === "list" ? deny.items : []).find((item) =>
      contains(item, path, facts.foldCase) ||
      contains(facts.realPaths.get(item) ?? item, path, facts.foldCase)
    );
    if (item === undefined) continue;
    const rule = `--deny-${kind}=${escapeForDisplay(item)}`;
    return { verdict: "deny", why: `${rule} denies`, rule };
  }
  return null;
}

/** Removing or renaming a folder above the agent's own files touches them too. */
function ownPath(path: string, program: string, facts: Facts): DeniedWord | null {
  const above = /^(rm|mv|rmdir)$/.test(program);
  const own = facts.ownPaths.some((own) =>
    contains(own, path, facts.foldCase) || above && contains(path, own, facts.foldCase)
  );
  return own || protectedName(path) !== null
    ? { verdict: "deny", why: "tools never write", rule: null }
    : null;
}

/**
 * The one gate between a confirmed call and its run (SPEC 8): what a call would touch is resolved, the policy decides,
 * and where it says "ask" a person does.
 */
import type { ToolCall } from "../vocab.ts";
import type { Access, ToolWorld } from "../tools/tool.ts";
import type { Decision, PolicyAccess, Program } from "../permission/decision.ts";
import { machineFolder, type ResolvedPath } from "../permission/paths.ts";
import { pathsToResolve } from "../permission/judge_command.ts";
import type { Policy } from "../permission/policy.ts";
import type { Rules } from "../permission/rules.ts";
import type { CommandLine } from "../permission/shell_syntax.ts";
import type { Files } from "../system/system.ts";
import { findProgram, resolvePath } from "./resolve.ts";

/** What the gate answers. */
export type Permission =
  | {
    readonly kind: "permitted";
    /** How the command text is run. */
    readonly shell: ToolWorld["shell"];
    /** The text to run instead of the argument, when it was printed anew or edited by a person. */
    readonly command?: string;
  }
  | { readonly kind: "refused"; readonly message: string };

/** Decides on calls. */
export interface Gate {
  permit(accesses: readonly Access[], call: ToolCall, signal: AbortSignal): Promise<Permission>;
  /** False for a file that no question could open: a walk through a folder that may be read passes it over. */
  mayRead(path: string): Promise<boolean>;
  /** The rules as they stand now, with what was granted meanwhile. */
  rules(): Rules;
}

/** What a person is asked: a decision that isn't "allow", and the access that it's about. */
export interface Question {
  readonly call: ToolCall;
  readonly access: Access;
  readonly decision: Exclude<Decision, { kind: "allow" }>;
}

/** What a person answers. */
export type Approval =
  | { readonly kind: "once" }
  /** For the rest of this session. */
  | { readonly kind: "always" }
  | { readonly kind: "no"; readonly reason: string }
  /** Run this instead. */
  | { readonly kind: "edit"; readonly command: string };

/** What a gate works with. */
export interface GateParts {
  readonly files: Files;
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly path: string;
  readonly policy: Policy;
  /** Reads a command line; loaded only when one must be read. */
  readCommand(text: string): Promise<CommandLine>;
  /** Asks a person; absent where nobody can be asked. */
  approve?(question: Question, signal: AbortSignal): Promise<Approval>;
  /** Puts the sandbox around a command. */
  sandbox(argv: readonly [string, ...string[]], rules: Rules): readonly [string, ...string[]];
}

/** A gate over a policy that starts as given and grows by what a person grants. */
export function createGate(parts: GateParts): Gate {
  let policy = parts.policy;
  const plain: ToolWorld["shell"] = (command) =>
    parts.sandbox(["/bin/sh", "-c", command], policy.rules);
  const pinned: ToolWorld["shell"] = (command) =>
    parts.sandbox([...policy.shell, command], policy.rules);

  /** The permission for one access, or undefined where the policy allows it and there is nothing to add. */
  async function settle(
    access: Access,
    asking: Asking,
  ): Promise<Permission | undefined> {
    const decision = policy.decide(await lookUp(access, parts));
    if (decision.kind === "allow") {
      return decision.printed === null
        ? access.kind === "run" ? { kind: "permitted", shell: plain } : undefined
        : { kind: "permitted", shell: pinned, command: decision.printed };
    }
    if (decision.kind === "deny" || !parts.approve) {
      return { kind: "refused", message: refusal(decision) };
    }
    if (access.kind === "read" && asking.written.has(access.path)) return undefined;
    const answer = await parts.approve({ call: asking.call, access, decision }, asking.signal);
    if (access.kind === "write" && answer.kind !== "no") asking.written.add(access.path);
    switch (answer.kind) {
      case "once":
        return access.kind === "run" ? { kind: "permitted", shell: plain } : undefined;
      case "always":
        if (decision.grant) {
          policy = policy.withGrant(decision.grant, await findGranted(decision.grant, parts));
        }
        return access.kind === "run" ? { kind: "permitted", shell: plain } : undefined;
      case "no":
        return {
          kind: "refused",
          message: answer.reason === ""
            ? "The user refused this call"
            : `The user refused this call: ${answer.reason}`,
        };
      case "edit":
        return await settleEdited(answer.command);
    }
  }

  /** A person who edits a command permits it with that; but what is denied isn't theirs to permit here. */
  async function settleEdited(command: string): Promise<Permission> {
    const decision = policy.decide(await lookUp({ kind: "run", command }, parts));
    switch (decision.kind) {
      case "allow":
        return decision.printed === null
          ? { kind: "permitted", shell: plain, command }
          : { kind: "permitted", shell: pinned, command: decision.printed };
      case "ask":
        return { kind: "permitted", shell: plain, command };
      case "deny":
        return {
          kind: "refused",
          message: `The user changed the command to "${command}". ${refusal(decision)}`,
        };
    }
  }

  return {
    rules: () => policy.rules,
    async mayRead(path) {
      // Without a deny rule only the machine's own folders are closed, whatever the links: no look-up for each file.
      if (policy.rules.read.deny.kind === "absent" && machineFolder(path) === null) return true;
      const decision = policy.decide(await lookUp({ kind: "read", path }, parts));
      return decision.kind === "allow" || decision.flag !== null;
    },
    async permit(accesses, call, signal) {
      let permission: Permission = { kind: "permitted", shell: plain };
      const asking = { call, signal, written: new Set<string>() };
      for (const access of writesFirst(accesses)) {
        const settled = await settle(access, asking);
        if (settled?.kind === "refused") return settled;
        if (settled) permission = settled;
      }
      return permission;
    },
  };
}

/** A call on its way through the gate. */
interface Asking {
  readonly call: ToolCall;
  readonly signal: AbortSignal;
  /** The paths that a person let it write: to read them for that is no second question. */
  readonly written: Set<string>;
}

function writesFirst(accesses: readonly Access[]): readonly Access[] {
  return accesses.toSorted((a, b) => Number(b.kind === "write") - Number(a.kind === "write"));
}

async function lookUp(access: Access, parts: GateParts): Promise<PolicyAccess> {
  if (access.kind !== "run") {
    return { kind: access.kind, path: await resolvePath(parts.files, access.path, parts.cwd) };
  }
  const line = await parts.readCommand(access.command);
  const paths = new Map<string, ResolvedPath>();
  for (const path of pathsToResolve(line, parts.cwd)) {
    paths.set(path, await resolvePath(parts.files, path, parts.cwd));
  }
  return { kind: "run", line, paths };
}

function refusal(decision: Exclude<Decision, { kind: "allow" }>): string {
  return decision.flag === null
    ? `Refused: ${decision.message}`
    : `Refused: ${decision.message} (allowed by ${decision.flag})`;
}

async function findGranted(
  grant: NonNullable<Exclude<Decision, { kind: "allow" }>["grant"]>,
  parts: GateParts,
): Promise<Map<string, Program>> {
  const found = new Map<string, Program>();
  if (grant.kind !== "run") return found;
  for (const { program } of grant.rules) {
    const place = await findProgram(parts.files, program, parts.path);
    if (place) found.set(program, place);
  }
  return found;
}

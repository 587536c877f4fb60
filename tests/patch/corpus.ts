/** Reads the shared patch cases, where they are: each a tree of files, a patch and what must come of it. */
import { byteTextOf } from "../../src/patch/byte_text.ts";
import { sharedData } from "../shared_data.ts";

export interface Case {
  readonly id: string;
  readonly category: string;
  readonly expect: "ok" | "fail" | "ok_or_fail";
  readonly patch: string;
  /** Byte texts by path. */
  readonly before: ReadonlyMap<string, string>;
  /** What must stand at each path afterwards; several are equally right. */
  readonly after: ReadonlyMap<string, readonly (string | null)[]>;
  readonly kinds: readonly string[];
  /** The case needs links, folders outside or modes, which only a disk has. */
  readonly disk: boolean;
  readonly raw: RawCase;
}

export interface RawCase {
  readonly id: string;
  readonly category?: string;
  readonly base?: string;
  readonly expect?: Case["expect"];
  readonly patch: string;
  readonly before?: Record<string, string>;
  readonly after?: Record<string, string | null>;
  readonly before_b64?: Record<string, string>;
  readonly after_b64?: Record<string, string>;
  readonly after_alt?: readonly Record<string, string | null>[];
  readonly after_modes?: Record<string, string>;
  readonly error_kind?: string | readonly string[];
  readonly xform?: string;
  readonly root_placeholder?: boolean;
  readonly setup?: {
    readonly symlinks?: Record<string, string>;
    readonly outside?: Record<string, string>;
    readonly modes?: Record<string, string>;
  };
}

export const SHARED = new URL("../../../shared/", import.meta.url);
export const SETS = ["real/dev", "real/synth", "perturbed/dev", "perturbed/synth", "hand"];

/** Is the shared folder there? Without it a test is left out with one line, except in CI. */
export function sharedIsThere(): boolean {
  return sharedData("patch/") !== undefined;
}

export function loadCases(set: string): Case[] {
  if (set === "hand") {
    const folder = new URL("patch/hand/", SHARED);
    const names = [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
    return names.map((name) => {
      const raw = JSON.parse(Deno.readTextFileSync(new URL(name, folder))) as RawCase;
      const expect = raw.after || raw.after_b64 ? raw.error_kind ? "ok_or_fail" : "ok" : "fail";
      return caseOf({ ...raw, category: "hand", expect });
    });
  }
  const [kind, split] = set.split("/");
  if (kind === "real") {
    return readLines(`patch/${set}.jsonl`).map((raw) =>
      caseOf({ ...raw, category: set, expect: "ok" })
    );
  }
  const bases = new Map(readLines(`patch/real/${split}.jsonl`).map((raw) => [raw.id, raw]));
  return readLines(`patch/${set}.jsonl`).map((raw) => caseOf(withBase(raw, bases.get(raw.base!)!)));
}

function readLines(path: string): RawCase[] {
  return Deno.readTextFileSync(new URL(path, SHARED)).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RawCase);
}

function withBase(raw: RawCase, base: RawCase): RawCase {
  const before = { ...base.before, ...raw.before };
  const after = { ...base.after, ...raw.after };
  if (raw.xform === "crlf") {
    for (const name of Object.keys(base.before ?? {})) {
      before[name] = before[name]!.replaceAll("\n", "\r\n");
      const text = after[name];
      if (typeof text === "string") after[name] = text.replaceAll("\n", "\r\n");
    }
  }
  return { ...raw, before, after };
}

function caseOf(raw: RawCase): Case {
  const encode = (text: string) => byteTextOf(new TextEncoder().encode(text));
  const decode64 = (text: string) => atob(text);
  const before = new Map<string, string>();
  for (const [name, text] of Object.entries(raw.before ?? {})) before.set(name, encode(text));
  for (const [name, text] of Object.entries(raw.before_b64 ?? {})) {
    before.set(name, decode64(text));
  }
  const after = new Map<string, (string | null)[]>();
  for (const [name, text] of before) after.set(name, [text]);
  for (const [name, text] of Object.entries(raw.after ?? {})) {
    after.set(name, [text === null ? null : encode(text)]);
  }
  for (const [name, text] of Object.entries(raw.after_b64 ?? {})) {
    after.set(name, [decode64(text)]);
  }
  for (const alternative of raw.after_alt ?? []) {
    for (const [name, text] of Object.entries(alternative)) {
      after.set(name, [...after.get(name) ?? [], text === null ? null : encode(text)]);
    }
  }
  return {
    id: raw.id,
    category: raw.category ?? "",
    expect: raw.expect ?? "ok",
    patch: raw.patch,
    before,
    after,
    kinds: raw.error_kind === undefined ? [] : [raw.error_kind].flat(),
    disk: raw.setup !== undefined || raw.after_modes !== undefined ||
      raw.root_placeholder === true || raw.id.includes("path-") || raw.id.includes("symlink"),
    raw,
  };
}

/** Is the tree what the case asks for after success? */
export function matches(wanted: Case, tree: ReadonlyMap<string, string>): boolean {
  for (const name of new Set([...wanted.after.keys(), ...tree.keys()])) {
    const right = wanted.after.get(name) ?? [null];
    if (!right.includes(tree.get(name) ?? null)) return false;
  }
  return true;
}

/** What a tool is: its words for the model, what it would touch, and what it does. */
import type { JsonObject, ToolSpec } from "../vocab.ts";
import type { Clock, Files, Processes } from "../system/system.ts";

/** One thing that a call would touch, as written in its arguments; the agent resolves paths before it asks the policy. */
export type Access =
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "run"; readonly command: string };

/** Text in pieces, masked; what may be part of a secret is held back until it's certain. */
export interface TextMask {
  push(piece: string): string;
  end(): string;
}

/** What a tool gets to work with. */
export interface ToolWorld {
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  /** The environment for commands, secrets already taken out. */
  readonly env: { readonly [name: string]: string };
  /** The id of the call that is running; names spill files. */
  readonly callId: string;
  /** Where whole outputs and pre-images go; absolute, exists. */
  readonly spillDir: string;
  /** Bytes of output that the model is shown at most (SPEC 2.8). */
  readonly outputCap: number;
  /** Aborts on Esc, SIGINT or the time limit of the run. */
  readonly signal: AbortSignal;
  /** How an accepted command is run: the argv for a command text (plain `sh -c`, the pinned shell, or a sandbox around it). */
  shell(command: string): readonly [string, ...string[]];
  readonly killBackground: boolean;
  /** False for a file that a search through its folder must pass over: it is denied, or nothing would open it. */
  mayRead(path: string): Promise<boolean>;
  /** What each file (absolute, links resolved) was when the model last read or wrote it: SHA-256 in hex. Without it nothing is remembered. */
  readonly seen?: Map<string, string>;
  /** Masks what must not be told in text that comes in pieces: what is written to a spill file goes through one. */
  createMask?(): TextMask;
  /** Shows output live; `text` is for people, raw. */
  onOutput(text: string): void;
}

/** What a tool answers; `output` is uncapped and unframed unless the tool itself had to bound it. */
export interface ToolAnswer {
  readonly exit: number;
  readonly output: string;
  /** The tool has bounded its output to `outputCap` itself; it isn't clipped again. */
  readonly capped?: true;
}

/** A tool. Arguments are validated against `spec.parameters` before `needs` or `run` see them. */
export interface Tool {
  readonly spec: ToolSpec;
  /** What the call would touch; empty when that can't be told, in which case `run` must fail by itself. */
  needs(args: JsonObject): readonly Access[];
  run(args: JsonObject, world: ToolWorld): Promise<ToolAnswer>;
}

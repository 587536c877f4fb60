/** What a task is made of: its settings, the sandbox around its commands, and the world it works in. */
import type { AgentEvent, ProtocolName } from "../vocab.ts";
import type { Limits } from "../protocol/protocol.ts";
import type { CommandLine } from "../permission/shell_syntax.ts";
import type { Rules } from "../permission/rules.ts";
import type { Provider } from "../provider/catalog.ts";
import type { ModelClient } from "../provider/model_stream.ts";
import type { Redactor } from "../session/redact.ts";
import type { Clock, Files, Processes } from "../system/system.ts";
import type { Approval, Question } from "./gate.ts";

/** What a task is run with; every field is settled, nothing is looked up in flags or environment any more. */
export interface TaskSettings {
  readonly protocol: ProtocolName;
  readonly provider: Provider;
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly platform: string;
  readonly rules: Rules;
  readonly limits: Limits;
  /** Bytes of a call's output that the model is shown (SPEC 2.8). */
  readonly outputCap: number;
  readonly maxSteps: number;
  readonly timeoutMs: number | null;
  readonly killBackground: boolean;
  /** Where programs are looked up and what HOME is. */
  readonly env: { readonly [name: string]: string };
  /** The environment of commands, secrets taken out. */
  readonly childEnv: { readonly [name: string]: string };
  /** Files and folders that no tool may write. */
  readonly ownPaths: readonly string[];
  /** Masks what must not be told: keys, and what `--redact` names. */
  readonly redactor: Redactor;
}

/** What is around every command. */
export interface Sandbox {
  /** What the start line says of it. */
  readonly words: string;
  wrap(argv: readonly [string, ...string[]], around: Around): readonly [string, ...string[]];
}

/** What a command may touch now. */
export interface Around {
  readonly rules: Rules;
  /** Whole outputs are in it, to be read; its `tmp` is the command's `/tmp`. Absolute, links resolved. */
  readonly dataFolder: string;
}

/** What a task works with. */
export interface TaskWorld {
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly client: ModelClient;
  /** The sandbox around commands, tried on this machine; called once, while the first answer is awaited. */
  openSandbox(): Promise<Sandbox>;
  /** Reads a command line; loaded only when one must be read. */
  readCommand(text: string): Promise<CommandLine>;
  listen(event: AgentEvent): void;
  /** Asks a person for a permission; absent where nobody can be asked. */
  approve?(question: Question, signal: AbortSignal): Promise<Approval>;
  /** What a person typed meanwhile; it goes out with the next request. */
  takeQueued?(): readonly string[];
}

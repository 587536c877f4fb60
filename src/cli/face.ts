/** What a face of the agent (run, chat, evaluation) brings to a task, and what it gets. */
import type { Approval, Question } from "../agent/gate.ts";
import type { Task } from "../agent/run_task.ts";
import type { LiveSession } from "../session/conversation.ts";
import type { AgentEvent } from "../vocab.ts";

/** Which session a task goes on with. */
export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "newest"; readonly repair: boolean }
  | { readonly kind: "named"; readonly id: string; readonly repair: boolean };

/** What a face brings. */
export interface Face {
  readonly choice: SessionChoice;
  listen(event: AgentEvent): void;
  approve?(question: Question, signal: AbortSignal): Promise<Approval>;
  takeQueued?(): readonly string[];
}

/** A task and the session that it's recorded in. */
export interface OpenedTask {
  readonly task: Task;
  readonly session: LiveSession;
  close(): void;
}

/** What a talk has: types only. */
import type { Terminal } from "../../system/terminal.ts";
import type { World } from "../command.ts";
import type { Asking } from "./asking.ts";
import type { Desk } from "./desk.ts";
import type { History } from "./history.ts";
import type { Painter } from "./painter.ts";
import type { Prompt } from "./prompt.ts";
import type { View } from "./view.ts";

/** What is being done for the person; nothing of it may run beside something else. */
export interface Work {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Everything that a talk has. */
export interface Talk {
  readonly world: World;
  readonly terminal: Terminal;
  readonly desk: Desk;
  readonly view: View;
  readonly prompt: Prompt;
  readonly history: History;
  readonly painter: Painter;
  work: Work | null;
  asking: Asking | null;
  queue: string[];
  /** Commands of the person's own whose output goes with the next message. */
  offered: string[];
  lastCtrlC: number;
  leave(code: number): void;
}

/** What a slash command works with: types only. */
import type { World } from "../command.ts";
import type { Desk } from "./desk.ts";
import type { Row, Style } from "./layout.ts";

/** What a slash command works with. */
export interface Site {
  readonly desk: Desk;
  readonly world: World;
  readonly signal: AbortSignal;
  say(text: string, style?: Style): void;
  add(rows: readonly Row[]): void;
  /** Runs a command line of the user's own; returns its exit code and output. */
  shell(command: string): Promise<{ readonly exit: number; readonly output: string }>;
  /** Cells of a row. */
  columns(): number;
  clear(): void;
  leave(): void;
}

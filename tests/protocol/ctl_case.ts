/** One rule of CTL: a text, how the stream ended, and what it must give. */
import type { StreamEnd, ViolationKind } from "../../src/vocab.ts";
import type { Limits } from "../../src/protocol/protocol.ts";

export interface CtlCase {
  readonly title: string;
  readonly text: string;
  /** `complete` unless told. */
  readonly how?: StreamEnd;
  readonly limits?: Partial<Limits>;
  /** The executable calls: name, then arguments. */
  readonly calls?: readonly (readonly [id: string, args: { readonly [key: string]: string }])[];
  /** The prose; not compared when absent. */
  readonly prose?: string;
  readonly reasoning?: string;
  readonly violation?: readonly [kind: ViolationKind, says: string, id?: string];
  readonly stopAt?: number;
  readonly kept?: string;
}

export const EOL = "\n";

/** The frame of one call `c1 run` around these lines. */
export function frame(...lines: readonly string[]): string {
  return ["call c1 run", ...lines, "end", ""].join(EOL);
}

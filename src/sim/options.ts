/** How a simulated model behaves, and what its server notes down. */
import type { ProtocolName } from "../vocab.ts";
import type { Clock } from "../system/system.ts";
import { type FaultPlan, NO_FAULTS } from "./faults.ts";
import type { Plan } from "./plan.ts";

/** What the server did, in order; `at` is monotonic milliseconds of the clock it was given. */
export type SimLogEntry =
  & { readonly at: number; /** Counts from 1. */ readonly request: number }
  & (
    | {
      readonly kind: "request";
      readonly protocol: ProtocolName;
      readonly step: number;
      readonly complaints: number;
      readonly inputTokens: number;
    }
    | { readonly kind: "fault"; readonly note: string }
    | { readonly kind: "bytes"; readonly bytes: number }
    | { readonly kind: "held" | "released" }
    | { readonly kind: "end"; readonly how: "done" | "dropped" | "client_gone" | "refused" }
  );

/** How the model behaves. */
export interface SimOptions {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly faults: FaultPlan;
  readonly seed: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Speak this protocol whatever the request asks for. */
  readonly protocol?: ProtocolName;
  /** Milliseconds before each token, plus up to `jitterMs` more. */
  readonly delayMs: number;
  readonly jitterMs: number;
  /** Bytes of a write, cut without regard to events; 0 writes one event at a time. */
  readonly chunk: number;
  /** Awaited before the end of each stream, to prove what ran until then. */
  hold?(request: number): Promise<void>;
}

/** A model without faults and delays, on a free port. */
export const STEADY: Pick<
  SimOptions,
  "faults" | "seed" | "port" | "delayMs" | "jitterMs" | "chunk"
> = { faults: NO_FAULTS, seed: "1", port: 0, delayMs: 0, jitterMs: 0, chunk: 0 };

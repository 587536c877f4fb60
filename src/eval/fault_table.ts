/** Each fault alone, in each protocol: how runs of one fixture end. */
import type { ProtocolName } from "../vocab.ts";
import { FAULT_KINDS, type FaultKind, type FaultRule } from "../sim/faults.ts";
import { attempt, type Bench } from "./attempt.ts";
import type { Fixture } from "./fixture.ts";
import type { Row } from "./row.ts";
import { totalOf } from "./summary.ts";

/** One cell of the table. */
export interface FaultCell {
  readonly kind: FaultKind;
  readonly rate: number;
  readonly protocol: ProtocolName;
  readonly rows: readonly Row[];
}

/** A model that mends three of four messages when it's told what is wrong. */
const REPAIR = 0.75;
/** The agent gives up sooner. */
const GIVE_UP_AFTER = 9;
/** A stall that lasts a moment: the idle limit is two minutes, which no table should wait for. */
const STALL_S = 0.5;

/** Runs the whole table, `jobs` cells at a time; `listen` hears of each cell that is done. */
export async function runFaultTable(
  fixture: Fixture,
  options: {
    readonly bench: Bench;
    readonly protocols: readonly ProtocolName[];
    readonly rates: readonly number[];
    readonly n: number;
    readonly jobs: number;
    listen(cell: FaultCell): void;
  },
): Promise<FaultCell[]> {
  const { bench, protocols, rates, n } = options;
  const wanted = FAULT_KINDS.flatMap((kind) =>
    rates.flatMap((rate) => protocols.map((protocol) => ({ kind, rate, protocol })))
  );
  const cells: FaultCell[] = [];
  const queue = wanted.entries();
  async function work(): Promise<void> {
    for (const [place, { kind, rate, protocol }] of queue) {
      const rule: FaultRule = { kind, rate, ...(kind === "stall" ? { seconds: STALL_S } : {}) };
      const faults = { repair: REPAIR, giveUpAfter: GIVE_UP_AFTER, rules: [rule] };
      const rows: Row[] = [];
      for (let rep = 1; rep <= n && !bench.check.signal.aborted; rep++) {
        const key = { protocol, model: "sim", fixture: fixture.name, rep };
        const out = `${bench.out}/${kind}-${rate}`;
        const sim = { ...bench.sim, faults };
        rows.push((await attempt(key, fixture, { ...bench, out, sim })).row);
      }
      const cell = { kind, rate, protocol, rows };
      cells[place] = cell;
      options.listen(cell);
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, options.jobs) }, work));
  return cells.filter((cell) => cell !== undefined);
}

/** The table in Markdown: faults and rates down, protocols across. */
export function writeFaultTable(cells: readonly FaultCell[]): string {
  const protocols = [...new Set(cells.map((cell) => cell.protocol))];
  const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  const rows = FAULT_KINDS.flatMap((kind) =>
    [...new Set(cells.map((cell) => cell.rate))].flatMap((rate) => {
      const own = cells.filter((cell) => cell.kind === kind && cell.rate === rate);
      if (own.length === 0) return [];
      const texts = protocols.map((protocol) =>
        cellText(own.find((cell) => cell.protocol === protocol)?.rows ?? [])
      );
      return [line([`${kind}, ${rate}`, ...texts])];
    })
  );
  return [
    line(["fault, rate", ...protocols]),
    line(["fault", ...protocols].map(() => "---")),
    ...rows,
  ]
    .join("\n") + "\n";
}

/** `pass 2, 3 violations; agent_error 1: The model answered nothing`. */
function cellText(rows: readonly Row[]): string {
  const outcomes = [...new Set(rows.map((row) => row.outcome))].sort();
  return outcomes.map((outcome) => {
    const own = rows.filter((row) => row.outcome === outcome);
    const violations = own.reduce((sum, row) => sum + totalOf(row.violations), 0);
    const noted = violations === 0 ? "" : `, ${violations} violation${violations > 1 ? "s" : ""}`;
    const why = outcome === "pass" ? "" : `: ${shorten(own[0]!.message)}`;
    return `${outcome} ${own.length}${noted}${why}`;
  }).join("; ");
}

/** The beginning of a message, addresses left out, up to what differs from run to run. */
function shorten(message: string): string {
  const words = message.replace(/https?:\S+/g, "the server").split(/[;:(]/)[0]!.trim();
  return words.replaceAll("|", "/").slice(0, 60);
}

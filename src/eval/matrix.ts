/** The matrix: protocols × models × fixtures × n, each an independent run; what is done is not done again. */
import type { ProtocolName } from "../vocab.ts";
import { ConfigError, UsageError } from "../errors.ts";
import { appendText, readTextIfAny, writeText } from "../system/folders.ts";
import { type Attempt, attempt, type Bench } from "./attempt.ts";
import type { Fixture } from "./fixture.ts";
import { CSV_HEADER, readRows, type Row, type RunKey, runName, writeRow } from "./row.ts";

/** What is to be run. */
export interface MatrixPlan {
  readonly protocols: readonly ProtocolName[];
  readonly models: readonly string[];
  readonly fixtures: readonly Fixture[];
  readonly n: number;
}

/** A part of a matrix: every `of`-th run, beginning with the `index`-th (from 1). */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** What happens while the matrix runs. */
export type MatrixEvent =
  | { readonly kind: "begin"; readonly total: number; readonly done: number }
  | { readonly kind: "started"; readonly key: RunKey }
  | { readonly kind: "finished"; readonly row: Row };

/** All runs in a fixed order: repetitions outermost, so that a matrix that is stopped early is even. */
export function listRuns(plan: MatrixPlan): RunKey[] {
  const runs: RunKey[] = [];
  for (let rep = 1; rep <= plan.n; rep++) {
    for (const model of plan.models) {
      for (const fixture of plan.fixtures) {
        for (const protocol of plan.protocols) {
          runs.push({ protocol, model, fixture: fixture.name, rep });
        }
      }
    }
  }
  return runs;
}

/**
 * Reads `2/3`. Throws `UsageError` unless it is a whole part of a whole number of parts.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseShard("2/3"), { index: 2, of: 3 });
 * ```
 */
export function parseShard(text: string): Shard {
  const [, index = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > of) {
    throw new UsageError(`Option "--shard" needs a part such as 1/4: "${text}"`);
  }
  return { index, of };
}

/** The runs of one shard. */
export function takeShard(runs: readonly RunKey[], shard: Shard): RunKey[] {
  return runs.filter((_, i) => i % shard.of === shard.index - 1);
}

/** The rows that `out` holds already. */
export async function readResults(out: string): Promise<Row[]> {
  const path = `${out}/results.csv`;
  return readRows(await readTextIfAny(path) ?? "", path);
}

/**
 * Runs what of `runs` isn't in `out` yet, at most `jobs` at a time; each row is written when it's known. Returns all
 * rows. A signal lets no further run begin; those that were stopped leave no row.
 */
export async function runMatrix(
  runs: readonly RunKey[],
  options: {
    readonly fixtures: readonly Fixture[];
    readonly bench: Bench;
    readonly jobs: number;
    listen(event: MatrixEvent): void;
  },
): Promise<Row[]> {
  const { bench, listen } = options;
  const done = await readResults(bench.out);
  // Written anew, so that a line that was cut off doesn't stand before the next row.
  await writeText(`${bench.out}/results.csv`, CSV_HEADER + done.map(writeRow).join(""));
  const names = new Set(done.map(runName));
  const missing = runs.filter((key) => !names.has(runName(key)));
  listen({ kind: "begin", total: runs.length, done: runs.length - missing.length });
  const rows = [...done];
  const queue = missing.values();
  async function work(): Promise<void> {
    for (const key of queue) {
      if (bench.check.signal.aborted) return;
      listen({ kind: "started", key });
      const fixture = options.fixtures.find((it) => it.name === key.fixture)!;
      const result = await attempt(key, fixture, bench);
      if (bench.check.signal.aborted) return;
      await keep(result, bench.out);
      rows.push(result.row);
      listen({ kind: "finished", row: result.row });
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, options.jobs) }, work));
  return rows;
}

async function keep(result: Attempt, out: string): Promise<void> {
  const { row, timeline } = result;
  await writeText(`${out}/timelines/${runName(row)}.json`, JSON.stringify(timeline));
  await appendText(`${out}/results.csv`, writeRow(row));
}

/** The rows of several results as one, each run once, in the order of the matrix. */
export function mergeRows(parts: readonly (readonly Row[])[]): Row[] {
  const byName = new Map(parts.flat().map((row) => [runName(row), row]));
  return [...byName.values()].sort((a, b) => a.rep - b.rep || compare(runName(a), runName(b)));
}

/** Joins the results in `folders`, and in `out` itself if there are any, to one `results.csv` in `out`. */
export async function mergeResults(folders: readonly string[], out: string): Promise<void> {
  const parts: Row[][] = [await readResults(out)];
  for (const folder of folders) {
    const rows = await readPart(folder);
    parts.push(rows);
    for (const name of rows.map(runName)) {
      const timeline = await readTextIfAny(`${folder}/timelines/${name}.json`);
      if (timeline !== undefined) await writeText(`${out}/timelines/${name}.json`, timeline);
    }
  }
  await writeText(`${out}/results.csv`, CSV_HEADER + mergeRows(parts).map(writeRow).join(""));
}

/** The rows of a shard. Throws `ConfigError` where there is no file: a shard that is missing isn't empty. */
async function readPart(folder: string): Promise<Row[]> {
  const path = `${folder}/results.csv`;
  const text = await readTextIfAny(path);
  if (text === undefined) throw new ConfigError(`Cannot merge "${folder}": no results.csv there`);
  return readRows(text, path);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The last row of the live region: what is in use and what it has come to. */
import type { Rules } from "../../permission/rules.ts";
import type { Price } from "../../provider/catalog.ts";
import type { Usage } from "../../vocab.ts";
import { cellsOf, fit } from "./layout.ts";

/** What the status line tells. */
export interface Status {
  readonly provider: string;
  readonly model: string;
  readonly protocol: string;
  readonly usage: Usage;
  readonly contextTokens: number;
  readonly contextLimit: number;
  readonly price: Price | null;
  /** `bubblewrap …` or `rules only: …`, as the start line says. */
  readonly sandbox: string;
  readonly rules: Rules;
}

/**
 * The status on one row of `columns` cells; what doesn't fit is left out from the right, the model last.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(tokens(12_345), "12.3k");
 * ```
 */
export function statusLine(status: Status, columns: number): string {
  const { usage, contextTokens, contextLimit } = status;
  const cost = costOf(status.usage, status.price);
  const parts = [
    `${status.provider}/${status.model}`,
    status.protocol,
    `${tokens(usage.inputTokens + usage.outputTokens)} tokens`,
    `context ${contextLimit > 0 ? Math.round(100 * contextTokens / contextLimit) : 0} %`,
    ...(cost === null ? [] : [`$${cost.toFixed(4)}`]),
    runWords(status.rules),
    status.sandbox.split(/[:,(]/)[0]!.trim(),
  ];
  let line = fit(parts[0]!, columns);
  for (const part of parts.slice(1)) {
    const longer = `${line} · ${part}`;
    if (cellsOf(longer) > columns) break;
    line = longer;
  }
  return line;
}

/** `950`, `12.3k`, `1.20M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(2)}M`;
}

/** US dollars; null where the price isn't known. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const cached = usage.cachedTokens ?? 0;
  return ((usage.inputTokens - cached) * price.input + cached * price.cachedInput +
    usage.outputTokens * price.output) / 1e6;
}

/** What may run without asking. */
export function runWords(rules: Rules): string {
  if (rules.all) return "everything allowed";
  switch (rules.run.allow.kind) {
    case "all":
      return "runs anything";
    case "absent":
      return "asks before running";
    case "list":
      return `runs ${rules.run.allow.items.map(({ text }) => text).join(", ") || "nothing"}`;
  }
}

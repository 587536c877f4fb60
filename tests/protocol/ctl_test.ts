import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Confirmed, Delta } from "../../src/vocab.ts";
import { createCtlProtocol } from "../../src/protocol/ctl.ts";
import { assertSplitInvariant } from "../split.ts";
import type { CtlCase } from "./ctl_case.ts";
import { CTL_CASES } from "./ctl_cases.ts";
import { drive, type DriveOptions, readyCalls, textDeltas } from "./drive.ts";

const protocol = createCtlProtocol("ctl");

function optionsOf({ how, limits }: CtlCase): DriveOptions {
  return { how: how ?? "complete", limits: limits ?? {} };
}

function joined(events: readonly Confirmed[], kind: "text" | "reasoning"): string {
  return events.map((event) => event.kind === kind ? event.text : "").join("");
}

function check(row: CtlCase): void {
  const { events, keptText } = drive(protocol, textDeltas([row.text]), optionsOf(row));
  if (row.calls !== undefined) {
    const calls = readyCalls(events).map((call) => [call.id, call.arguments]);
    assertEquals(JSON.stringify(calls), JSON.stringify(row.calls));
  }
  if (row.prose !== undefined) assertEquals(joined(events, "text"), row.prose);
  assertEquals(joined(events, "reasoning"), row.reasoning ?? "");
  if (row.kept !== undefined) assertEquals(keptText, row.kept);
  checkEnd(row, events);
}

function checkEnd(row: CtlCase, events: readonly Confirmed[]): void {
  const violations = events.flatMap((e) => e.kind === "violation" ? [e.violation] : []);
  const [kind, says, id] = row.violation ?? [];
  assertEquals(violations.map((v) => [v.kind, v.id]), row.violation ? [[kind, id]] : []);
  if (says !== undefined) assertStringIncludes(violations[0]!.message, says);
  const stops = events.flatMap((event) => event.kind === "stop" ? [event.at] : []);
  assertEquals(stops, row.stopAt === undefined ? [] : [row.stopAt]);
  const last = events.findLastIndex((e) => e.kind === "violation" || e.kind === "stop");
  assert(last < 0 || last === events.length - 1, "nothing comes after a violation or a stop");
}

for (const row of CTL_CASES) {
  Deno.test(`ctl: ${row.title}`, () => {
    check(row);
    assertSplitInvariant(row.text, (slices) => {
      const { events, keptText } = drive(protocol, textDeltas(slices), optionsOf(row));
      return [...events, { kind: "kept", keptText }];
    }, { random: 10 });
  });
}

Deno.test("a frame that lost a piece on its way isn't run, whatever is left of it", () => {
  const gap: Delta = { kind: "gap" };
  const rows: readonly (readonly [text: string, ran: readonly string[], violation?: string])[] = [
    ["Pro|se.\ncall c1 run\nend\n", ["c1"]],
    ["Pro|se.\nca|ll c1 run\nend\n", [], "in the line that began"],
    ["call c1 ru|n\nend\n", [], "in the line that began"],
    ["call c1 run\narg a <<E\nrm -r |/\nE\nend\n", [], 'inside call "c1"'],
    ["call c1 run\nend\n|call c2 run\n|end\n", ["c1"], 'inside call "c2"'],
  ];
  for (const [text, ran, violation] of rows) {
    const deltas = text.split("|").flatMap((piece) => [gap, ...textDeltas([piece])]).slice(1);
    const { events } = drive(protocol, deltas, { how: "complete", limits: {} });
    assertEquals(readyCalls(events).map(({ id }) => id), ran);
    const told = events.flatMap((event) => event.kind === "violation" ? event.violation : []);
    assertEquals(told.map(({ kind }) => kind), violation === undefined ? [] : ["call_eof"]);
    if (violation !== undefined) assertStringIncludes(told[0]!.message, violation);
  }
});

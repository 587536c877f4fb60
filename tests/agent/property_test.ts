/** Whatever a model does and wherever the user stops it: the laws of the session hold. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Delta, JsonObject, ProtocolName } from "../../src/vocab.ts";
import { nextRequest } from "../../src/agent/loop.ts";
import { exitCodeOf, ProviderError } from "../../src/errors.ts";
import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { type Answer, callOf, LOST, resume, type Rig, saying, withRig } from "../world.ts";

/** What a model does with one message. */
type Deed =
  | { readonly kind: "answers" | "empty" | "refuses" | "goes_on" | "runs_out" }
  | { readonly kind: "calls" | "breaks" | "is_cut"; readonly calls: number };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("calls"), calls: fc.integer({ min: 1, max: 3 }) }),
  },
  fc.record({
    kind: fc.constantFrom("breaks", "is_cut"),
    calls: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ kind: fc.constantFrom("answers", "empty", "refuses", "goes_on", "runs_out") }),
) as fc.Arbitrary<Deed>;

const scene = fc.record({
  protocol: fc.constantFrom(...PROTOCOL_NAMES),
  deeds: fc.array(deed, { minLength: 1, maxLength: 7 }),
  prompts: fc.integer({ min: 1, max: 3 }),
  maxSteps: fc.integer({ min: 1, max: 6 }),
  /** The number of the event at which the user stops the first prompt; most scenes have fewer. */
  stopAt: fc.integer({ min: 0, max: 60 }),
});

const text = (words: string): Delta => ({ kind: "text", text: words });

/** The messages of a scene; each call writes a mark of its own into `log`. */
function answersOf(protocol: ProtocolName, deeds: readonly Deed[]): Answer[] {
  let mark = 0;
  const callsOf = (count: number) =>
    Array.from({ length: count }, () => {
      const n = ++mark;
      return callOf(`c${n}`, "run", { command: `echo ${n} >> log` });
    });
  const isEnd = ({ kind }: Delta) => kind === "finish" || kind === "done";
  return deeds.map((it): Answer => {
    switch (it.kind) {
      case "answers":
        return { deltas: [text("It is "), text("done.")] };
      case "empty":
        return { deltas: [] };
      case "refuses":
        return { deltas: [], error: new ProviderError("Answered 400") };
      case "runs_out":
        return {
          deltas: [text("A long st")],
          end: { how: "cut", cause: "cut_by_server", finishReason: "length" },
        };
      case "goes_on": {
        const { deltas } = saying(protocol, "First.", callsOf(1));
        return { deltas: [...deltas.filter((delta) => !isEnd(delta)), text("\nI see that it")] };
      }
      case "calls":
        return saying(protocol, "So.", callsOf(it.calls));
      case "breaks":
      case "is_cut": {
        const whole = saying(protocol, "So.", callsOf(it.calls)).deltas.filter((one) =>
          !isEnd(one)
        );
        const half: Delta = protocol.startsWith("native")
          ? { kind: "tool_call", slot: it.calls, id: "half", name: "run", arguments: '{"comm' }
          : text(protocol === "xml" ? "<minimax:tool_call>\n<invoke" : "call half run\narg comm");
        return { deltas: [...whole, half], ...it.kind === "is_cut" ? { end: LOST } : {} };
      }
    }
  });
}

Deno.test("random conversations: calls run once and are answered, requests can be rebuilt, the outcome comes last", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ protocol, deeds, prompts, maxSteps, stopAt }) => {
      const stop = new AbortController();
      const copies: string[] = [];
      let rig: Rig | undefined;
      let seen = 0;
      const options = {
        protocol,
        maxSteps,
        onEvent() {
          if (++seen === stopAt) stop.abort("esc");
        },
        onRequest() {
          const path = `${rig!.cwd}/../${copies.length}.jsonl`;
          Deno.copyFileSync(rig!.sessionPath, path);
          copies.push(path);
        },
      };
      await withRig(answersOf(protocol, deeds), options, async (opened) => {
        rig = opened;
        for (let prompt = 0; prompt < prompts; prompt++) {
          const end = prompt === 0 ? await rig.run("Go", stop.signal) : await rig.run("On");
          const last = rig.events.at(-1)!;
          assert(last.kind === "outcome" && last.exit === exitCodeOf(end.outcome));
          assert(end.steps <= maxSteps);
        }
        checkCalls(rig);
        for (const [i, path] of copies.entries()) {
          assertEquals(await rebuilt(path, rig, protocol), JSON.stringify(rig.bodies[i]));
        }
      });
    }),
    { numRuns: Number(Deno.env.get("RUNS") ?? 40) },
  );
});

/** Each call has its result right behind it; a mark is in the log exactly if its call says that it ran. */
function checkCalls(rig: Rig): void {
  const records = rig.records();
  const ran: string[] = [];
  records.forEach((record, at) => {
    if (record.kind !== "call") return;
    const next = records[at + 1];
    assert(next?.kind === "result" && next.result.id === record.call.id);
    const command = String(record.call.arguments.command);
    if (next.result.exit === 0) ran.push(/\d+/.exec(command)![0]);
  });
  const starts = rig.events.filter(({ kind }) => kind === "tool_start").length;
  const results = rig.events.filter(({ kind }) => kind === "tool_result").length;
  assertEquals([starts, results], [starts, starts]);
  const log = readLog(`${rig.cwd}/log`);
  assertEquals(new Set(log).size, log.length, "no call ran twice");
  for (const mark of ran) assert(log.includes(mark));
}

function readLog(path: string): string[] {
  try {
    return Deno.readTextFileSync(path).trimEnd().split("\n");
  } catch {
    return [];
  }
}

async function rebuilt(path: string, rig: Rig, protocol: ProtocolName): Promise<string> {
  const session = await resume(path, protocol);
  try {
    const tools = rig.bodies[0]!.tools as readonly unknown[] | undefined;
    const { provider, system } = rig;
    const parts = { provider, protocol: createProtocol(protocol)!, system, session };
    const { body } = nextRequest({ ...parts, ...tools ? { tools } : {} });
    return JSON.stringify(body satisfies JsonObject);
  } finally {
    session.close();
  }
}

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ProtocolName } from "../../src/vocab.ts";
import { EXIT } from "../../src/errors.ts";
import { createProtocol, PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { createClock } from "../../src/system/clock.ts";
import { probe } from "../../src/cli/probe.ts";
import { findProvider } from "../../src/provider/catalog.ts";
import { createModelClient } from "../../src/provider/client.ts";
import { ECHO, probeProtocol, type ProbeResult } from "../../src/provider/probe.ts";
import { STEADY } from "../../src/sim/options.ts";
import { startSim } from "../../src/sim/server.ts";
import { withServer } from "./client_world.ts";
import { runCommand } from "../cli/io.ts";

const clock = createClock();
const signal = new AbortController().signal;

/** A simulated model that makes one call, in the protocol asked for or always in the same. */
function startEcho(call: { name: string; text: string }, protocol?: ProtocolName) {
  return startSim({
    plan: { steps: [{ text: "", calls: [{ name: call.name, arguments: { text: call.text } }] }] },
    clock,
    ...STEADY,
    ...(protocol ? { protocol } : {}),
  });
}

async function probeAll(baseUrl: string): Promise<ProbeResult[]> {
  const provider = findProvider("custom", { baseUrl, model: "sim" });
  const client = createModelClient({ provider, clock, retries: 0, onWait() {} });
  const results: ProbeResult[] = [];
  for (const name of PROTOCOL_NAMES) {
    results.push(await probeProtocol(createProtocol(name)!, { provider, client, clock, signal }));
  }
  return results;
}

const right = { name: ECHO.name, text: "marmalade" };

Deno.test("An endpoint that speaks each protocol works in all five, with the time of the first call", async () => {
  const sim = startEcho(right);
  const results = await probeAll(sim.url);
  await sim.stop();
  assertEquals(
    results.map(({ protocol, verdict, note }) => [protocol, verdict, note]),
    PROTOCOL_NAMES.map((name) => [name, "works", ""]),
  );
  assert(results.every(({ firstCallMs }) => firstCallMs !== null && firstCallMs >= 0));
});

Deno.test("An endpoint that speaks one protocol alone works in that one", async () => {
  const sim = startEcho(right, "xml");
  const results = await probeAll(sim.url);
  await sim.stop();
  const works = results.filter(({ verdict }) => verdict === "works").map((it) => it.protocol);
  assertEquals(works, ["xml"]);
});

Deno.test("Another call than the one asked for is told as such", async () => {
  const sim = startEcho({ name: "run", text: "rm" });
  const results = await probeAll(sim.url);
  await sim.stop();
  assert(results.every(({ verdict }) => verdict === "wrong_call"));
  assertEquals(results[0]!.note, 'It called run {"text":"rm"}');
});

Deno.test("A refusal, silence and prose are verdicts with a reason", async () => {
  const say = (content: string, finish: string) => ({
    status: 200,
    body: `data: ${
      JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })
    }\n\n`,
  });
  const script = [
    { status: 400, body: '{"error":{"message":"tools are not supported"}}' },
    say("I can't.", "stop"),
    say("", "stop"),
    say("call c1 ec", "length"),
    say("call\n", "stop"),
  ];
  await withServer(script, {}, async (_client, server) => {
    const results = await probeAll(server.url);
    assertEquals(results.map(({ verdict }) => verdict), [
      "refused",
      "no_call",
      "no_call",
      "cut",
      "no_call",
    ]);
    assertStringIncludes(results[0]!.note, "tools are not supported");
    assertEquals(results[1]!.note, 'It said "I can\'t."');
    assertEquals(results[2]!.note, "It said nothing");
    assertEquals(results[3]!.note, "The reply reached the server's length limit");
  });
});

Deno.test("The command prints a line for each protocol and ends with 0 when one works", async () => {
  const sim = startEcho(right, "ctl-heredoc");
  const argv = ["--provider", "custom", "--base-url", sim.url, "--model", "sim", "--protocol"];
  const works = await runCommand(probe, [...argv, "ctl-heredoc"], { clock });
  const fails = await runCommand(probe, [...argv, "native-eos", "--json"], { clock });
  await sim.stop();
  assertEquals([works.exit, fails.exit], [EXIT.done, EXIT.provider]);
  assertMatch(works.stdout, /^ctl-heredoc {2}works {24}first call after \d\.\d\d s\n$/);
  assertEquals(JSON.parse(fails.stdout).protocol, "native-eos");
});

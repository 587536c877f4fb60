/** How a public bug report is played: the whole agent against a server that says what the report says. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/vocab.ts";
import { readCaseScript, readCuts, type ScriptedAnswer } from "../scripted_server.ts";
import { sharedData } from "../shared_data.ts";
import { type RanAgent, says, type Stage, withStage } from "./agent_world.ts";

interface Expect {
  readonly turn?: "complete" | "incomplete" | "error";
  readonly exit?: number | string;
  readonly text?: string;
  readonly text_kept?: string;
  readonly requests?: number;
  readonly requests_min?: number;
  readonly requests_max?: number;
  readonly tools_executed?: readonly unknown[];
  readonly error_contains?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly tool_errors?: readonly { readonly kind?: string; readonly argument?: string }[];
  readonly files_unchanged?: readonly string[];
  readonly file?: { readonly [name: string]: string };
  readonly warning?: boolean;
}

/** Where a case plays. */
export interface Played {
  readonly ran: RanAgent;
  readonly stage: Stage;
  readonly folder: URL;
  readonly expect: Expect;
  /** Messages of request number `n`, from 1. */
  messages(n: number): readonly JsonObject[];
}

/** Our names of the tools that the cases call. */
const NAMES: { readonly [name: string]: string } = { shell: "run", list: "list_files" };
export const PROTOCOLS = ["native-eos", "native-inc"] as const;
export const cases = sharedData("cases/");

/** The case's answers in our tool names. */
function renamed(answer: ScriptedAnswer): ScriptedAnswer {
  if (!(answer.body instanceof Uint8Array)) return answer;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(answer.body);
  const body = text.replace(/"name":"(shell|list)"/g, (_, name) => `"name":"${NAMES[name]}"`);
  return {
    ...answer,
    ...body === text ? {} : { body, cuts: [] },
    ...answer.otherwise ? { otherwise: renamed(answer.otherwise) } : {},
  };
}

/** The script of a case that is one stream: it comes again where the agent may ask again, else a last word follows. */
function scriptOf(folder: URL, expect: Expect, file: string): ScriptedAnswer[] {
  const body = Deno.readFileSync(new URL(file, folder));
  const stream = { status: 200, body, cuts: readCuts(folder, body.length) };
  const failing = expect.turn === "incomplete" || expect.turn === "error";
  return failing ? [{ ...stream, repeat: true }] : [stream, says("Goodbye.")];
}

export async function play(
  id: string,
  options: {
    readonly file?: string;
    readonly flags?: readonly string[];
    readonly env?: { readonly [name: string]: string };
    readonly protocol?: string;
  },
  check: (played: Played) => void | Promise<void>,
): Promise<void> {
  const folder = new URL(`${id}/`, cases);
  const { kind, expect } = JSON.parse(
    Deno.readTextFileSync(new URL("expected.json", folder)),
  ) as { kind: string; expect: Expect };
  const { file = kind === "sse" ? "stream.sse" : "http.json", flags = ["-A"] } = options;
  const script = file.endsWith(".json")
    ? readCaseScript(folder, file)
    : scriptOf(folder, expect, file);
  await withStage(script.map(renamed), async (stage) => {
    plant(new URL("before/", folder), stage.cwd);
    const ran = await stage.run(
      [
        "--json",
        `--protocol=${options.protocol ?? "native-eos"}`,
        "--sandbox=off",
        ...flags,
        "-p",
        "hi",
      ],
      options.env ? { env: options.env } : {},
    );
    const messages = (n: number) =>
      stage.server.requests[n - 1]!.body.messages as readonly JsonObject[];
    await check({ ran, stage, folder, expect, messages });
  });
}

/** Copies the files of a case into the project. */
function plant(from: URL, to: string): void {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(from)];
  } catch {
    return;
  }
  for (const { name, isDirectory } of entries) {
    if (isDirectory) {
      Deno.mkdirSync(`${to}/${name}`);
      plant(new URL(`${name}/`, from), `${to}/${name}`);
    } else {
      Deno.writeFileSync(`${to}/${name}`, Deno.readFileSync(new URL(name, from)));
    }
  }
}

export function typed(ran: RanAgent, type: string): JsonObject[] {
  return ran.events.filter((event) => event.type === type);
}

/** What is expected of every case. */
export function checkExpected({ ran, stage, folder, expect }: Played): void {
  const last = ran.events.at(-1)!;
  assertEquals(last.type, "outcome");
  assertEquals(last.exit, ran.exit);
  if (expect.exit === "nonzero") assert(ran.exit !== 0, JSON.stringify(last));
  if (typeof expect.exit === "number") assertEquals(ran.exit, expect.exit, JSON.stringify(last));
  const text = expect.text ?? expect.text_kept;
  if (text !== undefined) assertEquals(last.text, text);
  const requests = stage.server.requests.length;
  if (expect.requests !== undefined) assertEquals(requests, expect.requests);
  if (expect.requests_min !== undefined) assert(requests >= expect.requests_min);
  if (expect.requests_max !== undefined) assert(requests <= expect.requests_max, `${requests}`);
  if (expect.tools_executed) assertEquals(typed(ran, "tool_start"), []);
  for (const part of expect.error_contains ?? []) {
    assertStringIncludes(String(last.message), part);
    assertStringIncludes(ran.stderr + String(last.message), part);
  }
  if (expect.turn === "incomplete") {
    assertEquals(new Set(typed(ran, "end").map(({ how }) => how)), new Set(["cut"]));
  }
  if (expect.warning) assert(typed(ran, "notice").length > 0);
  for (const name of expect.files_unchanged ?? []) {
    assertEquals(
      Deno.readTextFileSync(`${stage.cwd}/${name}`),
      Deno.readTextFileSync(new URL(`before/${name}`, folder)),
    );
  }
  for (const [name, content] of Object.entries(expect.file ?? {})) {
    assertEquals(Deno.readTextFileSync(`${stage.cwd}/${name}`), content);
  }
  if (expect.calls) {
    const started = typed(ran, "tool_start").map(({ name, arguments: args }) => ({ name, args }));
    const wanted = expect.calls.map((call) => ({
      name: NAMES[call.name] ?? call.name,
      args: call.arguments,
    }));
    assertEquals(started, wanted);
  }
  if (expect.tool_errors) assertEquals(troubles(ran).length, expect.tool_errors.length);
}

/** What the model is told is wrong: violations, and results of calls that couldn't be run. */
export function troubles(ran: RanAgent): JsonObject[] {
  return [
    ...typed(ran, "violation"),
    ...typed(ran, "tool_result").filter(({ exit }) => exit === 2),
  ];
}

export function toolMessages(messages: readonly JsonObject[]): JsonObject[] {
  return messages.filter(({ role }) => role === "tool");
}

function toolCalls(messages: readonly JsonObject[]): JsonObject[] {
  return messages.flatMap((message) => (message.tool_calls ?? []) as JsonObject[]);
}

/** Every call of a request has its own id, its result, and arguments that are an object. */
export function checkRequest(messages: readonly JsonObject[]): void {
  const ids = toolCalls(messages).map(({ id }) => id);
  assertEquals(new Set(ids).size, ids.length);
  assertEquals(toolMessages(messages).map(({ tool_call_id }) => tool_call_id), ids);
  for (const call of toolCalls(messages)) {
    const { arguments: text } = call.function as { arguments: string };
    assertEquals(typeof JSON.parse(text), "object");
  }
}
